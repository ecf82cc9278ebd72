import type { ExposableField } from '@pulse-card/contract';
import { z } from 'zod';
import { unknownVariableWarnings } from './config/names.ts';
import { redisUrl, webhookUrl } from './config/values.ts';
import { configSchema, proxySchema } from './config/variables.ts';
import { canBePrivate, isPlainHttp } from './lib/ip-address.ts';
import { ConfigError } from './lib/secret-file.ts';

export type { ProxyTrust } from './config/values.ts';
export { configSchema, factsOf } from './config/variables.ts';
export { ConfigError } from './lib/secret-file.ts';

/** The name of a variable. */
export type VariableName = keyof typeof configSchema.shape;

/** The variables of an environment. Unset variables are undefined. */
export type Variables = Readonly<Record<string, string | undefined>>;

type Settings = z.output<typeof configSchema>;

type Proxies = Partial<z.output<typeof proxySchema>>;

/** The complete, checked configuration from the environment. Durations are in ms. */
export type Config = Readonly<ReturnType<typeof configOf>>;

type Refuse = (name: string, message: string) => unknown;

/**
 * Reads the configuration from `environment`. Throws a `ConfigError` that lists every error. An empty variable counts
 * as unset. A mounted router (`isMounted`) opens no port, and browsers revalidate its responses each time.
 */
export function readConfig(environment: Variables, { isMounted = false } = {}): Config {
  const given = givenVariables(environment, isMounted ? MOUNTED : {});
  const faults: { readonly name: string; readonly message: string }[] = [];
  const refuse: Refuse = (name, message) => void faults.push({ name, message });
  const settings = readEach(configSchema, given, refuse);
  const proxies = readEach(proxySchema, withoutCase(given), refuse);
  refuseContradictions(settings, refuse);
  if (given['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') refuse('NODE_TLS_REJECT_UNAUTHORIZED', TLS_FAULT);
  const unknown = unknownVariableWarnings(Object.keys(given), Object.keys(configSchema.shape));
  if (faults.length > 0) {
    const isIncomplete = faults.every(({ message }) => message.startsWith(MISSING));
    const lines = faults.map(({ name, message }) => `${name}: ${message}`);
    // A misspelled name may be the reason.
    throw new ConfigError([...lines, ...unknown], { isIncomplete });
  }
  const plainHttp = plainHttpBases(settings).map(
    ({ name }) => `${name} uses http: (PULSE_ALLOW_HTTP_UPSTREAM), so anyone on the network can read the key`,
  );
  return configOf(settings as Settings, proxies, { isMounted, warnings: [...unknown, ...plainHttp] });
}

/**
 * What a mounted router doesn't use. `PORT` may be the application's, and may equal the default of `PULSE_ADMIN_PORT`.
 */
const UNUSED = { HOST: '', PULSE_ADMIN_PORT: '0', PULSE_ADMIN_HOST: '', PULSE_ADMIN_HOSTS: '' };
const MOUNTED: Variables = { PULSE_CACHE: 'private', ...UNUSED };

const TLS_FAULT = 'must not be 0, because anyone on the network could then read the key';

/** Reads only these variables, for commands that don't need others. Throws `ConfigError`. */
export function readVariables<const Name extends VariableName>(environment: Variables, ...names: readonly Name[]) {
  const mask = Object.fromEntries(names.map((name) => [name, true])) as { [Each in Name]: true };
  return readAll(configSchema.pick(mask as never), givenVariables(environment)) as Pick<Settings, Name>;
}

/** The URL in the line of a file, such as `REDIS_URL_FILE`. Throws a `ConfigError` if it isn't one. */
export function readUrlLine(name: 'REDIS_URL_FILE' | 'PULSE_ALERT_URL_FILE', line: string) {
  const { data, error } = (name === 'REDIS_URL_FILE' ? redisUrl : webhookUrl).safeParse(line);
  if (data === undefined) throw new ConfigError([`${name}: the line in the file ${error?.issues[0]?.message}`]);
  return data;
}

/** The outgoing proxies, for commands that don't need other variables. Throws `ConfigError`. */
export function readProxies(environment: Variables): Config['proxies'] {
  return proxiesOf(readAll(proxySchema, withoutCase(givenVariables(environment))));
}

function proxiesOf({ HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: no }: Proxies) {
  return { http, https, no };
}

/** One line for each variable with an unknown name. */
export function unknownVariables(environment: Variables): string[] {
  return unknownVariableWarnings(Object.keys(givenVariables(environment)), Object.keys(configSchema.shape));
}

/** The URL that readers use: `PULSE_PUBLIC_URL`, or a localhost URL with `PORT`. */
export function publicUrlOf(settings: Pick<Settings, 'PULSE_PUBLIC_URL' | 'PORT'>): string {
  return settings.PULSE_PUBLIC_URL ?? `http://localhost:${settings.PORT}`;
}

/** The variables that are set. */
function givenVariables(environment: Variables, fixed: Variables = {}): Variables {
  const entries = Object.entries({ ...environment, ...fixed });
  return Object.fromEntries(entries.filter(([, text = '']) => text.trim() !== ''));
}

/** The proxy variables in upper case. As for curl, the lower-case spelling wins. */
function withoutCase(given: Variables): Variables {
  const names = Object.keys(proxySchema.shape);
  return Object.fromEntries(names.map((name) => [name, given[name.toLowerCase()] ?? given[name]]));
}

/** Throws a `ConfigError` with every error. */
function readAll<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, given: Variables) {
  const faults: string[] = [];
  const settings = readEach(schema, given, (name, message) => faults.push(`${name}: ${message}`));
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

/** Reads each variable separately, so that one error doesn't hide another. Invalid variables are omitted. */
function readEach<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  given: Variables,
  refuse: Refuse,
): Partial<z.output<z.ZodObject<Shape>>> {
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const { success, data, error } = z.safeParse(schema, given[name]);
    if (success) settings[name] = data;
    else refuse(name, messageOf(error));
  }
  return settings as Partial<z.output<z.ZodObject<Shape>>>;
}

/** The first error of a variable. For a list, it reports the position of the invalid item. */
function messageOf({ issues: [issue] }: z.core.$ZodError): string {
  const [at] = issue?.path ?? [];
  return `${typeof at === 'number' ? `item ${at + 1} ` : ''}${issue?.message ?? 'isn’t valid'}`;
}

/** Rejects values that conflict with each other. Variables that were already rejected aren't in `settings`. */
function refuseContradictions(settings: Partial<Settings>, refuse: Refuse): void {
  const { PULSE_ACCESS: access, PULSE_TOKEN_KEYS_FILE: tokenKeysFile, PORT: port } = settings;
  const { PULSE_RATE_LIMIT: limit = Infinity, PULSE_RATE_RESERVE: reserve = 0 } = settings;
  for (const { name, hostname } of plainHttpBases(settings))
    if (settings.PULSE_ALLOW_HTTP_UPSTREAM !== true || !canBePrivate(hostname)) refuse(name, PLAIN_HTTP_FAULT);
  if ('PULSE_API_KEY' in settings && (settings.PULSE_API_KEY ?? settings.PULSE_API_KEY_FILE) === undefined)
    refuse('PULSE_API_KEY', `${MISSING} (or PULSE_API_KEY_FILE)`);
  if (access === 'token' && tokenKeysFile === undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', `${MISSING} when PULSE_ACCESS is token`);
  if (access === 'token' && settings.PULSE_ALLOWED_ORIGINS === '*')
    refuse('PULSE_ALLOWED_ORIGINS', 'must not be * when PULSE_ACCESS is token');
  // An operator who sets token keys wants to keep readers out. A forgotten or misspelled PULSE_ACCESS must not let
  // everyone in.
  if (access === 'public' && tokenKeysFile !== undefined)
    refuse('PULSE_TOKEN_KEYS_FILE', 'must not be set unless PULSE_ACCESS is token');
  if (reserve >= limit) refuse('PULSE_RATE_RESERVE', 'must be less than PULSE_RATE_LIMIT; otherwise no calls are left');
  if (port !== undefined && port !== 0 && settings.PULSE_ADMIN_PORT === port)
    refuse('PULSE_ADMIN_PORT', 'must differ from PORT');
  for (const name of ['PULSE_API_KEY', 'REDIS_URL', 'PULSE_ALERT_URL'] as const)
    if (settings[name] !== undefined && settings[`${name}_FILE`] !== undefined)
      refuse(`${name}_FILE`, `must not be set together with ${name}`);
}

/** The URLs of the service that the key would be sent to unencrypted. */
function plainHttpBases(settings: Partial<Settings>): { name: string; hostname: string }[] {
  return (['PULSE_BASE_URL', 'PULSE_ALT_BASE_URL'] as const).flatMap((name) => {
    const url = URL.parse(settings[name] ?? '');
    return url !== null && isPlainHttp(url) ? [{ name, hostname: url.hostname }] : [];
  });
}

const MISSING = 'is required';

const PLAIN_HTTP_FAULT =
  'must be https: (http: on a loopback host, or at a private address with PULSE_ALLOW_HTTP_UPSTREAM=true)';

/** `PULSE_API_KEY` is `apiKey`. */
type NameOf<Variable> = Variable extends `PULSE_${infer Rest}`
  ? NameOf<Rest>
  : Variable extends `${infer First}_${infer Rest}`
    ? `${Lowercase<First>}${Capitalize<NameOf<Rest>>}`
    : Lowercase<Variable & string>;

type Named = { [Variable in VariableName as NameOf<Variable>]: Settings[Variable] };

function nameOf(variable: string): string {
  return variable
    .replace('PULSE_', '')
    .toLowerCase()
    .replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

function configOf(settings: Settings, proxies: Proxies, more: { isMounted: boolean; warnings: readonly string[] }) {
  const named = Object.entries(settings).map(([variable, value]) => [nameOf(variable), value]);
  return {
    ...(Object.fromEntries(named) as Named),
    expose: new Set<ExposableField>(settings.PULSE_EXPOSE),
    publicUrl: publicUrlOf(settings),
    hasPublicUrl: settings.PULSE_PUBLIC_URL !== undefined,
    proxies: proxiesOf(proxies),
    ...more,
  };
}
