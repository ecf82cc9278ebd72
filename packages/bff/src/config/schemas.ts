import { isIP } from 'node:net';
import { isExactOrigin, isPlainHost, isSourceId } from '@pulse-card/contract';
import { compile } from 'proxy-addr';
import { z } from 'zod';
import type { SourceRule } from '../lib/source-rule.ts';
import { ApiKey } from '../lib/api-key.ts';

/** Whose `X-Forwarded-For` is trusted: no one's, that of a number of hops, or that of proxies in these ranges. */
export type ProxyTrust =
  | { readonly kind: 'none' }
  | { readonly kind: 'hops'; readonly hops: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] };

/** Text that `read` returns a value for; for any other it throws or returns undefined. */
export function readBy<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string('is required').transform((text, context): Value => {
    try {
      const value = read(text);
      if (value !== undefined) return value;
    } catch {
      // Rejected below, without the error's text, which may quote the value.
    }
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** A key: one line of visible ASCII; a line break that ends it is dropped, as files have one. */
export const keyText = readBy((text) => ApiKey.from(text), 'must be 8 to 256 visible ASCII characters, without spaces');

/**
 * The address in `text`, written in full, if `schemes` has its scheme; with a user name and password, or with a query and
 * fragment, only if it may have them.
 */
export function addressOf(
  text: string,
  schemes: RegExp,
  { mayHaveUser = false, mayHaveQuery = false } = {},
): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !schemes.test(text) || !isPlainHost(url.hostname.toLowerCase())) return undefined;
  if (!mayHaveUser && url.username + url.password !== '') return undefined;
  return mayHaveQuery || url.search + url.hash === '' ? url : undefined;
}

/** The schemes of web addresses. */
export const HTTP = /^https?:\/\//i;

/**
 * The address of the service, without `/v1` and without a slash at the end. Whether `http:` is allowed depends on
 * PULSE_ALLOW_HTTP_UPSTREAM and is checked later.
 */
export const baseUrl = readBy((text) => {
  const url = addressOf(text, HTTP);
  return url && !/\/v1\/*$/.test(url.pathname) ? withoutSlash(url) : undefined;
}, 'must be an https: address without /v1, user name or query (http: on a loopback host only)');

/** An absolute address that readers know, without a slash at the end. */
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

/** A port, or `fallback`; 0 takes a free one. */
export function port(fallback: number) {
  return integer(0, 65_535, fallback);
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Items separated by commas, each once. */
export function listOf<Item extends z.ZodType<string, string>>(item: Item) {
  return z
    .string()
    .default('')
    .transform(itemsOf)
    .pipe(z.array(item))
    .transform((items): readonly z.output<Item>[] => [...new Set(items)]);
}

/** A host with or without a port, exactly as `URL.host` spells it. */
export const hostName = z
  .string()
  .refine((text) => {
    const url = URL.parse(`https://${text}`);
    return url?.host === text.toLowerCase() && isPlainHost(url.hostname);
  }, 'must be an exact host name such as cdn.example.com, with no scheme, path or wildcard')
  .toLowerCase();

/** A host as requests name it: a name or an IP address, without a port. */
export const requestHost = readBy((text) => {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  const url = /^(?:\[[\da-f:.]+\]|[^:/?#@\\[\]]+)$/i.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isPlainHost(url.hostname) ? url.hostname : undefined;
}, 'must be a host name or an IP address, with no scheme, port, path or wildcard');

const origin = z.string().refine((text) => text === '*' || isExactOrigin(text), {
  error: ({ input }) => originFault(String(input)),
});

/** Exact origins separated by commas, or `*`. */
export const originList = listOf(origin)
  .refine((items) => items.length === 1 || !items.includes('*'), 'must be exact origins, or only *')
  .transform((items): '*' | readonly string[] => (items[0] === '*' ? '*' : items));

/** Says what is wrong with an origin without quoting it. */
function originFault(text: string): string {
  if (text.includes('*')) return 'has a wildcard; list each origin, or write only *';
  if (!HTTP.test(text)) return 'does not begin with https:// or http://; write it as in https://www.example.com';
  return 'is not an origin as browsers send it; write scheme and host in lower case, with xn-- for letters beyond ASCII, without user name, default port, path or final slash, as in https://www.example.com';
}

/** An address to listen on: an IP address or a host name, without a port. */
export const hostAddress = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || /^[\da-z](?:[\da-z.-]*[\da-z])?$/i.test(text),
    'must be an IP address or a host name, without a port',
  );

/** Which ids may be requested: `listed`, and ids. */
export const sourceRule = z
  .string()
  .default('listed')
  .transform(itemsOf)
  .refine(
    // "any" could be an id, but it is more likely meant as all ids, which no value allows.
    (items) => items.length > 0 && items.every((item) => isSourceId(item) && item !== 'any'),
    'must be listed, or source ids, comma-separated',
  )
  .transform((items): SourceRule => {
    return { listed: items.includes('listed'), ids: items.filter((item) => item !== 'listed') };
  });

/** How many proxies in front of the BFF are trusted, or which ones. */
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
  // A number among ranges would be read as an address: 1 as 0.0.0.1.
  if (ranges.length === 0 || ranges.some((range) => /^\d+$/.test(range))) return undefined;
  compile(ranges);
  return { kind: 'ranges', ranges };
}

/** `true` or `false`, which is the default. */
export const flag = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
  .default(false);

/** One of a closed list of words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}
