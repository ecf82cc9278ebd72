import { join } from 'node:path';
import { configSchema } from '@pulse-card/bff/config';
import { serveVariables } from '@pulse-card/service/config';
import { ROOT } from '../run.ts';
import { START_PORTS, type StartPort } from './addresses.ts';
import type { ServerOptions } from './server-process.ts';

/** The service's program. */
export const SERVICE_MAIN = join(ROOT, 'packages/service/src/main.ts');
const BFF_MAIN = join(ROOT, 'packages/bff/src/main.ts');
const DEMO_MAIN = join(ROOT, 'demo/main.ts');

/** The settings for the servers that `npm start` runs. */
export interface StartPlan {
  readonly ports: Readonly<Record<StartPort, number>>;
  /** The folder for all data from `npm start`. */
  readonly dataFolder: string;
  /** Whether the BFF serves the user's own account instead of the demo service. */
  readonly isHosted: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** The file with the demo's key. */
export function keyFileIn(dataFolder: string): string {
  return join(dataFolder, 'demo.key');
}

/**
 * Variables that every demo service command needs. The last one tells the command that a BFF has the same environment.
 */
export function serviceVariables({ dataFolder, ports }: StartPlan): Record<string, string> {
  const url = urlOf(ports.service);
  return { PULSE_DATA_DIR: join(dataFolder, 'service'), PUBLIC_URL: url, PULSE_BASE_URL: url };
}

/** The names of all variables that `npm start` and its servers read. */
export const VARIABLES: readonly string[] = [
  ...Object.keys({ ...configSchema.shape, ...serveVariables.shape }),
  ...Object.values(START_PORTS).map(({ variable }) => variable),
];

/** The servers' variables whose names don't begin with `PULSE_`. */
const BARE_NAMES: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'HOST',
  'LOG_LEVEL',
  'REDIS_URL',
  'REDIS_URL_FILE',
  'TRUST_PROXY',
]);

/** Variables that don't hold a secret, although their names suggest that they do. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set([
  'PULSE_ADMIN_URL',
  'PULSE_ALT_BASE_URL',
  'PULSE_BASE_URL',
  'PULSE_PUBLIC_URL',
]);

/**
 * The command that starts the same servers again, without the allowed origins, which its user changes. Secrets are
 * omitted because the command is printed.
 */
export function startCommand(env: NodeJS.ProcessEnv): string {
  const set = Object.entries(env).flatMap(([name, value]) => {
    if (!value || name === 'PULSE_ALLOWED_ORIGINS') return [];
    if (!(name.startsWith('PULSE_') && VARIABLES.includes(name)) && !BARE_NAMES.has(name)) return [];
    return `${name}=${isSecret(name) ? '...' : shellWord(value)}`;
  });
  return [...set, 'npm start'].join(' ');
}

/** Whether a variable might hold a secret. */
function isSecret(name: string): boolean {
  return /(?:KEY|PASSWORD|SECRET|TOKEN|URL)S?$/.test(name) && !PUBLIC_NAMES.has(name);
}

function shellWord(text: string): string {
  return /^[\w./:@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The IP address that the servers listen on: this machine only, unless `HOST` is set. */
function hostIn(env: NodeJS.ProcessEnv): string {
  return env['HOST'] || '127.0.0.1';
}

/** The demo service. */
export function serviceServer(plan: StartPlan): ServerOptions {
  const { ports } = plan;
  return {
    name: 'service',
    args: [SERVICE_MAIN, 'serve'],
    env: {
      ...serviceVariables(plan),
      HOST: hostIn(plan.env),
      PORT: String(ports.service),
      ALT_PORT: String(ports.serviceAlt),
    },
    readyUrl: `${urlOf(ports.service)}/healthz`,
    logFolder: join(plan.dataFolder, 'logs'),
  };
}

/** The BFF, in front of the demo service or of the user's own account. */
export function bffServer({ ports, dataFolder, isHosted, env }: StartPlan): ServerOptions {
  const upstream: Record<string, string> = {
    PULSE_API_KEY_FILE: keyFileIn(dataFolder),
    PULSE_BASE_URL: urlOf(ports.service),
    PULSE_ALT_BASE_URL: urlOf(ports.serviceAlt),
    PULSE_EXPOSE: 'connectionCount',
  };
  return {
    name: 'BFF',
    args: [BFF_MAIN, 'serve'],
    env: {
      // The demo shows more sources than the budget can refresh every 15 seconds.
      PULSE_FRESH_MS: env['PULSE_FRESH_MS'] ?? '60000',
      PULSE_ALLOWED_ORIGINS: allowedOrigins(ports.demo, env['PULSE_ALLOWED_ORIGINS']),
      PULSE_STATE_DIR: env['PULSE_STATE_DIR'] ?? join(dataFolder, 'bff'),
      ...(isHosted ? {} : upstream),
      PULSE_HISTORY: env['PULSE_HISTORY'] ?? '30',
      PULSE_WITHHELD_FILE: env['PULSE_WITHHELD_FILE'] ?? join(dataFolder, 'withheld'),
      HOST: hostIn(env),
      PULSE_DRAIN_MS: '0',
      PORT: String(ports.bff),
      PULSE_ADMIN_PORT: String(ports.bffAdmin),
    },
    readyUrl: `${urlOf(ports.bff)}/healthz`,
    logFolder: join(dataFolder, 'logs'),
  };
}

/** The Studio on a separate port. */
export function demoServer({ ports, dataFolder, env }: StartPlan): ServerOptions {
  return {
    name: 'demo',
    args: [DEMO_MAIN],
    env: {
      PULSE_DEMO_PORT: String(ports.demo),
      VITE_PULSE_ADMIN_URL: urlOf(ports.bffAdmin),
      START_COMMAND: startCommand(env),
    },
    readyUrl: urlOf(ports.demo),
    logFolder: join(dataFolder, 'logs'),
  };
}

/** The URL of the server on a port on this machine. */
export function urlOf(port: number): string {
  return `http://localhost:${port}`;
}

/**
 * The user's origins, followed by the demo's. The user's come first, because the BFF reports an invalid origin by its
 * position in the list.
 */
function allowedOrigins(demoPort: number, named: string | undefined): string {
  if (named === '*') return named;
  const demo = [urlOf(demoPort), `http://127.0.0.1:${demoPort}`];
  return [...(named === undefined || named === '' ? [] : [named]), ...demo].join(',');
}
