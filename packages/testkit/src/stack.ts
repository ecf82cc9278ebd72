import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDemo } from '@pulse-card/demo/data/build-demo';
import type { ImportDocument } from '@pulse-card/demo/data/import-document';
import { DEMO_PULSE_SOURCES } from '@pulse-card/demo/data/cases';
import { DEMO_ACCOUNT_ID } from '@pulse-card/demo/data/demo-ids';
import { ROOT } from './root.ts';
import { ask } from './system/ask.ts';
import { type ChildServer, startChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { type HostSite, openHostSite } from './host-site.ts';

const SERVICE_MAIN = join(ROOT, 'packages/service/dist/main.js');
const BFF_MAIN = join(ROOT, 'packages/bff/dist/main.js');

/** The file next to a filled database that contains its key and document. */
const FILLED_FILE = 'filled.json';

/** All programs between a database and a reader, on free ports on this machine. */
export interface Stack {
  readonly bffUrl: string;
  /** The BFF's admin port. */
  readonly adminUrl: string;
  readonly serviceUrl: string;
  readonly site: HostSite;
  /** A port that is reserved for the demo. The BFF allows its origin. */
  readonly demoPort: number;
  /** The service's key and the email address of its account, which must never reach a browser. */
  readonly secrets: { readonly key: string; readonly email: string };
  /** Adds a new run with this summary to a source. Returns the run's ID. */
  deliver(sourceId: string, summary: string): string;
  /** Stops the service if it is running. */
  stopService(): Promise<void>;
  /** Restarts the service if it was stopped. */
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
  const { secrets, document } = await filledService(folder);
  const dataEnv = { PULSE_DATA_DIR: join(folder, 'service') };
  const site = await openHostSite(Number(sitePort));
  const openService = (): Promise<ChildServer> =>
    startChild({
      title: 'the service',
      args: [SERVICE_MAIN, 'serve'],
      env: { ...process.env, ...dataEnv, PUBLIC_URL: serviceUrl, PORT: String(servicePort), ALT_PORT: String(altPort) },
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
      PULSE_DRAIN_MS: '0',
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
      importDocument(file, dataEnv);
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
  /** A key for its data and the email address of its account. */
  readonly secrets: Stack['secrets'];
  readonly document: { runs: ImportDocument['runs'][number][] } & Omit<ImportDocument, 'runs'>;
}

/**
 * The variable that names a folder with a filled database. `startStack` then copies it, because drawing the charts
 * takes seconds.
 */
const FILLED_VARIABLE = 'E2E_FILLED_SERVICE';

/**
 * Fills a database. All later stacks in this process and its child processes copy this database. Resolves to a function
 * that removes the database.
 */
export async function fillServiceOnce(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-filled-'));
  await fillService(folder);
  process.env[FILLED_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Puts a database with the demo pulses into `folder`. */
async function filledService(folder: string): Promise<Filled> {
  const filled = process.env[FILLED_VARIABLE];
  if (filled === undefined) await fillService(folder);
  else cpSync(filled, folder, { recursive: true });
  return JSON.parse(readFileSync(join(folder, FILLED_FILE), 'utf8')) as Filled;
}

/** Fills a new database in `folder` with the demo pulses. */
async function fillService(folder: string): Promise<void> {
  const env = { PULSE_DATA_DIR: join(folder, 'service') };
  const { file, document } = buildDemo({ folder: join(folder, 'demo') });
  importDocument(file, env);
  const created = ask(process.execPath, [SERVICE_MAIN, 'keys', 'create', '--account', DEMO_ACCOUNT_ID], env);
  if (!created.ok) throw new Error(`Can’t create a key: ${created.stderr}`);
  const email = document.accounts.find(({ id }) => id === DEMO_ACCOUNT_ID)?.email;
  if (email === undefined) throw new Error('The demo has no account');
  writeFileSync(join(folder, FILLED_FILE), JSON.stringify({ secrets: { key: created.stdout, email }, document }));
}

function importDocument(file: string, env: Readonly<Record<string, string>>): void {
  const imported = ask(process.execPath, [SERVICE_MAIN, 'import', file], env);
  if (!imported.ok) throw new Error(`Can’t import ${file}: ${imported.stderr}`);
}

function latestRunOf(sourceId: string, { connections, runs }: Filled['document']): ImportDocument['runs'][number] {
  const own = new Set(connections.filter((connection) => connection.sourceId === sourceId).map(({ id }) => id));
  const [latest] = runs
    .filter(({ connectionId, status }) => own.has(connectionId) && status === 'SUCCESS')
    .toSorted((a, b) => (b.completedAt ?? '').localeCompare(a.completedAt ?? ''));
  if (latest === undefined) throw new Error(`Can’t deliver a run for ${sourceId}: it has no successful run yet`);
  return latest;
}
