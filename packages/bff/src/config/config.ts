import {
  givenVariables,
  type Settings,
  type SettingsOf,
  unknownVariableWarnings,
  type Variables,
  variables,
  type VariableTable,
} from './variables.ts';
import type { z } from 'zod';
import { canBePrivate, isPlainHttp } from '../lib/ip-address.ts';

type Refuse = (name: string, message: string) => void;

/** The complete, checked configuration from the environment. Durations are in ms. */
export type Config = Readonly<ReturnType<typeof configOf>> & {
  /** The values of the variables that features read, by name. */
  readonly featureSettings: SettingsOf<VariableTable>;
  /** Warnings for the operator: unknown variables, and settings with a risk or a cost. One line each. */
  readonly warnings: readonly string[];
};

/** The configuration without secrets: it lacks the API key and the settings of features. */
export type AppConfig = Omit<Config, 'apiKey' | 'featureSettings'>;

export function withoutSecrets({ apiKey: _key, featureSettings: _settings, ...appConfig }: Config): AppConfig {
  return appConfig;
}

/**
 * The configuration is invalid. Each line describes one error. The line names the variable. It never contains the
 * variable's value, with one exception: the absolute path of a missing file.
 */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the configuration from `environment`. Throws a `ConfigError` that lists every error. An empty variable counts
 * as unset.
 */
export function readConfig(environment: Variables, featureVariables: VariableTable): Config {
  const faults: string[] = [];
  const refuse: Refuse = (name, message) => faults.push(`${name}: ${message}`);
  const given = givenVariables(environment);
  const settings = settingsOf(given, variables, refuse);
  const featureSettings = settingsOf(given, featureVariables, refuse);
  refuseContradictions({ ...settings, ...featureSettings }, refuse);
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') faults.push(TLS_FAULT);
  if (faults.length > 0) throw new ConfigError(faults);
  const unknown = unknownVariableWarnings(environment, featureVariables);
  const warnings = [...unknown, ...plainHttpBases(settings).map(plainHttpWarning)];
  return { ...configOf(settings as Settings), featureSettings, warnings };
}

const TLS_FAULT = 'NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, because anyone on the network could then read the key';

/** Reads only the variables in `table`, for commands that don't need other variables. Throws `ConfigError`. */
export function readSettings<Table extends VariableTable>(environment: Variables, table: Table): SettingsOf<Table> {
  const faults: string[] = [];
  const refuse: Refuse = (name, message) => faults.push(`${name}: ${message}`);
  const settings = settingsOf(givenVariables(environment), table, refuse);
  if (faults.length > 0) throw new ConfigError(faults);
  return settings as SettingsOf<Table>;
}

/** Each variable is read separately, so that one error doesn't hide another. Invalid variables are left out. */
function settingsOf<Table extends VariableTable>(
  given: Variables,
  table: Table,
  refuse: Refuse,
): Partial<SettingsOf<Table>> {
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(table)) {
    const read = schema.safeParse(given[name]);
    if (read.success) settings[name] = read.data;
    else refuse(name, messageOf(read.error));
  }
  return settings as Partial<SettingsOf<Table>>;
}

/** The first error of a variable. For a list, the message contains the position of the invalid item. */
function messageOf({ issues: [issue] }: z.ZodError): string {
  const [at] = issue?.path ?? [];
  return `${typeof at === 'number' ? `item ${at + 1} ` : ''}${issue?.message ?? 'is not valid'}`;
}

/** The address that readers use: `PULSE_PUBLIC_URL`, or a localhost address with `PORT`. */
export function publicUrlOf(settings: Pick<Settings, 'PULSE_PUBLIC_URL' | 'PORT'>): string {
  return settings.PULSE_PUBLIC_URL ?? `http://localhost:${settings.PORT}`;
}

function configOf(settings: Settings) {
  return {
    apiKey: settings.PULSE_API_KEY,
    baseUrl: settings.PULSE_BASE_URL,
    altBaseUrl: settings.PULSE_ALT_BASE_URL,
    port: settings.PORT,
    host: settings.HOST,
    publicUrl: publicUrlOf(settings),
    hasPublicUrl: settings.PULSE_PUBLIC_URL !== undefined,
    allowedOrigins: settings.PULSE_ALLOWED_ORIGINS,
    sources: settings.PULSE_SOURCES,
    expose: new Set(settings.PULSE_EXPOSE),
    cacheScope: settings.PULSE_CACHE,
    access: settings.PULSE_ACCESS,
    reloadMs: settings.PULSE_KEY_RELOAD_MS,
    rateLimit: settings.PULSE_RATE_LIMIT,
    rateWindowMs: settings.PULSE_RATE_WINDOW_MS,
    rateReserve: settings.PULSE_RATE_RESERVE,
    freshForMs: settings.PULSE_FRESH_MS,
    staleForMs: settings.PULSE_STALE_MS,
    authStaleForMs: settings.PULSE_AUTH_STALE_MS,
    upstreamTimeoutMs: settings.PULSE_UPSTREAM_TIMEOUT_MS,
    clientRatePerMinute: settings.PULSE_CLIENT_RATE,
    proxyTrust: settings.TRUST_PROXY,
    drainMs: settings.PULSE_DRAIN_MS,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Rejects values that conflict with each other. Variables that were already rejected are not in `settings`. */
function refuseContradictions(settings: Partial<Settings> & Readonly<Record<string, unknown>>, refuse: Refuse): void {
  const { PULSE_API_KEY: key, PULSE_ACCESS: access, PULSE_TOKEN_KEYS_FILE: tokenKeysFile, PORT: port } = settings;
  const { PULSE_RATE_LIMIT: limit = Infinity, PULSE_RATE_RESERVE: reserve = 0 } = settings;
  for (const { name, hostname } of plainHttpBases(settings))
    if (settings.PULSE_ALLOW_HTTP_UPSTREAM !== true || !canBePrivate(hostname)) refuse(name, PLAIN_HTTP_FAULT);
  if ('PULSE_API_KEY' in settings && key === undefined && settings['PULSE_API_KEY_FILE'] === undefined)
    refuse('PULSE_API_KEY', KEY_MISSING);
  if (access === 'token' && tokenKeysFile === undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', 'is required when PULSE_ACCESS is token');
  if (access === 'token' && settings.PULSE_ALLOWED_ORIGINS === '*')
    refuse('PULSE_ALLOWED_ORIGINS', 'must not be * when PULSE_ACCESS is token');
  // An operator who sets token keys wants to keep readers out. A forgotten or misspelled PULSE_ACCESS must not let
  // everyone in.
  if (access === 'public' && tokenKeysFile !== undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', 'must not be set unless PULSE_ACCESS is token');
  if (reserve >= limit) refuse('PULSE_RATE_RESERVE', 'must be less than PULSE_RATE_LIMIT; otherwise no calls are left');
  if (port !== undefined && port !== 0 && settings['PULSE_ADMIN_PORT'] === port)
    refuse('PULSE_ADMIN_PORT', 'must differ from PORT');
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && settings[`${name}_FILE`] !== undefined)
      refuse(`${name}_FILE`, `must not be set together with ${name}`);
}

/** The service's URLs that the key would be sent to unencrypted. */
function plainHttpBases(settings: Partial<Settings>): { name: string; hostname: string }[] {
  return (['PULSE_BASE_URL', 'PULSE_ALT_BASE_URL'] as const).flatMap((name) => {
    const url = URL.parse(settings[name] ?? '');
    return url !== null && isPlainHttp(url) ? [{ name, hostname: url.hostname }] : [];
  });
}

function plainHttpWarning({ name }: { readonly name: string }): string {
  return `${name} uses http: (PULSE_ALLOW_HTTP_UPSTREAM), so anyone on the network can read the key`;
}

/** The error if no variable provides the API key. */
export const KEY_MISSING = 'is required (or PULSE_API_KEY_FILE)';

const PLAIN_HTTP_FAULT =
  'must be https: (http: on a loopback host, or at a private address with PULSE_ALLOW_HTTP_UPSTREAM=true)';
