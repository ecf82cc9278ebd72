import { isIP } from 'node:net';
import { RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import { z } from 'zod';
import { closestMatch } from 'leven';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Every variable for the commands that need only the database, with its default. The configuration page in the docs is
 * generated from this object and the next one.
 */
export const databaseVariables = z.object({
  PULSE_DATA_DIR: z.string().default('.data').meta({
    description: 'Folder of the embedded SQLite database; not used with `DATABASE_URL`',
    type: 'path of a folder',
    example: '/var/lib/pulse-service',
  }),
  DATABASE_URL: z
    .string()
    .refine((raw) => /^postgres(ql)?:\/\//.test(raw) && URL.canParse(raw), 'must be a postgres:// URL')
    .optional()
    .meta({
      description: 'The PostgreSQL database to use instead of SQLite: `postgres://user:password@host:5432/name`',
      type: 'URL',
      example: 'postgres://user:password@db:5432/pulse',
    }),
});

/** Every variable for `serve`, with its default. */
export const serveVariables = z.object({
  ...databaseVariables.shape,
  HOST: z.string().default('0.0.0.0').meta({
    description: 'IP address or host name to listen on',
    type: 'IP address or host name',
    example: '127.0.0.1',
  }),
  PORT: port(4010, 'Port of the first host, or 0 for a free port'),
  ALT_PORT: port(4011, 'Port of the second host, or 0 for a free port'),
  PUBLIC_URL: webAddress().optional().meta({
    description: 'The base URL of images. Default: `http://localhost:` followed by `PORT`',
    type: 'URL',
    example: 'https://api.example.com',
  }),
  PULSE_ADMIN_URL: webAddress().optional().meta({
    description: 'The prefix of a source’s `link`. Default: `PUBLIC_URL` followed by `/admin`',
    type: 'URL',
    example: 'https://dashboard.example.com',
  }),
  PULSE_RATE_LIMIT: integer(1, 10_000, RATE_LIMIT, {
    description:
      'Calls that a key can make in a window (60 in the specification). Each route that doesn’t need a key allows ten times as many requests per client IP address',
    type: 'whole number of calls',
  }),
  PULSE_RATE_WINDOW_MS: integer(100, 3_600_000, RATE_WINDOW_MS, {
    description: 'Length of the window in milliseconds (a minute in the specification)',
    type: 'whole number, in ms',
  }),
  TRUST_PROXY: z
    .string()
    .refine(isProxyTrust, 'must be off, a hop count, or IP addresses and CIDR ranges, comma-separated')
    .transform(asProxyTrust)
    .optional()
    .meta({
      description: 'Proxies in front of the service: a hop count, comma-separated IP addresses, or `off`',
      type: 'a number of proxies, or CIDR ranges, comma-separated',
      example: '1',
    }),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .meta({
      description: 'Minimum severity of log lines',
      type: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, or `silent`',
      example: 'debug',
    }),
});

/** The settings for commands that need only the database. */
export interface DatabaseConfig {
  dataDir: string;
  databaseUrl: string | undefined;
}

/** The settings for `serve`. */
export interface ServeConfig extends DatabaseConfig {
  host: string;
  port: number;
  altPort: number;
  /** The URL without a trailing slash. Undefined while the port is unknown. */
  publicUrl: string | undefined;
  adminUrl: string | undefined;
  rateLimit: number;
  rateWindowMs: number;
  trustProxy: number | string[] | undefined;
  logLevel: (typeof LOG_LEVELS)[number];
}

/** The environment has errors. Each is one line that names the variable but never contains its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Reads the data's location from the environment. Throws `ConfigError`. */
export function readDatabaseConfig(env: NodeJS.ProcessEnv): DatabaseConfig {
  const { PULSE_DATA_DIR, DATABASE_URL } = parse(databaseVariables, env);
  return { dataDir: PULSE_DATA_DIR, databaseUrl: DATABASE_URL };
}

/** Reads everything that `serve` needs from the environment. Throws `ConfigError`. */
export function readServeConfig(env: NodeJS.ProcessEnv): ServeConfig {
  const read = parse(serveVariables, env);
  if (read.PORT !== 0 && read.PORT === read.ALT_PORT) throw new ConfigError(['ALT_PORT: must differ from PORT']);
  return {
    dataDir: read.PULSE_DATA_DIR,
    databaseUrl: read.DATABASE_URL,
    host: read.HOST,
    port: read.PORT,
    altPort: read.ALT_PORT,
    publicUrl: read.PUBLIC_URL,
    adminUrl: read.PULSE_ADMIN_URL,
    rateLimit: read.PULSE_RATE_LIMIT,
    rateWindowMs: read.PULSE_RATE_WINDOW_MS,
    trustProxy: read.TRUST_PROXY,
    logLevel: read.LOG_LEVEL,
  };
}

/** Every variable that the service reads. */
const NAMES = Object.keys(serveVariables.shape);

/** Variables that other programs also use. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['HOST', 'PORT']);

/**
 * One line for each unknown variable that begins with `PULSE_` or nearly matches an unset variable of ours, with the
 * nearest name. All Kubernetes service links share one line. If the environment also configures a BFF (it contains
 * `PULSE_BASE_URL`), only near matches are reported. Never contains a value.
 */
export function unknownVariableWarnings(env: NodeJS.ProcessEnv): string[] {
  const unknown = Object.keys(env).filter((name) => !NAMES.includes(name));
  const [link, ...others] = unknown.filter((name) => isServiceLink(name, env[name]));
  const lines = unknown.flatMap((name) => {
    if (isServiceLink(name, env[name])) return [];
    const nearest =
      name.startsWith('PULSE_') && !('PULSE_BASE_URL' in env) ? closestMatch(name, NAMES) : nearMissOf(name, env);
    return nearest === undefined ? [] : [`${name} isn’t a variable of pulse-service; did you mean ${nearest}?`];
  });
  if (link === undefined) return lines;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return [
    ...lines,
    `${link}${more}: ignored, because Kubernetes sets it for a Service; enableServiceLinks: false removes it`,
  ];
}

/** The service's unset variable that a name nearly matches. */
function nearMissOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const unset = NAMES.filter((each) => !(each in env) && !COMMON_NAMES.has(each));
  return unset.find((each) => closestMatch(name, [each], { maxDistance: Math.floor(each.length / 5) }));
}

/**
 * A Kubernetes service link: `PULSE_X_SERVICE_HOST`, `PULSE_X_PORT=tcp://…`, `PULSE_X_PORT_4010_TCP_ADDR`, and similar
 * names.
 */
function isServiceLink(name: string, value = ''): boolean {
  if (!name.startsWith('PULSE_')) return false;
  if (/_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value);
}

function parse<Shape extends z.ZodObject>(variables: Shape, env: NodeJS.ProcessEnv): z.infer<Shape> {
  const read = variables.safeParse(withoutEmpty(env));
  if (read.success) return read.data;
  throw new ConfigError(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}

/** An empty variable is treated as unset, because shells and compose files can't always omit a variable. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
}

function port(fallback: number, description: string) {
  return integer(0, 65_535, fallback, { description, type: 'port' }, 'must be a port, from 0 to 65535');
}

function integer(
  min: number,
  max: number,
  fallback: number,
  facts: { readonly description: string; readonly type: string },
  rule = `must be a whole number from ${min} to ${max}`,
) {
  return z
    .string()
    .regex(/^\d{1,8}$/, rule)
    .transform(Number)
    .refine((number) => number >= min && number <= max, rule)
    .default(fallback)
    .meta({ ...facts, range: [min, max], example: String(fallback) });
}

function webAddress() {
  return z
    .string()
    .refine(isWebAddress, 'must be an http: or https: URL without username, query, or fragment')
    .transform((raw) => raw.replace(/\/+$/, ''));
}

function isWebAddress(raw: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(raw) || !URL.canParse(raw)) return false;
  const { username, password, search, hash } = new URL(raw);
  return `${username}${password}${search}${hash}` === '' && !/[?#]/.test(raw);
}

function isProxyTrust(raw: string): boolean {
  return /^(?:off|\d{1,2})$/.test(raw) || raw.split(',').every((part) => isAddressOrRange(part.trim()));
}

function isAddressOrRange(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function asProxyTrust(raw: string): number | string[] {
  if (raw === 'off') return 0;
  return /^\d{1,2}$/.test(raw) ? Number(raw) : raw.split(',').map((part) => part.trim());
}
