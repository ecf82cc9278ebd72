import { createHash } from 'node:crypto';
import type { FreshnessPolicy } from '../cache/freshness.ts';
import { freshnessHeaders, type ResponseFreshness } from './cache-headers.ts';
import { acceptedEncoding, isNoneMatch, JSON_TYPE, type Representation } from './representation.ts';
import type { Reader, RequestContext } from './request-context.ts';

/**
 * Responds with the encoding of `body` that the reader accepts. If the reader already has the body, responds with 304
 * (RFC 9110, 15.4.5).
 */
export function sendBody(context: RequestContext, body: Representation, headers: readonly string[]): void {
  const { 'accept-encoding': accepted, 'if-none-match': noneMatch } = context.request.headers;
  const form = body.in(acceptedEncoding(accepted));
  const tag = tagFor(context.reader, form.tag);
  if (isNoneMatch(noneMatch, tag)) context.send(304, [...headers, 'ETag', tag]);
  else {
    context.headers.push(...headers, 'ETag', tag);
    context.send(200, form.headers, form.bytes);
  }
}

/**
 * How many characters a tag takes from a digest. These characters hold 48 bits, which is enough to distinguish the
 * readers who share a browser.
 */
const DIGEST_LENGTH = 8;

/**
 * This reader's ETag for a response body. Readers with a name don't share ETags. Otherwise, a 304 could leave another
 * reader's name in a browser's cache.
 */
export function tagFor({ name }: Pick<Reader, 'name'>, tag: string): string {
  if (name === undefined) return tag;
  const digest = createHash('sha256').update(name).digest('base64url').slice(0, DIGEST_LENGTH);
  return `${tag.slice(0, -1)}.${digest}"`;
}

/** Responds with JSON that no cache may store. */
export function sendJson(context: RequestContext, value: object): void {
  sendText(context, 200, JSON_TYPE, JSON.stringify(value), ['Cache-Control', 'no-store']);
}

/** Responds with a string. */
export function sendText(
  context: RequestContext,
  status: number,
  type: string,
  text: string,
  headers: readonly string[],
): void {
  const bytes = Buffer.from(text);
  context.send(status, ['Content-Type', type, 'Content-Length', String(bytes.length), ...headers], bytes);
}

/** Responds with a cached body and the headers that report its freshness. */
export function sendCached(
  context: RequestContext,
  body: Representation,
  freshness: ResponseFreshness,
  freshnessPolicy: FreshnessPolicy,
): void {
  recordFreshness(context, freshness);
  sendBody(context, body, freshnessHeaders(freshness, freshnessPolicy, context.cacheScope));
}

/** Records what the cache did and how fresh the answer is, for the log and metrics. */
export function recordFreshness(context: RequestContext, { facts, isEarlierVersion, ageMs }: ResponseFreshness): void {
  const used = isEarlierVersion ? 'stale' : 'hit';
  const asked = facts.collapsed === true ? 'collapsed' : (facts.fwd ?? 'miss');
  context.record.cacheResult = facts.hit ? used : asked;
  context.record.ageMs = ageMs;
  context.record.isEarlierVersion = isEarlierVersion;
}
