import { isIP } from 'node:net';
import { isExactOrigin, isPlainHost, isSourceId } from '@pulse-card/contract';
import { compile } from 'proxy-addr';
import { z } from 'zod';
import type { SourceRule } from '../lib/source-rule.ts';
import { ApiKey } from '../lib/api-key.ts';

/**
 * Which proxies are trusted to set `X-Forwarded-For`: none, a number of hops, or the proxies in these address ranges.
 */
export type ProxyTrust =
  | { readonly kind: 'none' }
  | { readonly kind: 'hops'; readonly hops: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] };

/** A string schema whose value is the result of `read`. A string is invalid if `read` throws or returns undefined. */
export function readBy<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string('is required').transform((text, context): Value => {
    try {
      const value = read(text);
      if (value !== undefined) return value;
    } catch {
      // The error's text isn't used, because it may quote the value. The text is rejected below.
    }
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/**
 * An API key: one line of visible ASCII characters. A line break at the end is dropped, because files usually end with
 * one.
 */
export const keyText = readBy((text) => ApiKey.from(text), 'must be 8 to 256 visible ASCII characters, without spaces');

/**
 * Parses `text` as an absolute address with one of these schemes. A user name and password, or a query and fragment,
 * are allowed only if the options say so.
 */
export function addressOf(
  text: string,
  schemes: RegExp,
  { mayHaveUser = false, mayHaveQuery = false } = {},
): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !schemes.test(text) || !isPlainHost(url.hostname.toLowerCase())) return undefined;
  if (!mayHaveUser && url.username + url.password !== '') return undefined;
  return mayHaveQuery || !/[?#]/.test(url.href) ? url : undefined;
}

/** The schemes of web addresses. */
export const HTTP = /^https?:\/\//i;

/**
 * The address of the service, without `/v1` and without a trailing slash. PULSE_ALLOW_HTTP_UPSTREAM decides whether
 * `http:` is allowed. This is checked later.
 */
export const baseUrl = readBy((text) => {
  const url = addressOf(text, HTTP);
  return url && !/\/v1\/*$/.test(url.pathname) ? withoutSlash(url) : undefined;
}, 'must be an https: address without /v1, user name or query (http: on a loopback host only)');

/** An absolute address that readers use, without a trailing slash. */
export const publicUrl = readBy((text) => {
  const url = addressOf(text, HTTP);
  return url && withoutSlash(url);
}, 'must be an http: or https: address without user name or query');

function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/** A whole number from `min` to `max`, or `fallback`. */
export function integer(min: number, max: number, fallback: number) {
  const isInRange = (text: string): boolean => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const message = `must be a whole number from ${min} to ${max}`;
  return z.string().refine(isInRange, message).transform(Number).default(fallback);
}

/** A port, or `fallback`. With 0, the system picks a free port. */
export function port(fallback: number) {
  return integer(0, 65_535, fallback);
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
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

const origin = z.string().refine((text) => text === '*' || isExactOrigin(text), {
  error: ({ input }) => originFault(String(input)),
});

/** Comma-separated exact origins, or `*`. */
export const originList = listOf(origin)
  .refine((items) => items.length === 1 || !items.includes('*'), 'must be a list of exact origins, or only *')
  .transform((items): '*' | readonly string[] => (items[0] === '*' ? '*' : items));

/** Explains what is wrong with an origin, without quoting it. */
function originFault(text: string): string {
  if (text.includes('*')) return 'contains a wildcard; list each origin, or write only *';
  if (!HTTP.test(text)) return 'does not begin with https:// or http://; write it like https://www.example.com';
  return 'is not an origin as browsers send it. Write it like https://www.example.com: scheme and host in lower case, letters beyond ASCII as xn--, and no user name, default port, path, or final slash';
}

/** An address to listen on: an IP address or a host name, without a port. */
export const hostAddress = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || /^[\da-z_](?:[\da-z_.-]*[\da-z_])?$/i.test(text),
    'must be an IP address or a host name, without a port',
  );

/** Which ids may be requested: the listed ones, specific ids, or both. */
export const sourceRule = z
  .string()
  .default('listed')
  .transform(itemsOf)
  .refine(
    // "any" could be an id, but it more likely means all ids. No value of the variable allows all ids.
    (items) => items.length > 0 && items.every((item) => isSourceId(item) && item !== 'any'),
    'must be "listed", source ids, or both, separated by commas',
  )
  .transform((items): SourceRule => {
    return { listed: items.includes('listed'), ids: items.filter((item) => item !== 'listed') };
  });

/** Which proxies in front of the BFF are trusted: their number or their addresses. */
export const proxyTrust = z
  .string()
  .default('off')
  .pipe(
    readBy(
      proxyTrustOf,
      'must be off, the number of proxies from 1 to 99 (for example, TRUST_PROXY=2), or their addresses (for example, TRUST_PROXY=10.0.0.0/8,192.0.2.7)',
    ),
  );

function proxyTrustOf(text: string): ProxyTrust | undefined {
  if (text === 'off' || text === '0') return { kind: 'none' };
  if (/^[1-9]\d?$/.test(text)) return { kind: 'hops', hops: Number(text) };
  const ranges = itemsOf(text);
  // A number in a list of ranges would be read as an address: 1 would become 0.0.0.1.
  if (ranges.length === 0 || ranges.some((range) => /^\d+$/.test(range))) return undefined;
  compile(ranges);
  return { kind: 'ranges', ranges };
}

/** `true` (or `on`) or `false` (or `off`). The default is `false`. */
export const flag = z
  .stringbool({
    truthy: ['true', 'on'],
    falsy: ['false', 'off'],
    case: 'sensitive',
    error: 'must be true or false (or on or off)',
  })
  .default(false);

/** One word from a fixed list. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}
