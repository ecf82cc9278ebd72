import type { ExposableField } from '@pulse-card/contract';
import type { z } from 'zod';
import { unknownVariableWarnings } from './config/names.ts';
import { configSchema } from './config/variables.ts';
import { canBePrivate, isPlainHttp } from './lib/ip-address.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { ConfigError, readSecretLine } from './lib/secret-file.ts';

export type { ProxyTrust } from './config/values.ts';
export { configSchema } from './config/variables.ts';
export { ConfigError } from './lib/secret-file.ts';

/** The name of a variable. */
export type VariableName = keyof typeof configSchema.shape;

/** An environment's variables. Unset variables are undefined. */
export type Variables = Readonly<Record<string, string | number | boolean | null | undefined>>;

type Settings = z.output<typeof configSchema>;

/** The complete, checked configuration from the environment. Durations are in ms. */
export type Config = Readonly<ReturnType<typeof configOf>>;

/** What every part of the BFF can use. */
export interface Base {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
}

/** A variable, and what's wrong with it. */
type Fault = readonly [name: string, message: string];

const MISSING = 'is required';

/**
 * Reads the configuration from `environment`. Throws a `ConfigError` that lists every error. An empty variable counts
 * as unset. A mounted router (`isMounted`) doesn't open ports, and browsers always revalidate its responses.
 */
export function readConfig(environment: Variables, { isMounted = false } = {}): Config {
  const given = givenVariables({ ...environment, ...(isMounted && UNUSED) });
  const { settings, faults } = readEach(given, NAMES);
  faults.push(...contradictionsIn(settings));
  if (given['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') faults.push(['NODE_TLS_REJECT_UNAUTHORIZED', TLS_FAULT]);
  const unknown = unknownVariables(given);
  if (faults.length > 0) {
    const isIncomplete = faults.every(([, message]) => message.startsWith(MISSING));
    // The cause might be a misspelled name.
    throw new ConfigError([...faults.map((fault) => fault.join(': ')), ...unknown], { isIncomplete });
  }
  const plainHttp = plainHttpBases(settings).map(
    ({ name }) => `${name} uses http: (PULSE_ALLOW_HTTP_UPSTREAM), so anyone on the network can read the key`,
  );
  return configOf(settings as Settings, { isMounted, warnings: [...unknown, ...plainHttp] });
}

/**
 * Variables that a mounted router doesn't use. `PORT` might be the application's, and it might equal the default of
 * `PULSE_ADMIN_PORT`.
 */
const UNUSED: Variables = { HOST: '', PULSE_ADMIN_PORT: '0', PULSE_ADMIN_HOST: '', PULSE_ADMIN_HOSTS: '' };

const TLS_FAULT = 'must not be 0, because anyone on the network could then read the key';

/** Reads only these variables, for commands that don't need any others. Throws `ConfigError`. */
export function readVariables<const Name extends VariableName>(environment: Variables, ...names: readonly Name[]) {
  const { settings, faults } = readEach(givenVariables(environment), names);
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => fault.join(': ')));
  return settings as Pick<Settings, Name>;
}

/** Secrets, each of which can be in a variable or in the only line of a file. */
const SECRETS = ['PULSE_API_KEY', 'REDIS_URL', 'PULSE_ALERT_URL'] as const;

/**
 * A secret: the value of its variable, or the line in the file at `path`. Rejects with a `ConfigError` if the file can't
 * be read or its line isn't valid.
 */
export async function readSecret<Name extends (typeof SECRETS)[number]>(
  name: Name,
  value: Settings[Name],
  path: string | undefined,
): Promise<Settings[Name]> {
  if (path === undefined) return value;
  const { data, error } = configSchema.shape[name].safeParse(await readSecretLine(`${name}_FILE`, path));
  if (error) throw new ConfigError([`${name}_FILE: the line in the file ${messageOf(error)}`]);
  return data as Settings[Name];
}

/** One line for each variable with an unknown name. */
export function unknownVariables(environment: Variables): string[] {
  return unknownVariableWarnings(Object.keys(givenVariables(environment)), NAMES);
}

/** The URL that readers use: `PULSE_PUBLIC_URL`, or a localhost URL with `PORT`. */
export function publicUrlOf(settings: Pick<Settings, 'PULSE_PUBLIC_URL' | 'PORT'>): string {
  return settings.PULSE_PUBLIC_URL ?? `http://localhost:${settings.PORT}`;
}

const NAMES = Object.keys(configSchema.shape) as VariableName[];

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/** The variables that are set. As with curl, the lowercase spelling of a proxy variable takes precedence. */
function givenVariables(environment: Variables): Readonly<Record<string, string>> {
  const lower = PROXIES.map((name) => [name, environment[name.toLowerCase()] ?? environment[name]] as const);
  const entries = Object.entries({ ...environment, ...Object.fromEntries(lower) });
  // Untyped code may pass a port as a number.
  const texts = entries.map(([name, value]) => [name, String(value ?? '')] as const);
  return Object.fromEntries(texts.filter(([, text]) => text.trim() !== ''));
}

/** Reads each variable separately, so that one error doesn't hide another. Invalid variables are omitted. */
function readEach(given: Readonly<Record<string, string>>, names: readonly VariableName[]) {
  const settings: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const name of names) {
    const { success, data, error } = configSchema.shape[name].safeParse(given[name]);
    if (success) settings[name] = data;
    else faults.push([name, messageOf(error)]);
  }
  return { settings: settings as Partial<Settings>, faults };
}

/** The first error in a variable. For a list, it includes the invalid item's position. */
function messageOf({ issues: [issue] }: z.ZodError): string {
  const [at] = issue?.path ?? [];
  return `${typeof at === 'number' ? `item ${at + 1} ` : ''}${issue?.message ?? 'isn’t valid'}`;
}

/** Finds conflicting values. Variables that were already rejected aren't in `settings`. */
function contradictionsIn(settings: Partial<Settings>): Fault[] {
  const { PULSE_ACCESS: access, PULSE_TOKEN_KEYS_FILE: keysFile, PORT: port, PULSE_API_KEY_FILE: keyFile } = settings;
  const { PULSE_RATE_LIMIT: limit = Infinity, PULSE_RATE_RESERVE: reserve = 0 } = settings;
  const hasNoKey = 'PULSE_API_KEY' in settings && (settings.PULSE_API_KEY ?? keyFile) === undefined;
  const isSamePort = Boolean(port) && settings.PULSE_ADMIN_PORT === port;
  const isOpen = settings.PULSE_ALLOWED_ORIGINS === '*';
  const isAllowed = (hostname: string) => settings.PULSE_ALLOW_HTTP_UPSTREAM === true && canBePrivate(hostname);
  const exposed = plainHttpBases(settings).filter(({ hostname }) => !isAllowed(hostname));
  const twice = SECRETS.filter((name) => settings[name] !== undefined && settings[`${name}_FILE`] !== undefined);
  const rules: readonly (readonly [isBroken: boolean, ...fault: Fault])[] = [
    [hasNoKey, 'PULSE_API_KEY', `${MISSING} (or PULSE_API_KEY_FILE)`],
    [access === 'token' && keysFile === undefined, 'PULSE_TOKEN_KEYS_FILE', `${MISSING} when PULSE_ACCESS is token`],
    [access === 'token' && isOpen, 'PULSE_ALLOWED_ORIGINS', 'must not be * when PULSE_ACCESS is token'],
    // An operator who configures token keys wants to restrict access. A forgotten or misspelled PULSE_ACCESS must not
    // let everyone in.
    [access === 'public' && keysFile !== undefined, 'PULSE_TOKEN_KEYS_FILE', KEYS_FAULT],
    [reserve >= limit, 'PULSE_RATE_RESERVE', 'must be less than PULSE_RATE_LIMIT; otherwise no calls are left'],
    [isSamePort, 'PULSE_ADMIN_PORT', 'must differ from PORT'],
  ];
  return [
    ...exposed.map(({ name }): Fault => [name, PLAIN_HTTP_FAULT]),
    ...rules.flatMap(([isBroken, ...fault]) => (isBroken ? [fault] : [])),
    ...twice.map((name): Fault => [`${name}_FILE`, `must not be set together with ${name}`]),
  ];
}

const KEYS_FAULT = 'must not be set unless PULSE_ACCESS is token';
const PLAIN_HTTP_FAULT =
  'must be https: (http: on a loopback host, or at a private address with PULSE_ALLOW_HTTP_UPSTREAM=true)';

/** The service URLs to which the key would be sent unencrypted. */
function plainHttpBases(settings: Partial<Settings>): { name: string; hostname: string }[] {
  return (['PULSE_BASE_URL', 'PULSE_ALT_BASE_URL'] as const).flatMap((name) => {
    const url = URL.parse(settings[name] ?? '');
    return url !== null && isPlainHttp(url) ? [{ name, hostname: url.hostname }] : [];
  });
}

/** For example, `PULSE_API_KEY` becomes `apiKey`. */
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

/** The longest drain. Docker kills a container after 10 s. */
const MAX_DRAIN_MS = 5_000;

function configOf(settings: Settings, more: { isMounted: boolean; warnings: readonly string[] }) {
  const named = Object.entries(settings).map(([variable, value]) => [nameOf(variable), value]);
  return {
    ...(Object.fromEntries(named) as Named),
    expose: new Set<ExposableField>(settings.PULSE_EXPOSE),
    publicUrl: publicUrlOf(settings),
    drainMs: Math.min(settings.PULSE_DRAIN_MS, MAX_DRAIN_MS),
    hasPublicUrl: settings.PULSE_PUBLIC_URL !== undefined,
    proxies: { http: settings.HTTP_PROXY, https: settings.HTTPS_PROXY, no: settings.NO_PROXY },
    ...more,
  };
}
