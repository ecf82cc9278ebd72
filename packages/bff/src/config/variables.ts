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

/** A variable as the docs describe it. `fallback`: its default, unless it is empty or there is none. */
function described<Schema extends z.ZodType>(schema: Schema, type: string, example: string, fallback?: string) {
  return schema.meta({ type, example, ...(fallback !== undefined && { fallback }) });
}

/** A file path. */
const file = (example: string) => described(z.string().optional(), 'path of a file', example);

const url = <Schema extends z.ZodType>(schema: Schema, example: string) => described(schema.optional(), 'URL', example);

const port = (fallback: number) => integer(0, 65_535, fallback, 'port');

const host = (fallback: string, example: string) =>
  described(hostAddress.default(fallback), 'IP address or host name', example, fallback);

/** One word from a short list. The first is the default, unless `fallback` specifies a different one. */
function word<const Words extends readonly [string, ...string[]]>(words: Words, example: string, fallback = words[0]) {
  const type = words.map((each) => `\`${each}\``).join(words.length > 2 ? ', ' : ' or ');
  return oneOf(words)
    .default(fallback as never)
    .meta({ type: type.replace(/, (?=\S+$)/, ', or '), fallback, example });
}

/**
 * All of the BFF's variables. The configuration page in the docs is generated from this object and its comments. The
 * proxy variables can also be written in lowercase, as with curl.
 */
export const configSchema = z.object({
  /** The API key for the service. Required unless `PULSE_API_KEY_FILE` is set. */
  PULSE_API_KEY: described(keyText.optional(), '8 to 256 visible ASCII characters', 'your-api-key'),
  /** A file that contains the API key. The BFF reads it again when it changes. */
  PULSE_API_KEY_FILE: file('/run/secrets/pulse-key'),
  /** The expiration date of the key that is in use at startup, as shown in the dashboard. */
  PULSE_API_KEY_EXPIRES: described(z.iso.date('must be a day such as 2027-02-20').optional(), 'date', '2027-02-20'),
  /** The maximum time before a changed key file takes effect, in ms. */
  PULSE_KEY_RELOAD_MS: integer(1, 3_600_000, 5_000, MS),
  /**
   * The service's URL, without `/v1`. Required. `http:` is allowed only for loopback addresses, or with
   * `PULSE_ALLOW_HTTP_UPSTREAM`.
   */
  PULSE_BASE_URL: described(baseUrl, 'URL', 'https://api.example.com'),
  /** `true` allows `http:` to a service at a private IP address, over which the key is sent unencrypted. */
  PULSE_ALLOW_HTTP_UPSTREAM: flag,
  /** The URL of the service's second host, which is used if the first one fails. */
  PULSE_ALT_BASE_URL: url(baseUrl, 'https://api2.example.com'),
  /** The port for readers. 0 selects a free port. */
  PORT: port(4020),
  /** The IP address that `PORT` listens on. */
  HOST: host('0.0.0.0', '127.0.0.1'),
  /** The admin port, which serves the status page, the Studio, `/status`, and `/metrics`. 0 selects a free port. */
  PULSE_ADMIN_PORT: port(4021),
  /**
   * The IP address that the admin port listens on. Use a non-loopback address only in containers and private networks.
   */
  PULSE_ADMIN_HOST: host('127.0.0.1', '0.0.0.0'),
  /** Additional host names for the admin port, such as the name that an authenticating proxy forwards. */
  PULSE_ADMIN_HOSTS: described(listOf(requestHost), 'host names, comma-separated', 'pulse-admin.example.com'),
  /** The URL at which readers reach the BFF. Default: `http://localhost:` followed by `PORT`. */
  PULSE_PUBLIC_URL: url(publicUrl, 'https://pulse.example.com'),
  /**
   * Origins whose pages are allowed to show cards. `https://*.preview.example.com` allows all hosts below that name.
   * Default: the origin of `PULSE_PUBLIC_URL`.
   */
  PULSE_ALLOWED_ORIGINS: described(
    originList,
    'origins, comma-separated, or `*`',
    'https://www.example.com,https://*.preview.example.com',
  ),
  /** Which sources readers may see: `listed`, IDs, or both. IDs in a valid token are also allowed. */
  PULSE_SOURCES: described(sourceRule, '`listed` and IDs, comma-separated', 'listed,src_01JZ8R2M', 'listed'),
  /** Private fields that readers may see: link, deliveryLink, organization, connectionCount. */
  PULSE_EXPOSE: described(listOf(oneOf(EXPOSABLE_FIELDS)), 'names of fields, comma-separated', 'link,deliveryLink'),
  /**
   * `public`: shared caches may store responses. `private`: only browsers may. A mounted router always sends `private,
   * no-cache`.
   */
  PULSE_CACHE: word(['public', 'private'], 'private'),
  /** `public`: requests don't need a token. `token`: requests need a signed token. */
  PULSE_ACCESS: word(['public', 'token'], 'token'),
  /**
   * A file that contains the keys that verify tokens. The BFF reads it again when it changes. Required with
   * `PULSE_ACCESS=token`.
   */
  PULSE_TOKEN_KEYS_FILE: file('/run/secrets/token-keys.json'),
  /** Where charts are loaded from: `direct` (the CDN) or `proxy` (the BFF). */
  PULSE_IMAGES: word(['direct', 'proxy'], 'proxy'),
  /**
   * The only hosts that charts may come from. Default: the service, and any public IP address over `https:` on port
   * 443.
   */
  PULSE_IMAGE_HOSTS: described(listOf(chartHost), 'host names, comma-separated', 'cdn.example.com'),
  /** How many calls per window the service allows with the key. */
  PULSE_RATE_LIMIT: integer(1, 1_000_000, RATE_LIMIT, 'whole number of calls'),
  /** The length of the rate-limit window, in ms. */
  PULSE_RATE_WINDOW_MS: integer(1, 3_600_000, RATE_WINDOW_MS, MS),
  /** How many calls in each window are reserved for other users of the key, including `pulse-bff check`. */
  PULSE_RATE_RESERVE: integer(0, 1_000_000, 15, 'whole number of calls'),
  /** The age at which a response is refreshed, in ms. */
  PULSE_FRESH_MS: integer(1, YEAR_MS, 15_000, MS),
  /** How long the last response is served while the service is down, in ms. */
  PULSE_STALE_MS: integer(0, YEAR_MS, 86_400_000, MS),
  /** How long the last response is served while the key is rejected, in ms. */
  PULSE_AUTH_STALE_MS: integer(0, YEAR_MS, 600_000, MS),
  /** The deadline for a call to the service, in ms. It covers the connection, the headers, and the body. */
  PULSE_UPSTREAM_TIMEOUT_MS: integer(1, 120_000, 5_000, MS),
  /** How many requests per minute each client IP address may make. 0 turns the limit off. */
  PULSE_CLIENT_RATE: integer(0, 10_000_000, 600, 'whole number of requests a minute'),
  /** Which proxies in front of the BFF are trusted: their number, their CIDR ranges, or `off`. */
  TRUST_PROXY: described(proxyTrust, '`off`, a number of proxies, or CIDR ranges, comma-separated', '1', 'off'),
  /** A folder that keeps the last responses across restarts. */
  PULSE_STATE_DIR: described(z.string().optional(), 'path of a folder', '/var/lib/pulse-bff'),
  /** How many earlier runs of each source to keep and serve, from 0 (none) to 30. */
  PULSE_HISTORY: integer(0, 30, 0, 'whole number of runs'),
  /** A file with the IDs of runs whose AI text is withheld, one per line. The BFF reads it again when it changes. */
  PULSE_WITHHELD_FILE: file('/etc/pulse-card/withheld'),
  /**
   * How long, in ms, the server keeps responding during shutdown after `/readyz` starts to fail. With 0, the server
   * stops immediately. Values above 5,000 count as 5,000, because the server must stop within 10 s.
   */
  PULSE_DRAIN_MS: integer(0, 600_000, 5_000, MS),
  /** The URL of the Redis or Valkey server that all instances use for their shared cache and call budget. */
  REDIS_URL: url(redisUrl, 'redis://redis:6379'),
  /** A file that contains the Redis URL, as an alternative to `REDIS_URL`. Read at startup. */
  REDIS_URL_FILE: file('/run/secrets/redis-url'),
  /**
   * A webhook that accepts `{ "text": "…" }` (Slack, Teams, Mattermost). It is notified when the key is about to expire
   * or is rejected, the service is down, or a source is BROKEN or overdue. The URL is a secret.
   */
  PULSE_ALERT_URL: url(webhookUrl, 'https://hooks.example.com/services/T0/B0/X0'),
  /** A file that contains the webhook URL, as an alternative to `PULSE_ALERT_URL`. */
  PULSE_ALERT_URL_FILE: file('/run/secrets/alert-url'),
  /** The least severe level that is logged, from `trace` to `fatal`. `silent` turns the log off. */
  LOG_LEVEL: word(LEVELS, 'debug', 'info'),
  /** The proxy for calls to the service and to the webhook. Loopback addresses and `http:` never go through it. */
  HTTPS_PROXY: url(proxyUrl, 'http://proxy.example.com:3128'),
  /** The proxy to use if `HTTPS_PROXY` isn't set. */
  HTTP_PROXY: url(proxyUrl, 'http://proxy.example.com:3128'),
  /** Hosts and CIDR ranges that are called without a proxy. */
  NO_PROXY: described(z.string().optional(), 'hosts and CIDR ranges, comma-separated', 'service.internal,10.0.0.0/8'),
});
