import { isIP } from 'node:net';
import { isPlainHost, isSourceId } from '@pulse-card/contract';
import { z } from 'zod';
import { ApiKey } from '../lib/api-key.ts';
import { isPlainHttp } from '../lib/ip-address.ts';
import { originFault } from '../lib/origin-pattern.ts';
import { Secret } from '../lib/secret.ts';

/** Which proxies are trusted to set `X-Forwarded-For`: a number of hops, or the proxies in these CIDR ranges. */
export type ProxyTrust = number | readonly string[];

/** A schema whose value is the result of `read`. A string is invalid if `read` throws or returns undefined. */
function readBy<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string('is required').transform((text, context): Value => {
    try {
      const value = read(text);
      if (value !== undefined) return value;
    } catch {
      // The error's message isn't used, because it may quote the value. The text is rejected below.
    }
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** An API key. */
export const keyText = readBy((text) => ApiKey.from(text), 'must be 8 to 256 visible ASCII characters, without spaces');

const HTTP = /^https?:\/\//i;

/** Parses an absolute URL with one of these schemes. */
function urlIn(text: string, schemes: RegExp, { mayHaveUser = false, mayHaveQuery = false } = {}) {
  const line = text.trim();
  // The URL parser drops line breaks, so two lines would be read as one URL.
  const url = /\s/.test(line) ? null : URL.parse(line);
  if (url === null || !schemes.test(line) || !isPlainHost(url.hostname.toLowerCase())) return undefined;
  if (!mayHaveUser && url.username + url.password !== '') return undefined;
  return mayHaveQuery || !/[?#]/.test(url.href) ? url : undefined;
}

function webUrl(text: string): string | undefined {
  return urlIn(text, HTTP)?.href.replace(/\/+$/, '');
}

/** The service's URL. Whether `http:` is allowed depends on another variable. */
export const baseUrl = readBy((text) => {
  const url = webUrl(text);
  return url?.endsWith('/v1') && URL.parse(url)?.pathname !== '/' ? undefined : url;
}, 'must be an https: URL without /v1, username, query, or spaces (http: on a loopback host only)');

/** A URL that readers use, without a trailing slash. */
export const publicUrl = readBy(webUrl, 'must be an http: or https: URL without username, query, or spaces');

/**
 * The URL of a webhook, which is itself a secret. Its host may be private, but only a loopback host may use `http:`.
 */
export const webhookUrl = readBy((text) => {
  const url = urlIn(text, HTTP, { mayHaveQuery: true });
  return url && !isPlainHttp(url) ? new Secret(url.href) : undefined;
}, 'must be an https: URL without username (http: on a loopback host only)');

/** The URL of Redis, with a username and password if they are required, and the database as the path. */
export const redisUrl = readBy((text) => {
  const url = urlIn(text, /^rediss?:\/\//i, { mayHaveUser: true });
  if (url === undefined || !/^\/?\d{0,4}$/.test(url.pathname)) return undefined;
  // Throws if a "%" isn't part of an escape sequence, because it is then unclear whether the password was encoded.
  decodeURIComponent(url.username + url.password);
  return new Secret(url.href);
}, 'must be a redis: or rediss: URL such as redis://host:6379/0');

/** The URL of an outgoing proxy. As in curl, `http://` may be omitted. */
export const proxyUrl = readBy(
  (text) => urlIn(text.includes('://') ? text : `http://${text}`, HTTP, { mayHaveUser: true })?.href,
  'must be an http: or https: URL such as http://proxy.example.com:3128',
);

/** A whole number from `min` to `max`, or `fallback`. */
export function integer(min: number, max: number, fallback: number, type: string) {
  const isInRange = (text: string): boolean => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .refine(isInRange, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .default(fallback)
    .meta({ type, range: [min, max], fallback: String(fallback), example: String(fallback) });
}

function itemsOf(text: string): string[] {
  return text.split(',').flatMap((item) => item.trim() || []);
}

/** Comma-separated items without duplicates. */
export function listOf<Item extends z.ZodType<string, string>>(item: Item) {
  return z
    .string()
    .default('')
    .transform(itemsOf)
    .pipe(z.array(item))
    .transform((items): readonly z.output<Item>[] => [...new Set(items)]);
}

const origin = z.string().refine((text) => text === '*' || originFault(text) === undefined, {
  error: ({ input }) => originFault(String(input)) ?? '',
});

/** Comma-separated origins and patterns, or `*`. */
export const originList = listOf(origin)
  .refine((items) => items.length === 1 || !items.includes('*'), 'must be a list of origins, or only *')
  .transform((items): '*' | readonly string[] => (items[0] === '*' ? '*' : items));

/** The host that a server listens on: an IP address or a host name, without a port. */
export const hostAddress = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || /^[\da-z_](?:[\da-z_.-]*[\da-z_])?$/i.test(text),
    'must be an IP address or a host name, without a port',
  );

/** A host as it appears in requests: a name or an IP address, without a port. */
export const requestHost = readBy((text) => {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  const url = /^(?:\[[\da-f:.]+\]|[^\s:/?#@\\[\]]+)$/i.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isPlainHost(url.hostname) ? url.hostname.replace(/\.$/, '') : undefined;
}, 'must be a host name or an IP address, without a scheme, port, path, or wildcard');

/** A host with or without a port, spelled as in `URL.host`. */
export const chartHost = z
  .string()
  .refine((text) => {
    const url = URL.parse(`https://${text}`);
    return url?.host === text.toLowerCase() && isPlainHost(url.hostname);
  }, 'must be an exact host name such as cdn.example.com, without a scheme, path, or wildcard')
  .toLowerCase();

/** Which IDs are known: those in the list, specific IDs, or both. */
export const sourceRule = z
  .string()
  .default('listed')
  .transform(itemsOf)
  .refine(
    // "any" could be an ID, but more likely means all IDs, which the variable doesn't support. "Listed" means "listed".
    (items) =>
      items.length > 0 &&
      items.every((item) => isSourceId(item) && (item === 'listed' || !/^(?:any|listed)$/i.test(item))),
    'must be "listed", source IDs, or both, separated by commas',
  )
  .transform((items) => ({ listed: items.includes('listed'), ids: items.filter((item) => item !== 'listed') }));

const TRUST_FORM =
  'must be off, the number of proxies from 1 to 99 (for example, TRUST_PROXY=2), or their IP addresses (for example, TRUST_PROXY=10.0.0.0/8,192.0.2.7)';

/** A CIDR range, or a single IP address as a range. */
const cidrRange = z.union([
  z.cidrv4(),
  z.cidrv6(),
  z.ipv4().transform((ip) => `${ip}/32`),
  z.ipv6().transform((ip) => `${ip}/128`),
]);

/** Which proxies in front of the BFF are trusted. */
export const proxyTrust = z.string().default('off').pipe(readBy(trustOf, TRUST_FORM));

function trustOf(text: string): ProxyTrust | undefined {
  if (text === 'off') return 0;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = itemsOf(text).map((item) => cidrRange.parse(item));
  return ranges.length === 0 ? undefined : ranges;
}

const FLAG_FORM = 'must be true or false (or on or off)';

/** `true` (or `on`) or `false` (or `off`). */
export const flag = z
  .stringbool({ truthy: ['true', 'on'], falsy: ['false', 'off'], case: 'sensitive', error: FLAG_FORM })
  .default(false)
  .meta({ type: '`true` or `false`', fallback: 'false', example: 'true' });

/** A word from a fixed list. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}
