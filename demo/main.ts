import { startDemo } from './server.ts';

const { DEMO_PORT = '4030', VITE_PULSE_ADMIN_URL = 'http://localhost:4021' } = process.env;

try {
  await startDemo({ port: Number(DEMO_PORT), adminUrl: VITE_PULSE_ADMIN_URL });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
