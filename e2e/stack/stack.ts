import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDemo } from '../../demo/data/build-demo.ts';
import { DEMO_ACCOUNT_ID, DEMO_PULSE_SOURCES } from '../../demo/data/demo-ids.ts';
import { ask, ROOT } from '../../scripts/run.ts';
import { type ServerProcess, startServer } from '../../scripts/start/server-process.ts';
import { freePort } from './free-port.ts';
import { type HostSite, openHostSite } from './host-site.ts';

const SERVICE_MAIN = join(ROOT, 'packages/service/dist/main.js');
const BFF_MAIN = join(ROOT, 'packages/bff/dist/main.js');

/** Everything between a database and a reader, on free ports of this machine. */
export interface Stack {
  readonly bffUrl: string;
  readonly serviceUrl: string;
  readonly site: HostSite;
  /** A port kept for the demo: the BFF knows its origin. */
  readonly demoPort: number;
  /** The service's key and its account's e-mail: what no browser may ever see. */
  readonly secrets: { readonly key: string; readonly email: string };
  /** Stops the service, if it runs. */
  stopService(): Promise<void>;
  /** Starts the service again, if it was stopped. */
  startService(): Promise<void>;
  close(): Promise<void>;
}

/** Starts service, BFF and a host site with the demo pulses; `bffEnv` adds to the BFF's variables. */
export async function startStack(bffEnv: Readonly<Record<string, string>> = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-e2e-'));
  const ports = await Promise.all([1, 2, 3, 4, 5, 6].map(freePort));
  const [servicePort, altPort, bffPort, adminPort, sitePort, demoPort] = ports;
  const serviceUrl = `http://localhost:${servicePort}`;
  const bffUrl = `http://localhost:${bffPort}`;
  const serviceEnv = { PULSE_DATA_DIR: join(folder, 'service'), PUBLIC_URL: serviceUrl };
  const secrets = await fillService(folder, serviceEnv);
  const site = await openHostSite(Number(sitePort));
  const logFolder = join(folder, 'logs');
  const openService = (): Promise<ServerProcess> =>
    startServer({
      name: 'service',
      args: [SERVICE_MAIN, 'serve'],
      env: { ...serviceEnv, PORT: String(servicePort), ALT_PORT: String(altPort) },
      readyUrl: `${serviceUrl}/healthz`,
      logFolder,
    });
  let service: ServerProcess | undefined = await openService();
  const bff = await startServer({
    name: 'bff',
    args: [BFF_MAIN, 'serve'],
    env: {
      PULSE_API_KEY: secrets.key,
      PULSE_BASE_URL: serviceUrl,
      PULSE_ALT_BASE_URL: `http://localhost:${altPort}`,
      PULSE_SOURCES: DEMO_PULSE_SOURCES,
      PULSE_ALLOWED_ORIGINS: `${site.origin},http://localhost:${demoPort}`,
      PORT: String(bffPort),
      PULSE_ADMIN_PORT: String(adminPort),
      ...bffEnv,
    },
    readyUrl: `${bffUrl}/readyz`,
    logFolder,
  });
  return {
    bffUrl,
    serviceUrl,
    site,
    demoPort: Number(demoPort),
    secrets,
    async stopService() {
      await service?.stop();
      service = undefined;
    },
    async startService() {
      service ??= await openService();
    },
    async close() {
      await Promise.all([bff.stop(), service?.stop(), site.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Fills a new database with the demo pulses; returns a key to them, and the e-mail of its account. */
async function fillService(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ key: string; email: string }> {
  const { file, document } = await buildDemo({ folder: join(folder, 'demo') });
  const imported = ask(process.execPath, [SERVICE_MAIN, 'import', file], env);
  if (!imported.ok) throw new Error(`Cannot import the demo pulses: ${imported.stderr}`);
  const created = ask(process.execPath, [SERVICE_MAIN, 'keys', 'create', '--account', DEMO_ACCOUNT_ID], env);
  if (!created.ok) throw new Error(`Cannot make a key: ${created.stderr}`);
  const email = document.accounts.find(({ id }) => id === DEMO_ACCOUNT_ID)?.email;
  if (email === undefined) throw new Error('The demo has no account');
  return { key: created.stdout, email };
}
