import type { ServerResponse } from 'node:http';
import type { FreshnessPolicy } from '../cache/freshness.ts';
import type { CacheFacts } from '../cache/port.ts';
import type { RequestContext } from './context.ts';
import type { Representation } from './representation.ts';
import { sendBody } from './respond.ts';

type HeaderValue = ReturnType<ServerResponse['getHeader']>;

/**
 * Writes the head of a response. `headers` is name, value, name, value. Headers that the host application has set before are
 * kept: `Vary` lists are joined, and of two `Cache-Control` the stricter directives win.
 */
export function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  // Nothing to keep: the list as it is costs an eighth less of an answer from the cache.
  if (isUntouched(response)) return void response.writeHead(status, headers);
  for (let at = 0; at < headers.length; at += 2) setHeader(response, headers[at] ?? '', headers[at + 1] ?? '');
  response.writeHead(status);
}

/** Returns whether the application has neither set a header nor wrapped `writeHead` (as the on-headers package does). */
function isUntouched(response: ServerResponse): boolean {
  return response.getHeaderNames().length === 0 && !Object.hasOwn(response, 'writeHead');
}

function setHeader(response: ServerResponse, name: string, value: string): void {
  if (name === 'Vary') response.setHeader(name, mergeVary(response.getHeader(name), value));
  else if (name.endsWith('Cache-Control'))
    response.setHeader(name, stricterCacheControl(response.getHeader(name), value));
  else response.setHeader(name, value);
}

/**
 * Makes a response one for a single browser: data is asked for again each time and differs by cookie, files whose address has
 * their hash stay cached. `no-store` stays.
 */
export function keepPrivate(headers: string[]): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const [name, value = ''] = [headers[at], headers[at + 1]];
    if (name !== 'Cache-Control' || value.includes('no-store')) continue;
    const isFile = value.startsWith('public') || value.includes('immutable');
    headers[at + 1] = isFile ? value.replace('public', 'private') : 'private, no-cache';
    if (!isFile) headers.push('Vary', 'Cookie');
  }
}

/** Returns whether the host application has forbidden shared caches to store the response. */
export function forbidsSharedCaching(response: ServerResponse): boolean {
  const cacheControl = response.getHeader('Cache-Control');
  return cacheControl !== undefined && /\b(?:private|no-store|no-cache)\b/i.test(String(cacheControl));
}

/** Joins two `Vary` lists without repeating a field (RFC 9110, section 12.5.5). */
export function mergeVary(existing: HeaderValue, added: string): string {
  if (existing === undefined) return added;
  const fields = `${String(existing)},${added}`.split(',').map((field) => field.trim());
  const byName = new Map(fields.filter((field) => field !== '').map((field) => [field.toLowerCase(), field]));
  return byName.has('*') ? '*' : [...byName.values()].join(', ');
}

/** Directives whose smaller number is the stricter one. */
const LIFETIMES = ['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'];

/** Directives that have no meaning beside a stricter one. */
const OVERRULED: Readonly<Record<string, readonly string[]>> = {
  private: ['public', 's-maxage'],
  'no-cache': ['stale-while-revalidate', 'stale-if-error', 'immutable'],
  'must-revalidate': ['stale-while-revalidate', 'stale-if-error', 'immutable'],
  'no-store': ['public', 'no-cache', 'immutable', ...LIFETIMES],
};

/** The stricter of two `Cache-Control` values, directive by directive (RFC 9111, section 5.2.2). */
export function stricterCacheControl(existing: HeaderValue, own: string): string {
  if (existing === undefined) return own;
  const [theirs, ours] = [directivesOf(String(existing)), directivesOf(own)];
  const merged = new Map([...theirs, ...ours]);
  for (const name of LIFETIMES) {
    const seconds = [theirs.get(name), ours.get(name)].filter((value) => value !== undefined).map(Number);
    if (seconds.length > 0) merged.set(name, String(Math.min(...seconds) || 0));
  }
  for (const [name, overruled] of Object.entries(OVERRULED)) {
    if (merged.has(name)) for (const other of overruled) merged.delete(other);
  }
  return [...merged].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(', ');
}

function directivesOf(cacheControl: string): Map<string, string> {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  return new Map(
    directives
      .filter((directive) => directive !== '')
      .map((directive) => {
        const [name = '', value = ''] = directive.split('=', 2);
        return [name.trim().toLowerCase(), value.trim()];
      }),
  );
}

/** How long a cache in front of the BFF may answer without revalidation. */
const DOWNSTREAM_SECONDS = 5;

/** How long a cache in front of the BFF may answer while it revalidates. */
const REVALIDATE_SECONDS = 30;

/** A stale response may be replaced at any moment. */
const STALE_DOWNSTREAM_SECONDS = 1;

/** The freshness of a response. */
export interface ResponseFreshness {
  readonly ageMs: number;
  readonly stale: boolean;
  readonly facts: CacheFacts;
  /** Part of the answer is a failure that may be over any moment. */
  readonly isPassing?: boolean;
}

/**
 * `Age`, `Cache-Control` (for caches of many readers, too) and `Cache-Status` of an answer, as name, value, name, value.
 * `isPrivate`: for one reader only.
 */
export function freshnessHeaders(
  freshness: ResponseFreshness,
  freshnessPolicy: FreshnessPolicy,
  isPrivate = false,
): string[] {
  const ageSeconds = Math.max(0, Math.floor(freshness.ageMs / 1_000));
  const isPassing = freshness.isPassing === true;
  const isForOneReader = isPassing || isPrivate;
  return [
    'Age',
    String(ageSeconds),
    'Cache-Control',
    isPassing ? 'no-store' : cacheControlOf(ageSeconds, freshness.stale, freshnessPolicy, isPrivate),
    'CDN-Cache-Control',
    isForOneReader ? 'no-store' : cdnCacheControlOf(ageSeconds, freshness.stale, freshnessPolicy),
    'Cache-Status',
    cacheStatusOf(freshness.facts),
  ];
}

/**
 * `Cache-Control` (RFC 9111, 5.2; RFC 5861). A cache takes `Age` off `max-age`, so `max-age` is the age plus what is left:
 * a fixed one would make every answer that is older than it useless to Varnish and to browsers.
 */
export function cacheControlOf(
  ageSeconds: number,
  stale: boolean,
  freshnessPolicy: FreshnessPolicy,
  isPrivate = false,
): string {
  return directives(maxAgeOf(ageSeconds, stale, freshnessPolicy), freshnessPolicy, isPrivate ? 'private' : 'public');
}

/**
 * `CDN-Cache-Control` (RFC 9213), for caches that serve many readers. They take `Age` off too, and an answer that is past
 * its lifetime for want of calls would send every reader of theirs here: a second from now is always theirs.
 */
export function cdnCacheControlOf(ageSeconds: number, stale: boolean, freshnessPolicy: FreshnessPolicy): string {
  return directives(Math.max(ageSeconds + 1, maxAgeOf(ageSeconds, stale, freshnessPolicy)), freshnessPolicy, 'public');
}

function maxAgeOf(ageSeconds: number, stale: boolean, { freshForMs }: FreshnessPolicy): number {
  const freshSeconds = Math.max(1, Math.floor(freshForMs / 1_000));
  return stale ? STALE_DOWNSTREAM_SECONDS : Math.min(freshSeconds, ageSeconds + DOWNSTREAM_SECONDS);
}

function directives(maxAge: number, { staleForMs }: FreshnessPolicy, scope: 'public' | 'private'): string {
  const staleSeconds = Math.floor(staleForMs / 1_000);
  const revalidate = Math.min(REVALIDATE_SECONDS, staleSeconds);
  return `${scope}, max-age=${maxAge}, stale-while-revalidate=${revalidate}, stale-if-error=${staleSeconds}`;
}

/** Answers with something known, with the headers that say how fresh it is. */
export function sendCached(
  context: RequestContext,
  body: Representation,
  freshness: ResponseFreshness,
  freshnessPolicy: FreshnessPolicy,
): void {
  sendBody(context, body, recordFreshness(context, freshness, freshnessPolicy));
}

/** Records for log and metrics how fresh the answer is; returns the headers that say so. */
export function recordFreshness(
  context: RequestContext,
  freshness: ResponseFreshness,
  freshnessPolicy: FreshnessPolicy,
): string[] {
  context.cacheResult = cacheResultOf(freshness);
  context.ageMs = freshness.ageMs;
  context.stale = freshness.stale;
  return freshnessHeaders(freshness, freshnessPolicy, context.isPrivate);
}

/** What the cache did, in one word for log and metrics. */
export function cacheResultOf({ facts, stale }: Pick<ResponseFreshness, 'facts' | 'stale'>): string {
  if (facts.hit) return stale ? 'stale' : 'hit';
  return facts.collapsed === true ? 'collapsed' : (facts.fwd ?? 'miss');
}

/**
 * `Cache-Status` (RFC 9211): what the cache did for this response. All values are numbers and words of our own, which need no
 * quoting (RFC 9651, 3.3.4).
 */
export function cacheStatusOf({ hit, fwd, fwdStatus, ttlSeconds, stored, collapsed, detail }: CacheFacts): string {
  const parameters = [
    hit ? 'hit' : fwd && `fwd=${fwd}`,
    fwdStatus !== undefined && `fwd-status=${fwdStatus}`,
    Number.isFinite(ttlSeconds) && `ttl=${Math.trunc(ttlSeconds)}`,
    stored && 'stored',
    collapsed && 'collapsed',
    detail && `detail=${detail}`,
  ];
  return ['PulseCard', ...parameters.filter(Boolean)].join(';');
}
