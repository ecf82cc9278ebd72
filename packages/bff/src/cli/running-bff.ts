import { z } from 'zod';
import { ConfigError, KEY_MISSING, readConfig, readSettings } from '../config/config.ts';
import { givenVariables, type Variables } from '../config/variables.ts';
import { type PrivatePortSettings, privatePortVariables } from '../features/private-port/private-port.ts';
import { FEATURE_VARIABLES } from '../features.ts';
import { reachable } from './health.ts';

/** How long a running BFF may take to answer, in ms. */
const TIMEOUT_MS = 10_000;

/** The part of `/status` that the report contains. */
const statusSchema = z.object({
  version: z.string(),
  key: z.object({ state: z.enum(['untried', 'accepted', 'refused']), missingScope: z.string().optional() }),
  keyExpiry: z.object({ day: z.string(), inDays: z.number(), isGuess: z.boolean() }).nullable(),
  list: z.object({ freshness: z.string() }),
  unreadableRows: z.number(),
  sources: z.array(
    z.object({
      sourceId: z.string(),
      name: z.string().nullable(),
      provider: z.string().nullable(),
      status: z.string().nullable(),
    }),
  ),
  hosts: z.array(
    z.object({
      host: z.enum(['main', 'alt']),
      state: z.enum(['closed', 'degraded', 'open', 'half-open']),
      lastAnswerAt: z.string().nullable(),
      failure: z.looseObject({ kind: z.string() }).nullable(),
    }),
  ),
  budget: z.object({ limit: z.number(), spent: z.number(), others: z.number() }),
  problems: z.array(z.object({ headline: z.string(), advice: z.string() })),
});

/** The settings of the BFF, as its Studio receives them. */
const settingsSchema = z.object({
  publicUrl: z.string(),
  allowedOrigins: z.union([z.literal('*'), z.array(z.string())]),
  ownOrigins: z.array(z.string()),
  access: z.enum(['public', 'token']),
  images: z.object({ mode: z.enum(['direct', 'proxy']), hosts: z.array(z.string()) }),
  script: z.object({ integrity: z.string() }).nullable(),
});

/** A BFF that answers on its private port, with its status and settings. */
export interface RunningBff {
  readonly url: string;
  readonly status: z.output<typeof statusSchema>;
  readonly settings: z.output<typeof settingsSchema>;
  /** Requests JSON from the private port. Rejects if the response's status isn't 200. */
  readonly ask: (path: string, body?: object) => Promise<unknown>;
}

/**
 * Returns the running BFF that a command asks: the BFF at `given` (`--bff`). Without `given`, if `environment` lacks
 * required variables, returns the BFF on this machine's private port. Undefined if the command uses the variables
 * instead. Throws `ConfigError` if no BFF answers.
 */
export async function runningBffFor(environment: Variables, given?: string): Promise<RunningBff | undefined> {
  const missing = missingVariables(environment);
  if (given === undefined && missing.length === 0) return undefined;
  const faults = given === undefined ? configFaults(environment) : [];
  if (faults.length > missing.length) throw new ConfigError(faults);
  const url = given === undefined ? localUrl(environment) : addressIn(given);
  try {
    return await openRunningBff(url);
  } catch (error) {
    const reason = `No BFF answers at ${url} (${reasonOf(error)})`;
    const advice =
      given === undefined ? ': set these variables, or pass the address of a BFF’s private port with --bff URL' : '';
    throw new ConfigError([...missing, reason + advice]);
  }
}

/** Every error of `environment`. */
function configFaults(environment: Variables): readonly string[] {
  try {
    readConfig(environment, FEATURE_VARIABLES);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** One error for each required variable that `environment` lacks. */
function missingVariables(environment: Variables): string[] {
  const given = givenVariables(environment);
  return [
    ...('PULSE_API_KEY' in given || 'PULSE_API_KEY_FILE' in given ? [] : [`PULSE_API_KEY: ${KEY_MISSING}`]),
    ...('PULSE_BASE_URL' in given ? [] : ['PULSE_BASE_URL: is required']),
  ];
}

async function openRunningBff(url: string): Promise<RunningBff> {
  const ask = (path: string, body?: object): Promise<unknown> => askFor(url + path, body);
  const [status, settings] = [await ask('/status'), await ask('/studio/api/config')];
  return { url, status: statusSchema.parse(status), settings: settingsSchema.parse(settings), ask };
}

async function askFor(address: string, body?: object): Promise<unknown> {
  const response = await fetch(address, {
    // The header that the Studio's own pages send. Without this header, the private port refuses to return data.
    headers: { 'X-Pulse-Studio': '1', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return response.json();
  await response.body?.cancel();
  throw new StatusError(response.status);
}

class StatusError extends Error {
  constructor(status: number) {
    const name = 'it returned 403: use a loopback address, or add the host name to that BFF’s PULSE_ADMIN_HOSTS';
    super(status === 403 ? name : `it returned ${status}: is this the private port, PULSE_ADMIN_PORT?`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'something else does';
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in 10 seconds';
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? 'no answer';
}

function localUrl(environment: Variables): string {
  const { PULSE_ADMIN_HOST, PULSE_ADMIN_PORT } = privatePortVariables;
  return privatePortUrl(readSettings(environment, { PULSE_ADMIN_HOST, PULSE_ADMIN_PORT }));
}

/** The address of the private port with these settings, for this machine. */
export function privatePortUrl({
  PULSE_ADMIN_HOST: host,
  PULSE_ADMIN_PORT: port,
}: Omit<PrivatePortSettings, 'PULSE_ADMIN_HOSTS'>): string {
  return `http://${reachable(host)}:${port}`;
}

function addressIn(given: string): string {
  const url = /^https?:\/\//i.test(given) ? URL.parse(given) : null;
  if (url === null || url.username + url.password + url.search + url.hash !== '')
    throw new ConfigError(['--bff: must be the address of a private port, such as http://127.0.0.1:4021']);
  return url.href.replace(/\/+$/, '');
}
