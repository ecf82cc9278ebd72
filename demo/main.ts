import { startDemo } from './server.ts';

const { DEMO_PORT = '4030', VITE_PULSE_BFF_URL = 'http://localhost:4020' } = process.env;

// Vite stops it on SIGTERM.
await startDemo({ port: Number(DEMO_PORT), bffUrl: VITE_PULSE_BFF_URL });
