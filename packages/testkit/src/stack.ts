import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDemo } from '../../../demo/data/build-demo.ts';
import type { ImportDocument } from '../../../demo/data/import-document.ts';
import { DEMO_ACCOUNT_ID, DEMO_PULSE_SOURCES } from '../../../demo/data/demo-ids.ts';
import { ask, ROOT } from '../../../scripts/run.ts';
import { type ChildServer, startChild } from './child-process.ts';
import { freePort } from '../../../scripts/free-port.ts';
import { type HostSite, openHostSite } from './host-site.ts';

const SERVICE_MAIN = join(ROOT, 'packages/service/dist/main.js');
const BFF_MAIN = join(ROOT, 'packages/bff/dist/main.js');

/** All programs between a database and a reader, on free ports of this machine. */
export interface Stack {
  readonly bffUrl: string;
  /** The BFF's private port. */
  readonly adminUrl: string;
  readonly serviceUrl: string;
  readonly site: HostSite;
  /** A port that is reserved for the demo. The BFF allows its origin. */
  readonly demoPort: number;
  /** The service's key and the email address of its account, which no browser may ever see. */
  readonly secrets: { readonly key: string; readonly email: string };
  /** Makes a source deliver a new run with this summary. Returns the run's id. */
  deliver(sourceId: string, summary: string): string;
  /** Stops the service, if it runs. */
  stopService(): Promise<void>;
  /** Starts the service again, if it was stopped. */
  startService(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the service, the BFF, and a host site with the demo pulses. `bffEnv` is added to the BFF's variables. */
export async function startStack(bffEnv: Readonly<Record<string, string>> = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-e2e-'));
  const ports = await Promise.all([1, 2, 3, 4, 5, 6].map(freePort));
  const [servicePort, altPort, bffPort, adminPort, sitePort, demoPort] = ports;
  const serviceUrl = `http://localhost:${servicePort}`;
  const bffUrl = `http://localhost:${bffPort}`;
  const serviceEnv = { PULSE_DATA_DIR: join(folder, 'service'), PUBLIC_URL: serviceUrl };
  const { secrets, document } = await fillService(folder, serviceEnv);
  const site = await openHostSite(Number(sitePort));
  const openService = (): Promise<ChildServer> =>
    startChild({
      title: 'the service',
      args: [SERVICE_MAIN, 'serve'],
      env: { ...process.env, ...serviceEnv, PORT: String(servicePort), ALT_PORT: String(altPort) },
      readyUrl: `${serviceUrl}/healthz`,
    });
  let service: ChildServer | undefined = await openService();
  const bff = await startChild({
    title: 'the BFF',
    args: [BFF_MAIN, 'serve'],
    env: {
      ...process.env,
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
  });
  return {
    bffUrl,
    adminUrl: `http://localhost:${adminPort}`,
    serviceUrl,
    site,
    demoPort: Number(demoPort),
    secrets,
    deliver(sourceId, summary) {
      const before = latestRunOf(sourceId, document);
      const run = {
        ...before,
        id: `${before.id}_next`,
        completedAt: new Date().toISOString(),
        aiSummaryShort: summary,
      };
      document.runs.push(run);
      const file = join(folder, 'demo/delivered.json');
      writeFileSync(file, JSON.stringify(document));
      importDocument(file, serviceEnv);
      return run.id;
    },
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

/** A database with data. */
interface Filled {
  /** A key for its data, and the email address of its account. */
  readonly secrets: Stack['secrets'];
  readonly document: { runs: ImportDocument['runs'][number][] } & Omit<ImportDocument, 'runs'>;
}

/** Fills a new database with the demo pulses. */
async function fillService(folder: string, env: Readonly<Record<string, string>>): Promise<Filled> {
  const { file, document } = await buildDemo({ folder: join(folder, 'demo') });
  importDocument(file, env);
  const created = ask(process.execPath, [SERVICE_MAIN, 'keys', 'create', '--account', DEMO_ACCOUNT_ID], env);
  if (!created.ok) throw new Error(`Cannot make a key: ${created.stderr}`);
  const email = document.accounts.find(({ id }) => id === DEMO_ACCOUNT_ID)?.email;
  if (email === undefined) throw new Error('The demo has no account');
  return { secrets: { key: created.stdout, email }, document: { ...document, runs: [...document.runs] } };
}

function importDocument(file: string, env: Readonly<Record<string, string>>): void {
  const imported = ask(process.execPath, [SERVICE_MAIN, 'import', file], env);
  if (!imported.ok) throw new Error(`Cannot import ${file}: ${imported.stderr}`);
}

function latestRunOf(sourceId: string, { connections, runs }: Filled['document']): ImportDocument['runs'][number] {
  const own = new Set(connections.filter((connection) => connection.sourceId === sourceId).map(({ id }) => id));
  const [latest] = runs
    .filter(({ connectionId, status }) => own.has(connectionId) && status === 'SUCCESS')
    .toSorted((a, b) => (b.completedAt ?? '').localeCompare(a.completedAt ?? ''));
  if (latest === undefined) throw new Error(`Cannot deliver for ${sourceId}: it never had a run`);
  return latest;
}
