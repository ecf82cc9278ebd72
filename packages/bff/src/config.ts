import type { SourceRule } from './cache/source-allowlist.ts';
import { EXPOSABLE_FIELDS, RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import { z } from 'zod';
import { closestMatch } from 'leven';
import { printable } from './observability/log.ts';
import type { Secret } from './secret.ts';
import type { ApiKey } from './upstream/api-key.ts';
import { canBePrivate, isPlainHttp } from './upstream/upstream-url.ts';
import {
  baseUrl,
  hostAddress,
  hostName,
  keyText,
  listOf,
  oneOf,
  originList,
  port,
  type ProxyTrust,
  proxyTrust,
  publicUrl,
  redisAddress,
  sourceRule,
  integer,
} from './config-schemas.ts';

/** Longest wait or lifetime that a variable may name: a year, in milliseconds. */
const YEAR_MS = 366 * 86_400_000;

/** The levels of pino, and none at all. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every variable the BFF reads, how it is read, its default where it has one, and what it is for. */
const variables = {
  PULSE_API_KEY: keyText().optional().describe('The key of the service. Required, unless `PULSE_API_KEY_FILE` is set'),
  PULSE_API_KEY_FILE: z.string().optional().describe('A file with the key. Read again when it changes'),
  PULSE_KEY_RELOAD_MS: integer(1, 3_600_000, 5_000).describe(
    'Longest time until a changed file of keys is used, in ms',
  ),
  PULSE_BASE_URL: baseUrl().describe(
    'The address of the service, without `/v1`. Required. `http:` only on loopback, or with `PULSE_ALLOW_HTTP_UPSTREAM`',
  ),
  PULSE_ALLOW_HTTP_UPSTREAM: oneOf(['true', 'false'])
    .default('false')
    .describe('`true` allows `http:` to a service at a private address. The key then travels unencrypted'),
  PULSE_ALT_BASE_URL: baseUrl().optional().describe('The second host of the service, used when the first one fails'),
  PORT: port(4020).describe('The port for readers. 0 takes a free port'),
  HOST: z.string().default('0.0.0.0').describe('The address that `PORT` listens on'),
  PULSE_ADMIN_PORT: port(4021).describe(
    'The private port: status page, Studio, `/status`, `/metrics`. 0 takes a free port',
  ),
  PULSE_ADMIN_HOST: hostAddress()
    .default('127.0.0.1')
    .describe(
      'The address that the private port listens on. Others than loopback are for containers and private networks',
    ),
  PULSE_PUBLIC_URL: publicUrl()
    .optional()
    .describe('The address that readers use. Default: `http://localhost:` and `PORT`'),
  PULSE_ALLOWED_ORIGINS: originList().describe(
    'Origins whose pages may show cards, comma-separated, or `*`. Default: the origin of `PULSE_PUBLIC_URL`',
  ),
  PULSE_SOURCES: sourceRule().describe('Which sources readers may see: `listed`, ids, both (`listed,src_a`), or `any`'),
  PULSE_EXPOSE: listOf(oneOf(EXPOSABLE_FIELDS)).describe(
    `Private fields that readers may see: ${EXPOSABLE_FIELDS.join(', ')}`,
  ),
  PULSE_CACHE: oneOf(['public', 'private'])
    .default('public')
    .describe(
      '`public`: shared caches may store answers. `private`: only browsers may (the default of `createPulseBff`)',
    ),
  PULSE_ACCESS: oneOf(['public', 'token'])
    .default('public')
    .describe('`public`, or `token`: requests need a signed token'),
  PULSE_TOKEN_KEYS_FILE: z
    .string()
    .optional()
    .describe('A file with the keys of tokens. Read again when it changes. Required with `PULSE_ACCESS=token`'),
  PULSE_IMAGES: oneOf(['direct', 'proxy'])
    .default('direct')
    .describe('Where charts load from: `direct` (the CDN) or `proxy` (the BFF)'),
  PULSE_IMAGE_HOSTS: listOf(hostName()).describe(
    'Exact hosts that charts may come from. Required with `PULSE_IMAGES=proxy`',
  ),
  PULSE_RATE_LIMIT: integer(1, 1_000_000, RATE_LIMIT).describe('Calls that the key may make in a window'),
  PULSE_RATE_WINDOW_MS: integer(1, 3_600_000, RATE_WINDOW_MS).describe('Length of the window, in ms'),
  PULSE_RATE_RESERVE: integer(0, 1_000_000, 15).describe(
    'Calls of each window left to other users of the key, `pulse-bff check` among them',
  ),
  PULSE_FRESH_MS: integer(1, YEAR_MS, 15_000).describe('Age at which an answer is refreshed, in ms'),
  PULSE_STALE_MS: integer(0, YEAR_MS, 86_400_000).describe(
    'How long the last answer is served while the service is down, in ms',
  ),
  PULSE_AUTH_STALE_MS: integer(0, YEAR_MS, 600_000).describe(
    'How long the last answer is served while the key is refused, in ms',
  ),
  PULSE_UPSTREAM_TIMEOUT_MS: integer(1, 120_000, 5_000).describe(
    'Deadline of a call, with connection, headers and body, in ms',
  ),
  PULSE_CLIENT_RATE: integer(0, 10_000_000, 600).describe(
    'Requests a minute for each client address. 0 turns the limit off',
  ),
  TRUST_PROXY: proxyTrust().describe('Proxies in front: their number, CIDR ranges, comma-separated, or `off`'),
  PULSE_STATE_DIR: z
    .string()
    .optional()
    .describe('A folder in which the last answers and recent calls survive a restart'),
  REDIS_URL: redisAddress().optional().describe('Redis or Valkey, shared by all instances for cache and budget'),
  LOG_LEVEL: oneOf(LOG_LEVELS)
    .default('info')
    .describe('Least severe line of the log, from `trace` to `fatal`, or `silent`'),
} as const;

/** The name of a variable that the BFF reads. */
export type VariableName = keyof typeof variables;

/** Variables as an environment holds them: text, or absent. */
export type Variables = Readonly<Partial<Record<VariableName | (string & {}), string | undefined>>>;

type Settings = { readonly [Name in VariableName]: z.output<(typeof variables)[Name]> };

type Refuse = (name: VariableName, message: string) => void;

/** Where the key comes from. */
export type KeySource =
  | { readonly kind: 'value'; readonly key: ApiKey }
  | { readonly kind: 'file'; readonly path: string; readonly reloadMs: number };

/** Everything the environment decides, checked, except its secrets. */
export interface AppConfig {
  readonly baseUrl: string;
  readonly altBaseUrl: string | undefined;
  /** Whether a service at a private address may be asked over plain HTTP. */
  readonly allowHttpUpstream: boolean;
  readonly port: number;
  readonly host: string;
  readonly adminPort: number;
  readonly adminHost: string;
  /** No slash at the end. */
  readonly publicUrl: string;
  readonly allowedOrigins: '*' | readonly string[];
  readonly sources: SourceRule;
  readonly expose: ReadonlySet<(typeof EXPOSABLE_FIELDS)[number]>;
  /** Whether shared caches may store answers with data. */
  readonly cacheScope: 'public' | 'private';
  readonly access: 'public' | 'token';
  /** Where the keys of tokens are; undefined where access is public. */
  readonly tokenKeysFile: string | undefined;
  /** How soon a changed file of keys is noticed, in ms. */
  readonly reloadMs: number;
  readonly images: 'direct' | 'proxy';
  readonly imageHosts: readonly string[];
  readonly rateLimit: number;
  readonly rateWindowMs: number;
  readonly rateReserve: number;
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly authStaleForMs: number;
  readonly upstreamTimeoutMs: number;
  readonly clientRatePerMinute: number;
  readonly proxyTrust: ProxyTrust;
  readonly stateDir: string | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** One line for each `PULSE_` variable that is none of this product's. */
  readonly warnings: readonly string[];
}

/** `AppConfig` with its secrets: the upstream's key, and the address of Redis, which may hold a password. */
export interface Config extends AppConfig {
  readonly key: KeySource;
  readonly redis: Secret | undefined;
}

/** The configuration for objects that need no secret. */
export function withoutSecrets({ key: _key, redis: _redis, ...appConfig }: Config): AppConfig {
  return appConfig;
}

/** The environment was refused: one fault a line, each naming its variable and never its value. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the configuration from `environment`, or throws `ConfigError` with every fault. An empty variable is unset; `defaults`
 * stand in for variables that are unset.
 */
export function readConfig(environment: Variables, defaults: Variables = {}): Config {
  const faults: string[] = [];
  const refuse: Refuse = (name, message) => faults.push(`${name}: ${message}`);
  const settings = settingsOf({ ...defaults, ...withoutEmpty(environment) }, refuse);
  refuseContradictions(settings, refuse);
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') faults.push(TLS_FAULT);
  if (faults.length > 0) throw new ConfigError(faults);
  const warnings = [...unknownVariableWarnings(environment), ...plainHttpWarnings(settings)];
  return { ...configOf(settings as Settings), warnings };
}

const TLS_FAULT = 'NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, for then anyone on the way could read the key';

/** Reads some variables alone, for commands that need no others. Throws `ConfigError`. */
export function readSettings<Name extends VariableName>(
  environment: Variables,
  names: readonly Name[],
): Pick<Settings, Name> {
  const faults: string[] = [];
  const given = withoutEmpty(environment);
  const settings = settingsOf(Object.fromEntries(names.map((name) => [name, given[name]])), (name, message) => {
    if (names.includes(name as Name)) faults.push(`${name}: ${message}`);
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return settings as Pick<Settings, Name>;
}

/** Each variable is read on its own, so that one fault hides no other; a refused one is left out. */
function settingsOf(environment: Variables, refuse: Refuse): Partial<Settings> {
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(variables)) {
    const read = schema.safeParse(environment[name]);
    if (read.success) settings[name] = read.data;
    else refuse(name as VariableName, read.error.issues[0]?.message ?? 'is not valid');
  }
  return settings;
}

function withoutEmpty(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== undefined && text.trim() !== ''));
}

/** Variables of this product that the BFF does not read: those of the service and of `npm start`. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'PULSE_ADMIN_URL',
  'PULSE_BFF_PORT',
  'PULSE_DATA_DIR',
  'PULSE_SERVICE_ALT_PORT',
  'PULSE_SERVICE_PORT',
]);

/** One line for each variable that begins with `PULSE_` and is none of this product's; without its value. */
export function unknownVariableWarnings(environment: Variables): string[] {
  const names = Object.keys(withoutEmpty(environment));
  return names
    .filter((name) => name.startsWith('PULSE_') && !(name in variables) && !OTHER_VARIABLES.has(name))
    .map((name) => {
      const nearest = closestMatch(name, Object.keys(variables));
      return `${printable(name)} is not a variable of pulse-bff; the nearest is ${nearest}`;
    });
}

/** Every variable with its default and purpose, for the documentation. */
export function variableTable(): { name: VariableName; fallback: string; purpose: string }[] {
  return Object.entries(variables).map(([name, schema]) => ({
    name: name as VariableName,
    fallback: textOfDefault(schema),
    purpose: schema.description ?? '',
  }));
}

function textOfDefault(schema: z.ZodType): string {
  const inner: unknown = schema instanceof z.ZodPipe ? schema.in : schema;
  return inner instanceof z.ZodDefault ? String(inner.def.defaultValue) : '';
}

function configOf(settings: Settings): Omit<Config, 'warnings'> {
  return {
    key: keySourceOf(settings),
    baseUrl: settings.PULSE_BASE_URL,
    altBaseUrl: settings.PULSE_ALT_BASE_URL,
    allowHttpUpstream: settings.PULSE_ALLOW_HTTP_UPSTREAM === 'true',
    port: settings.PORT,
    host: settings.HOST,
    adminPort: settings.PULSE_ADMIN_PORT,
    adminHost: settings.PULSE_ADMIN_HOST,
    publicUrl: settings.PULSE_PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    allowedOrigins: settings.PULSE_ALLOWED_ORIGINS,
    sources: settings.PULSE_SOURCES,
    expose: new Set(settings.PULSE_EXPOSE),
    cacheScope: settings.PULSE_CACHE,
    access: settings.PULSE_ACCESS,
    tokenKeysFile: settings.PULSE_TOKEN_KEYS_FILE,
    reloadMs: settings.PULSE_KEY_RELOAD_MS,
    images: settings.PULSE_IMAGES,
    imageHosts: settings.PULSE_IMAGE_HOSTS,
    rateLimit: settings.PULSE_RATE_LIMIT,
    rateWindowMs: settings.PULSE_RATE_WINDOW_MS,
    rateReserve: settings.PULSE_RATE_RESERVE,
    freshForMs: settings.PULSE_FRESH_MS,
    staleForMs: settings.PULSE_STALE_MS,
    authStaleForMs: settings.PULSE_AUTH_STALE_MS,
    upstreamTimeoutMs: settings.PULSE_UPSTREAM_TIMEOUT_MS,
    clientRatePerMinute: settings.PULSE_CLIENT_RATE,
    proxyTrust: settings.TRUST_PROXY,
    stateDir: settings.PULSE_STATE_DIR,
    redis: settings.REDIS_URL,
    logLevel: settings.LOG_LEVEL,
  };
}

function keySourceOf(settings: Settings): KeySource {
  if (settings.PULSE_API_KEY !== undefined) return { kind: 'value', key: settings.PULSE_API_KEY };
  return { kind: 'file', path: settings.PULSE_API_KEY_FILE ?? '', reloadMs: settings.PULSE_KEY_RELOAD_MS };
}

function refuseContradictions(settings: Partial<Settings>, refuse: Refuse): void {
  const { PORT, PULSE_RATE_LIMIT: limit = Infinity, PULSE_RATE_RESERVE: reserve = 0 } = settings;
  refusePlainHttp(settings, refuse);
  refuseKeyContradictions(settings, refuse);
  refuseAccessContradictions(settings, refuse);
  if (settings.PULSE_IMAGES === 'proxy' && settings.PULSE_IMAGE_HOSTS?.length === 0) {
    refuse('PULSE_IMAGE_HOSTS', 'is required when PULSE_IMAGES is proxy');
  }
  if (reserve >= limit)
    refuse('PULSE_RATE_RESERVE', 'must be less than PULSE_RATE_LIMIT, else nothing is left to spend');
  if (PORT !== 0 && settings.PULSE_ADMIN_PORT === PORT) refuse('PULSE_ADMIN_PORT', 'must differ from PORT');
}

/** The variables of the service's addresses. */
const BASE_VARIABLES = ['PULSE_BASE_URL', 'PULSE_ALT_BASE_URL'] as const;

const PLAIN_HTTP_FAULT =
  'must be https: (http: on a loopback host, or at a private address with PULSE_ALLOW_HTTP_UPSTREAM=true)';

function refusePlainHttp(settings: Partial<Settings>, refuse: Refuse): void {
  const isAllowed = settings.PULSE_ALLOW_HTTP_UPSTREAM === 'true';
  for (const { name, hostname } of plainHttpBases(settings))
    if (!isAllowed || !canBePrivate(hostname)) refuse(name, PLAIN_HTTP_FAULT);
}

function plainHttpWarnings(settings: Partial<Settings>): string[] {
  return plainHttpBases(settings).map(
    ({ name }) => `${name} is http: (PULSE_ALLOW_HTTP_UPSTREAM): whoever is on the way can read the key`,
  );
}

function plainHttpBases(settings: Partial<Settings>): { name: VariableName; hostname: string }[] {
  return BASE_VARIABLES.flatMap((name) => {
    const url = URL.parse(settings[name] ?? '');
    return url !== null && isPlainHttp(url) ? [{ name, hostname: url.hostname }] : [];
  });
}

function refuseKeyContradictions(settings: Partial<Settings>, refuse: Refuse): void {
  if (!('PULSE_API_KEY' in settings)) return;
  const { PULSE_API_KEY: key, PULSE_API_KEY_FILE: keyFile } = settings;
  if (key === undefined && keyFile === undefined) refuse('PULSE_API_KEY', 'is required (or PULSE_API_KEY_FILE)');
  if (key !== undefined && keyFile !== undefined) refuse('PULSE_API_KEY_FILE', 'must not be set beside PULSE_API_KEY');
}

function refuseAccessContradictions(settings: Partial<Settings>, refuse: Refuse): void {
  const { PULSE_ACCESS: access, PULSE_TOKEN_KEYS_FILE: keysFile, PULSE_ALLOWED_ORIGINS: origins } = settings;
  if (access === 'token' && keysFile === undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', 'is required when PULSE_ACCESS is token');
  if (access === 'token' && origins === '*')
    refuse('PULSE_ALLOWED_ORIGINS', 'must not be * when PULSE_ACCESS is token');
  // Whoever names keys means to keep readers out: a forgotten or misspelt PULSE_ACCESS must not let all in.
  if (access === 'public' && keysFile !== undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', 'must not be set unless PULSE_ACCESS is token');
}
