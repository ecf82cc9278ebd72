import { isIP } from 'node:net';
import { isLoopbackHost, isPlainHost, isSourceId } from '@pulse-card/contract';
import { compile } from 'proxy-addr';
import { z } from 'zod';
import { originError } from './http/origins.ts';
import type { SourceRule } from './cache/source-allowlist.ts';
import { Secret } from './secret.ts';
import { ApiKey } from './upstream/key-file.ts';

/** How far `X-Forwarded-For` is believed: not at all, for a number of hops, or for proxies in these ranges. */
export type ProxyTrust =
  | { readonly kind: 'none' }
  | { readonly kind: 'hops'; readonly hops: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] };

/** A key: one line of visible ASCII; a line break that ends it is dropped, as files have one. */
export function keyText() {
  return z.string().transform((text, context): ApiKey => {
    const key = ApiKey.from(text);
    if (key !== undefined) return key;
    context.addIssue({ code: 'custom', message: 'must be 8 to 256 visible ASCII characters with no blank' });
    return z.NEVER;
  });
}

/** Where Redis is: `redis:` or `rediss:` (TLS), user and password where it wants them, the database as path. */
export function redisAddress() {
  return z
    .string()
    .refine(isRedisAddress, 'must be a redis: or rediss: address such as redis://host:6379/0')
    .transform((text) => new Secret(new URL(text).href));
}

function isRedisAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:\/\//i.test(text) || url.hostname === '') return false;
  const hasDatabaseAlone = url.search === '' && url.hash === '' && /^\/?\d{0,4}$/.test(url.pathname);
  return hasDatabaseAlone && isDecodable(url.username + url.password);
}

/** A password with a bare "%" cannot be told from one that was encoded. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** A whole number from `least` to `most`, or `fallback`. */
export function integer(min: number, max: number, fallback: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string(message)
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback);
}

/** A port, or `fallback`; 0 takes a free one. */
export function port(fallback: number) {
  return integer(0, 65_535, fallback);
}

function urlOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '' &&
    isPlainHost(url.hostname);
  return isPlain && /^https?:\/\//i.test(text) ? url : undefined;
}

function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/** The address of the service, without `/v1` and without a slash at the end; whether `http:` will do is decided with the opt-in. */
export function baseUrl() {
  return z
    .string('is required')
    .refine(isBaseUrl, 'must be an https: address without /v1, user name or query (http: on a loopback host only)')
    .transform((text) => withoutSlash(new URL(text)));
}

function isBaseUrl(text: string): boolean {
  const url = urlOf(text);
  return url !== undefined && !/\/v1\/*$/.test(url.pathname);
}

/** A day of the calendar, as `2027-02-20`. */
export function day() {
  return z.iso.date('must be a day such as 2027-02-20');
}

/** The address of a webhook, which is a secret itself: a private address is allowed, another scheme than `https:` on loopback alone. */
export function webhookUrl() {
  return z
    .string()
    .transform((text) => text.trim())
    .refine(isWebhookUrl, 'must be an https: address without user name (http: on a loopback host only)')
    .transform((text) => new Secret(new URL(text).href));
}

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

/** An absolute address that readers know, without a slash at the end. */
export function publicUrl() {
  return z
    .string()
    .refine((text) => urlOf(text) !== undefined, 'must be an http: or https: address without user name or query')
    .transform((text) => withoutSlash(new URL(text)));
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
    .transform((text, context): readonly z.output<Item>[] => {
      const read = z.array(item).safeParse(itemsOf(text));
      if (read.success) return [...new Set(read.data)];
      context.addIssue({ code: 'custom', message: messageOf(read.error) });
      return z.NEVER;
    });
}

function messageOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue?.code === 'invalid_value'
    ? `must hold only ${issue.values.join(', ')}`
    : (issue?.message ?? 'is not valid');
}

/** A host with or without a port, exactly as `URL.host` spells it. */
export function hostName() {
  const message = 'must hold exact host names such as cdn.example.com, with no scheme, path or wildcard';
  return z
    .string()
    .refine((text) => /^[A-Za-z0-9.\-[\]:]+$/.test(text) && isHost(text), message)
    .toLowerCase();
}

function isHost(text: string): boolean {
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text.toLowerCase();
}

/** Exact origins separated by commas, or `*`. */
export function originList() {
  return z
    .string()
    .default('')
    .transform((text, context): '*' | readonly string[] => {
      const items = itemsOf(text);
      if (items.length === 1 && items[0] === '*') return '*';
      const faults = items.map(originItemFault);
      const at = faults.findIndex((fault) => fault !== undefined);
      if (at === -1) return [...new Set(items)];
      context.addIssue({ code: 'custom', message: `item ${at + 1} ${faults[at]}` });
      return z.NEVER;
    });
}

function originItemFault(item: string): string | undefined {
  return item === '*' ? 'is *, which must stand alone' : originError(item);
}

/** An address to listen on: an IP address or a host name, without a port. */
export function hostAddress() {
  return z
    .string()
    .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), 'must be an IP address or a host name, without a port');
}

const HOST_NAME = /^[\da-z](?:[\da-z.-]*[\da-z])?$/i;

/** Which ids may be asked for: `listed`, and ids. */
export function sourceRule() {
  return z
    .string()
    .default('listed')
    .transform((text, context): SourceRule => {
      const items = itemsOf(text);
      const ids = items.filter((item) => item !== 'listed');
      // "any" could be an id, but whoever writes it means all ids, which no value allows.
      if (items.length > 0 && ids.every((id) => isSourceId(id) && id !== 'any'))
        return { listed: items.includes('listed'), ids };
      context.addIssue({ code: 'custom', message: 'must be listed, or source ids, comma-separated' });
      return z.NEVER;
    });
}

/** How many proxies in front are believed, or which. */
export function proxyTrust() {
  return z
    .string()
    .default('off')
    .transform((text, context): ProxyTrust => {
      if (text === 'off' || text === '0') return { kind: 'none' };
      if (/^[1-9]\d?$/.test(text)) return { kind: 'hops', hops: Number(text) };
      const ranges = itemsOf(text);
      // A number among ranges would be read as an address: 1 as 0.0.0.1.
      if (ranges.length > 0 && !ranges.some((range) => /^\d+$/.test(range)) && canCompile(ranges))
        return { kind: 'ranges', ranges };
      const message =
        'must be off, or the number of proxies (1 to 99) as TRUST_PROXY=2, or their addresses as TRUST_PROXY=10.0.0.0/8,192.0.2.7';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

function canCompile(ranges: string[]): boolean {
  try {
    compile(ranges);
    return true;
  } catch {
    return false;
  }
}

/** `true` or `false`, which is the default. */
export function flag() {
  const error = 'must be true or false';
  return z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error }).default(false);
}

/** One of a closed list of words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}
