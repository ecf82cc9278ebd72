import { EXPOSABLE_FIELDS, RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import type { z } from 'zod';
import { closestMatch } from 'leven';
import {
  baseUrl,
  flag,
  hostAddress,
  keyText,
  listOf,
  oneOf,
  originList,
  port,
  proxyTrust,
  publicUrl,
  sourceRule,
  integer,
} from './schemas.ts';
import { printable } from '../lib/printable.ts';

/** The longest wait or lifetime that a variable may set: a year, in milliseconds. */
const YEAR_MS = 366 * 86_400_000;

/** The log levels of pino, including `silent`. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every variable that the core reads, with its schema, its default, and its description. Features have their own. */
export const variables = {
  PULSE_API_KEY: keyText.optional().describe('The API key of the service. Required unless `PULSE_API_KEY_FILE` is set'),
  PULSE_KEY_RELOAD_MS: integer(1, 3_600_000, 5_000).describe(
    'The maximum time until a changed key file is used, in ms',
  ),
  PULSE_BASE_URL: baseUrl.describe(
    'The address of the service, without `/v1`. Required. `http:` is allowed only for loopback addresses, or with `PULSE_ALLOW_HTTP_UPSTREAM`',
  ),
  PULSE_ALLOW_HTTP_UPSTREAM: flag.describe(
    '`true` allows `http:` to a service at a private address. The key is then sent unencrypted',
  ),
  PULSE_ALT_BASE_URL: baseUrl
    .optional()
    .describe('The second host of the service, which is used if the first one fails'),
  PORT: port(4020).describe('The port for readers. 0 selects a free port'),
  HOST: hostAddress.default('0.0.0.0').describe('The address that `PORT` listens on'),
  PULSE_PUBLIC_URL: publicUrl
    .optional()
    .describe('The address at which readers reach the BFF. Default: `http://localhost:` followed by `PORT`'),
  PULSE_ALLOWED_ORIGINS: originList.describe(
    'Origins whose pages may show cards, comma-separated, or `*`. Default: the origin of `PULSE_PUBLIC_URL`',
  ),
  PULSE_SOURCES: sourceRule.describe(
    'Which sources readers may see: `listed`, ids, or both (`listed,src_a`). Ids in a valid token are allowed, too',
  ),
  PULSE_EXPOSE: listOf(oneOf(EXPOSABLE_FIELDS)).describe(
    `Private fields that readers may see: ${EXPOSABLE_FIELDS.join(', ')}`,
  ),
  PULSE_CACHE: oneOf(['public', 'private'])
    .default('public')
    .describe(
      '`public`: shared caches may store answers. `private`: only browsers may. A mounted router always sends `private, no-cache`',
    ),
  PULSE_ACCESS: oneOf(['public', 'token'])
    .default('public')
    .describe('`public`: requests need no token. `token`: requests need a signed token'),
  PULSE_RATE_LIMIT: integer(1, 1_000_000, RATE_LIMIT).describe(
    'How many calls per window the service allows with the key',
  ),
  PULSE_RATE_WINDOW_MS: integer(1, 3_600_000, RATE_WINDOW_MS).describe('The length of the rate-limit window, in ms'),
  PULSE_RATE_RESERVE: integer(0, 1_000_000, 15).describe(
    'How many calls in each window are left for other users of the key, including `pulse-bff check`',
  ),
  PULSE_FRESH_MS: integer(1, YEAR_MS, 15_000).describe('The age at which an answer is refreshed, in ms'),
  PULSE_STALE_MS: integer(0, YEAR_MS, 86_400_000).describe(
    'How long the last answer is served while the service is down, in ms',
  ),
  PULSE_AUTH_STALE_MS: integer(0, YEAR_MS, 600_000).describe(
    'How long the last answer is served while the key is refused, in ms',
  ),
  PULSE_UPSTREAM_TIMEOUT_MS: integer(1, 120_000, 5_000).describe(
    'The deadline of a call to the service, in ms. It covers the connection, the headers, and the body',
  ),
  PULSE_CLIENT_RATE: integer(0, 10_000_000, 600).describe(
    'How many requests per minute each client address may make. 0 turns the limit off',
  ),
  TRUST_PROXY: proxyTrust.describe(
    'Which proxies in front of the BFF are trusted: their number, their comma-separated CIDR ranges, or `off`',
  ),
  PULSE_DRAIN_MS: integer(0, 600_000, 5_000).describe(
    'How long a stopping server continues to respond after `/readyz` fails, in ms. With 0, the server stops immediately. Docker kills a container 10 s after the signal',
  ),
  LOG_LEVEL: oneOf(LOG_LEVELS)
    .default('info')
    .describe('The least severe level that is logged, from `trace` to `fatal`. `silent` turns the log off'),
} as const;

/** The schemas of variables, by variable name. */
export type VariableTable = Readonly<Record<string, z.ZodType>>;

/** The values of a table's variables. */
export type SettingsOf<Table extends VariableTable> = { readonly [Name in keyof Table]: z.output<Table[Name]> };

/** The variables of an environment. Unset variables are undefined. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The values of the core's variables. */
export type Settings = SettingsOf<typeof variables>;

/** Returns the variables that are set. An empty variable is treated as unset. */
export function givenVariables(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([, text = '']) => text.trim() !== ''));
}

/** Variables of this product that the BFF doesn't read. The service and `npm start` read these variables. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'PULSE_ADMIN_URL',
  'PULSE_BFF_PORT',
  'PULSE_DATA_DIR',
  'PULSE_DEMO_PORT',
  'PULSE_SERVICE_ALT_PORT',
  'PULSE_SERVICE_PORT',
]);

/**
 * Returns one line for each unknown variable that begins with `PULSE_`, and for each name that nearly matches another
 * variable. The lines contain no values.
 */
export function unknownVariableWarnings(environment: Variables, featureVariables: VariableTable): string[] {
  const known = { ...variables, ...featureVariables };
  const unknown = Object.keys(givenVariables(environment))
    .filter((name) => name.startsWith('PULSE_') && !(name in known) && !OTHER_VARIABLES.has(name))
    .map((name) => {
      const bare = name.replace('PULSE_', '');
      const nearest = bare in known ? bare : closestMatch(name, Object.keys(known));
      return unknownLine(name, nearest);
    });
  return [...unknown, ...nearMissWarnings(environment, known)];
}

/**
 * Variables that don't start with `PULSE_` but are still checked for likely misspellings. Names such as `HOST` and `PORT`
 * are missing here, because other programs have similar names.
 */
const BARE_NAMES = ['REDIS_URL', 'REDIS_URL_FILE', 'TRUST_PROXY', 'LOG_LEVEL'] as const;

/** Returns one line for each variable whose name nearly matches one of the BFF's unset variables. */
function nearMissWarnings(environment: Variables, known: VariableTable): string[] {
  const given = givenVariables(environment);
  const isSet = (name: string): boolean =>
    [name, `${name}_FILE`, name.replace(/_FILE$/, '')].some((each) => each in given);
  return Object.keys(given).flatMap((name) => {
    const nearest = name in known || name.startsWith('PULSE_') ? undefined : nearestTo(name, known);
    return nearest === undefined || isSet(nearest) ? [] : [unknownLine(name, nearest)];
  });
}

function nearestTo(name: string, known: VariableTable): string | undefined {
  const upper = name.toUpperCase();
  // A single word such as `SOURCES` or `HOST` is too common, because other programs use such names.
  if (!/^[A-Z]+_?[A-Z_]+$/.test(upper)) return undefined;
  for (const each of [upper, `PULSE_${upper}`]) if (each in known && upper.includes('_')) return each;
  const singular = upper.replace(/^TRUSTED/, 'TRUST').replace(/IES$/, 'Y');
  return BARE_NAMES.find((bare) => closestMatch(singular, [bare], { maxDistance: Math.round(bare.length / 4) }));
}

function unknownLine(name: string, nearest: string | undefined): string {
  return `${printable(name)} is not a variable of pulse-bff; the nearest is ${nearest}`;
}
