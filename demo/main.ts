import { startDemo } from './server.ts';

const { PULSE_DEMO_PORT = '4030', VITE_PULSE_ADMIN_URL = 'http://localhost:4021', START_COMMAND } = process.env;

try {
  await startDemo({
    port: Number(PULSE_DEMO_PORT),
    adminUrl: VITE_PULSE_ADMIN_URL,
    startCommand: START_COMMAND,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
