import { EXPOSABLE_FIELDS, RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import { z } from 'zod';
import {
  baseUrl,
  chartHost,
  flag,
  hostAddress,
  integer,
  keyText,
  listOf,
  oneOf,
  originList,
  proxyTrust,
  proxyUrl,
  publicUrl,
  redisUrl,
  requestHost,
  sourceRule,
  webhookUrl,
} from './values.ts';

const YEAR_MS = 366 * 86_400_000;
const MS = 'whole number, in ms';
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A variable that may be unset. */
function optional<Schema extends z.ZodType>(schema: Schema, type: string, example: string) {
  return schema.optional().meta({ type, example });
}

/** The path of a file. */
const file = (example: string) => optional(z.string(), 'path of a file', example);

const url = <Schema extends z.ZodType>(schema: Schema, example: string) => optional(schema, 'URL', example);

const port = (fallback: number) => integer(0, 65_535, fallback, 'port');

const host = (fallback: string, example: string) =>
  hostAddress.default(fallback).meta({ type: 'IP address or host name', fallback, example });

/** One of a few words. The first is the default, unless `fallback` is another one. */
function word<const Words extends readonly [string, ...string[]]>(words: Words, example: string, fallback = words[0]) {
  const type = words.map((each) => `\`${each}\``).join(words.length > 2 ? ', ' : ' or ');
  return oneOf(words)
    .default(fallback as never)
    .meta({ type: type.replace(/, (?=\S+$)/, ', or '), fallback, example });
}

/** Every variable of the BFF. The configuration page of the docs is made from this object. */
export const configSchema = z.object({
  PULSE_API_KEY: optional(keyText, '8 to 256 visible ASCII characters', 'your-api-key').describe(
    'The API key of the service. Required unless `PULSE_API_KEY_FILE` is set',
  ),
  PULSE_API_KEY_FILE: file('/run/secrets/pulse-key').describe(
    'A file that contains the API key. The BFF reads it again when it changes',
  ),
  PULSE_API_KEY_EXPIRES: optional(z.iso.date('must be a day such as 2027-02-20'), 'date', '2027-02-20').describe(
    'The expiration date of the key that is in use at startup, as the dashboard shows it',
  ),
  PULSE_KEY_RELOAD_MS: integer(1, 3_600_000, 5_000, MS).describe(
    'The maximum time until a changed key file is used, in ms',
  ),
  PULSE_BASE_URL: baseUrl
    .meta({ type: 'URL', example: 'https://api.example.com' })
    .describe(
      'The URL of the service, without `/v1`. Required. `http:` is allowed only for loopback addresses, or with `PULSE_ALLOW_HTTP_UPSTREAM`',
    ),
  PULSE_ALLOW_HTTP_UPSTREAM: flag.describe(
    '`true` allows `http:` to a service at a private IP address. The key is then sent unencrypted',
  ),
  PULSE_ALT_BASE_URL: url(baseUrl, 'https://api2.example.com').describe(
    'The second host of the service, which is used if the first one fails',
  ),
  PORT: port(4020).describe('The port for readers. 0 selects a free port'),
  HOST: host('0.0.0.0', '127.0.0.1').describe('The IP address that `PORT` listens on'),
  PULSE_ADMIN_PORT: port(4021).describe(
    'The admin port, which serves the status page, the Studio, `/status`, and `/metrics`. 0 selects a free port',
  ),
  PULSE_ADMIN_HOST: host('127.0.0.1', '0.0.0.0').describe(
    'The IP address that the admin port listens on. Set one other than loopback only in containers and private networks',
  ),
  PULSE_ADMIN_HOSTS: listOf(requestHost)
    .meta({ type: 'host names, comma-separated', example: 'pulse-admin.example.com' })
    .describe(
      'More host names at which the admin port can be reached. For example, the name that a proxy with a login passes on',
    ),
  PULSE_PUBLIC_URL: url(publicUrl, 'https://pulse.example.com').describe(
    'The URL at which readers reach the BFF. Default: `http://localhost:` followed by `PORT`',
  ),
  PULSE_ALLOWED_ORIGINS: originList
    .meta({
      type: 'origins, comma-separated, or `*`',
      example: 'https://www.example.com,https://*.preview.example.com',
    })
    .describe(
      'Origins whose pages may show cards. `https://*.preview.example.com` allows all hosts below that name. Default: the origin of `PULSE_PUBLIC_URL`',
    ),
  PULSE_SOURCES: sourceRule
    .meta({ type: '`listed` and IDs, comma-separated', fallback: 'listed', example: 'listed,src_01JZ8R2M' })
    .describe('Which sources readers may see: `listed`, IDs, or both. IDs in a valid token are allowed, too'),
  PULSE_EXPOSE: listOf(oneOf(EXPOSABLE_FIELDS))
    .meta({ type: 'names of fields, comma-separated', example: 'link,deliveryLink' })
    .describe(`Private fields that readers may see: ${EXPOSABLE_FIELDS.join(', ')}`),
  PULSE_CACHE: word(['public', 'private'], 'private').describe(
    '`public`: shared caches may store responses. `private`: only browsers may. A mounted router always sends `private, no-cache`',
  ),
  PULSE_ACCESS: word(['public', 'token'], 'token').describe(
    '`public`: requests need no token. `token`: requests need a signed token',
  ),
  PULSE_TOKEN_KEYS_FILE: file('/run/secrets/token-keys.json').describe(
    'A file that contains the keys that verify tokens. The BFF reads it again when it changes. Required with `PULSE_ACCESS=token`',
  ),
  PULSE_IMAGES: word(['direct', 'proxy'], 'proxy').describe(
    'Where charts are loaded from: `direct` (the CDN) or `proxy` (the BFF)',
  ),
  PULSE_IMAGE_HOSTS: listOf(chartHost)
    .meta({ type: 'host names, comma-separated', example: 'cdn.example.com' })
    .describe(
      'The only hosts that charts may come from. Default: the service, and any public IP address over `https:` on port 443',
    ),
  PULSE_RATE_LIMIT: integer(1, 1_000_000, RATE_LIMIT, 'whole number of calls').describe(
    'How many calls per window the service allows with the key',
  ),
  PULSE_RATE_WINDOW_MS: integer(1, 3_600_000, RATE_WINDOW_MS, MS).describe(
    'The length of the rate-limit window, in ms',
  ),
  PULSE_RATE_RESERVE: integer(0, 1_000_000, 15, 'whole number of calls').describe(
    'How many calls in each window are left for other users of the key, including `pulse-bff check`',
  ),
  PULSE_FRESH_MS: integer(1, YEAR_MS, 15_000, MS).describe('The age at which a response is refreshed, in ms'),
  PULSE_STALE_MS: integer(0, YEAR_MS, 86_400_000, MS).describe(
    'How long the last response is served while the service is down, in ms',
  ),
  PULSE_AUTH_STALE_MS: integer(0, YEAR_MS, 600_000, MS).describe(
    'How long the last response is served while the key is rejected, in ms',
  ),
  PULSE_UPSTREAM_TIMEOUT_MS: integer(1, 120_000, 5_000, MS).describe(
    'The deadline of a call to the service, in ms. It covers the connection, the headers, and the body',
  ),
  PULSE_CLIENT_RATE: integer(0, 10_000_000, 600, 'whole number of requests a minute').describe(
    'How many requests per minute each client IP address may make. 0 turns the limit off',
  ),
  TRUST_PROXY: proxyTrust
    .meta({ type: '`off`, a number of proxies, or CIDR ranges, comma-separated', fallback: 'off', example: '1' })
    .describe('Which proxies in front of the BFF are trusted: their number, their CIDR ranges, or `off`'),
  PULSE_STATE_DIR: optional(z.string(), 'path of a folder', '/var/lib/pulse-bff').describe(
    'A folder that keeps the last responses across restarts',
  ),
  PULSE_HISTORY: integer(0, 30, 0, 'whole number of runs').describe(
    'How many earlier runs of each source to keep and serve, from 0 (none) to 30',
  ),
  PULSE_WITHHELD_FILE: file('/etc/pulse-card/withheld').describe(
    'A file with the IDs of runs whose AI text is withheld, one per line. The BFF reads it again when it changes',
  ),
  PULSE_DRAIN_MS: integer(0, 600_000, 5_000, MS).describe(
    'How long a stopping server continues to respond after `/readyz` fails, in ms. With 0, the server stops immediately. More than 5,000 counts as 5,000, because every stop ends within 10 s',
  ),
  REDIS_URL: url(redisUrl, 'redis://redis:6379').describe(
    'The URL of the Redis or Valkey server that all instances use for their shared cache and call budget',
  ),
  REDIS_URL_FILE: file('/run/secrets/redis-url').describe(
    'A file that contains the URL of Redis, as an alternative to `REDIS_URL`. Read at startup',
  ),
  PULSE_ALERT_URL: url(webhookUrl, 'https://hooks.example.com/services/T0/B0/X0').describe(
    'A webhook that accepts `{ "text": "…" }` (Slack, Teams, Mattermost): reports that the key is about to expire or is rejected, the service is down, or a source is BROKEN or overdue. The URL is a secret',
  ),
  PULSE_ALERT_URL_FILE: file('/run/secrets/alert-url').describe(
    'A file that contains the URL of the webhook, as an alternative to `PULSE_ALERT_URL`',
  ),
  LOG_LEVEL: word(LEVELS, 'debug', 'info').describe(
    'The least severe level that is logged, from `trace` to `fatal`. `silent` turns the log off',
  ),
});

/** The variables that name outgoing proxies, as for curl. Each can also be written in lower case. */
export const proxySchema = z.object({
  HTTPS_PROXY: proxyUrl.optional(),
  HTTP_PROXY: proxyUrl.optional(),
  NO_PROXY: z.string().optional(),
});

/** The configuration page's description of a variable. */
export interface VariableFacts {
  readonly description: string;
  /** The type of the value, in words. */
  readonly type: string;
  /** The smallest and the largest number. */
  readonly range?: readonly [min: number, max: number];
  /** The value of an unset variable, as one would write it. */
  readonly fallback?: string;
  /** A valid value. */
  readonly example: string;
}

/** The configuration page's description of a variable. */
export function factsOf(name: keyof typeof configSchema.shape): VariableFacts {
  return configSchema.shape[name].meta() as unknown as VariableFacts;
}
