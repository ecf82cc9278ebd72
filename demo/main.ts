import { startDemo } from './server.ts';

const { DEMO_PORT = '4030', VITE_PULSE_ADMIN_URL = 'http://localhost:4021' } = process.env;

await startDemo({ port: Number(DEMO_PORT), adminUrl: VITE_PULSE_ADMIN_URL });
