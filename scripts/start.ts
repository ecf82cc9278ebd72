import { join } from 'node:path';
import { buildDemo } from '../demo/data/build-demo.ts';
import { DEMO_ACCOUNT_ID, DEMO_PULSE_SOURCES } from '../demo/data/demo-ids.ts';
import { startDemo } from '../demo/server.ts';
import { buildSteps } from './build-steps.ts';
import { ask, ROOT } from './run.ts';
import { isHosted } from './start/hosted.ts';
import { portsFrom, refuseTakenPorts, type StartPort } from './start/addresses.ts';
import { renewDemoKey } from './start/demo-key.ts';
import { type ServerProcess, startServer } from './start/server-process.ts';
import { runAll } from './steps.ts';

const DATA = join(ROOT, '.data');
const KEY_FILE = join(DATA, 'demo.key');
const SERVICE_MAIN = join(ROOT, 'packages/service/dist/main.js');
const BFF_MAIN = join(ROOT, 'packages/bff/dist/main.js');

const hosted = isHosted(process.env);

try {
  if (hosted instanceof Error) throw hosted;
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const ports = portsFrom(process.env);
  const { service, serviceAlt, ...ours } = ports;
  await refuseTakenPorts(hosted ? ours : { service, serviceAlt, ...ours });
  const failed = await runAll(buildSteps());
  if (failed.length > 0) throw new Error(`Cannot start: the build failed: ${failed.join(', ')}`);
  const running: ServerProcess[] = [];
  const stop = stopper(running);
  try {
    if (!hosted) running.push(await startService(ports));
    running.push(await startBff(ports));
    const demo = await startDemo({ port: ports.demo, bffUrl: urlOf(ports.bff) });
    running.push({ ended: new Promise(() => undefined), stop: () => demo.close() });
    sayWhere(ports);
  } catch (error) {
    await stop();
    throw error;
  }
  const why = await Promise.race([
    asked(),
    ...running.map((server) => server.ended.then(() => 'A server ended by itself; its log is in .data/logs')),
  ]);
  console.log(`\n${why}`);
  await stop();
}

async function startService(ports: Record<StartPort, number>): Promise<ServerProcess> {
  const env = { PULSE_DATA_DIR: join(DATA, 'service'), PUBLIC_URL: urlOf(ports.service) };
  console.log('\nDrawing the demo pulses from public data …');
  const { file } = await buildDemo({
    folder: join(DATA, 'demo'),
    onProgress: ({ title, done, total }) => console.log(`  ${done} of ${total}: ${title}`),
  });
  const imported = ask(process.execPath, [SERVICE_MAIN, 'import', file], env);
  if (!imported.ok) throw new Error(`Cannot import the demo pulses:\n${imported.stderr}`);
  renewDemoKey({ main: SERVICE_MAIN, account: DEMO_ACCOUNT_ID, keyFile: KEY_FILE, env });
  return startServer({
    name: 'service',
    args: [SERVICE_MAIN, 'serve'],
    env: { ...env, PORT: String(ports.service), ALT_PORT: String(ports.serviceAlt) },
    readyUrl: `${urlOf(ports.service)}/healthz`,
    logFolder: join(DATA, 'logs'),
  });
}

function startBff(ports: Record<StartPort, number>): Promise<ServerProcess> {
  const upstream: Record<string, string> = hosted
    ? {}
    : {
        PULSE_API_KEY_FILE: KEY_FILE,
        PULSE_BASE_URL: urlOf(ports.service),
        PULSE_ALT_BASE_URL: urlOf(ports.serviceAlt),
        PULSE_SOURCES: DEMO_PULSE_SOURCES,
        PULSE_EXPOSE: 'connectionCount',
      };
  return startServer({
    name: 'bff',
    args: [BFF_MAIN, 'serve'],
    env: {
      // The demo shows more sources at once than the budget refreshes every 15 seconds.
      PULSE_FRESH_MS: process.env['PULSE_FRESH_MS'] ?? '60000',
      PULSE_ALLOWED_ORIGINS: allowedOrigins(ports.demo),
      ...upstream,
      PULSE_STATE_DIR: process.env['PULSE_STATE_DIR'] ?? join(DATA, 'bff'),
      PORT: String(ports.bff),
      PULSE_ADMIN_PORT: String(ports.bffAdmin),
    },
    readyUrl: `${urlOf(ports.bff)}/healthz`,
    logFolder: join(DATA, 'logs'),
  });
}

function sayWhere(ports: Record<StartPort, number>): void {
  console.log(`
Pulse Card is running:

  demo     ${urlOf(ports.demo)}   the cards, every state of them, and the snippet to copy
  BFF      ${urlOf(ports.bff)}   what a page talks to (status for you: ${urlOf(ports.bffAdmin)})
  service  ${hosted ? String(process.env['PULSE_BASE_URL']) : `${urlOf(ports.service)}   the upstream, on demo pulses (second host: ${urlOf(ports.serviceAlt)})`}

To show a card on a page of yours, name the page's origin: PULSE_ALLOWED_ORIGINS=http://localhost:8123 npm start
Logs are in .data/logs. Stop with Ctrl+C.`);
}

function urlOf(port: number): string {
  return `http://localhost:${port}`;
}

function stopper(running: ServerProcess[]): () => Promise<void> {
  return async () => {
    for (const server of running.toReversed()) await server.stop();
  };
}

/** Resolves at the first signal; a terminal and whoever passes signals on may send more than one. */
function asked(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('Stopping …'));
  });
}

/** The demo's origins, and those that the environment names. */
function allowedOrigins(demoPort: number): string {
  const named = process.env['PULSE_ALLOWED_ORIGINS'];
  if (named === '*') return named;
  const demo = [urlOf(demoPort), `http://127.0.0.1:${demoPort}`];
  return [...demo, ...(named === undefined || named === '' ? [] : [named])].join(',');
}
