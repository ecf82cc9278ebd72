import { BATCH_SIZE, type ErrorCode, type PulseOutcome, isSourceId } from '@pulse-card/contract';
import type { SourceSnapshot } from '../../cache/entries.ts';
import type { CacheFacts, CacheHit, LookupResult } from '../../cache/freshness.ts';
import type { SourceRefusal } from '../../cache/pulse-reader.ts';
import type { RequestContext } from '../request-context.ts';
import type { RouteParts } from '../route.ts';
import { answerMeta, publicAnswer, publicSourceFacts } from '../public-fields.ts';
import { JSON_TYPE, Representation } from '../representation.ts';
import { freshSecondsOf, type ResponseFreshness } from '../cache-headers.ts';
import { ERROR_TEXTS, sendError, sendSourceForbidden } from '../errors.ts';
import { sendCached } from '../respond.ts';

type PulseLookup = LookupResult<SourceSnapshot>;
type FailedLookup = Extract<PulseLookup, { ok: false }>;

/** The route for one source's latest pulse, as the log and metrics name it. */
export const PULSE_ROUTE = '/v1/sources/:sourceId/pulse';

/** Responds with the latest pulse of a source. If the pulse is cached, responds immediately. */
export function sendPulse(context: RequestContext, parts: RouteParts, sourceId: string): void | Promise<void> {
  if (isSourceId(sourceId)) context.record.sourceIds = [sourceId];
  const lookup = parts.cache.read(sourceId, context.reader);
  if (lookup instanceof Promise) return lookup.then((read) => sendLookup(context, read, parts));
  return sendLookup(context, lookup, parts);
}

/**
 * Looks up the source that a path names. Responds with an error and returns undefined if the id is malformed, the
 * reader may not see the source, or no pulse can be shown.
 */
export async function findSource(
  context: RequestContext,
  sourceId: string,
  parts: RouteParts,
): Promise<CacheHit<SourceSnapshot> | undefined> {
  const lookup = await parts.cache.read(sourceId, context.reader);
  if (!lookup.ok) sendFailure(context, lookup, parts);
  return lookup.ok ? lookup : undefined;
}

/**
 * Looks up a source in the cache only. The lookup makes no call to the service, and doesn't count as a view of the
 * source.
 */
export function findCachedSource(
  context: RequestContext,
  sourceId: string,
  parts: RouteParts,
): CacheHit<SourceSnapshot> | undefined {
  const lookup = parts.cache.readCached(sourceId, context.reader);
  if (lookup.ok && lookup.value.pulse !== null) return lookup;
  sendFailure(context, lookup.ok ? NO_PULSE : lookup, parts);
  return undefined;
}

/** The failure for a source without a pulse. */
const NO_PULSE = { ok: false, code: 'pulse_not_found' } as const;

function sendFailure(context: RequestContext, { code, retryInMs }: FailedLookup, parts: RouteParts): void {
  if (code === 'token_forbidden') sendSourceForbidden(context, parts);
  // A 404 is cached no longer than a pulse, so that a source's first pulse appears as soon as any later pulse would.
  else if (code === 'pulse_not_found') sendError(context, code, { maxAgeSeconds: freshSecondsOf(parts.config) });
  else sendError(context, code, { retryInMs });
}

function sendLookup(context: RequestContext, lookup: PulseLookup, parts: RouteParts): void {
  if (!lookup.ok || lookup.value.pulse === null) return sendFailure(context, lookup.ok ? NO_PULSE : lookup, parts);
  sendCached(context, answerBody(lookup, parts), lookup, parts.config);
}

/** The answer for one source that has a pulse. */
function answerBody(
  { value, isEarlierVersion }: CacheHit<SourceSnapshot>,
  { bodies, fieldPolicy, additions }: RouteParts,
): Representation {
  const dependencies = [value, isEarlierVersion, fieldPolicy.charts.period?.(), additions.revision()];
  const make = () => JSON.stringify(additions.amend(publicAnswer(value, isEarlierVersion, fieldPolicy)));
  return bodies.body(value.sourceId, dependencies, JSON_TYPE, make);
}

/** The route for all the pulses on a page, as the log and metrics name it. */
export const PULSES_ROUTE = '/v1/pulses';

/** Failures that last. A response that contains a failure of any other kind isn't cached. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'invalid_source_id',
  'token_forbidden',
  'source_unknown',
  'pulse_not_found',
]);

/** Responds with the pulses of all ids in the query. If all pulses are cached, responds immediately. */
export function sendPulses(context: RequestContext, parts: RouteParts): void | Promise<void> {
  const ids = idsIn(context.target.query);
  if (ids.length === 0 || ids.length > BATCH_SIZE) return refuseCount(context, ids.length);
  context.record.sourceIds = ids;
  const lookups = ids.map((id) => parts.cache.read(id, context.reader));
  if (isComplete(lookups)) return sendLookups(context, ids, lookups, parts);
  return Promise.all(lookups.map(async (lookup) => lookup)).then((read) => sendLookups(context, ids, read, parts));
}

/** Returns what a batch would contain about one source, for code in this process. */
export async function readPulse(id: unknown, refusalOf: SourceRefusal, parts: RouteParts): Promise<PulseOutcome> {
  const sourceId = typeof id === 'string' ? id : '';
  const lookup = await parts.cache.read(sourceId, { viewer: IN_PROCESS, refusalOf });
  return JSON.parse(textOf(sourceId, itemOf(sourceId, lookup, parts))) as PulseOutcome;
}

/** The client for code in this process. */
const IN_PROCESS = 'in process';

function isComplete(lookups: readonly (PulseLookup | Promise<PulseLookup>)[]): lookups is readonly PulseLookup[] {
  return !lookups.some((lookup) => lookup instanceof Promise);
}

/** Returns the ids in the `ids` query parameter, in order and without duplicates. */
function idsIn(query: string): string[] {
  const ids = new URLSearchParams(query).getAll('ids').join(',').split(',');
  return [...new Set(ids)].filter((id) => id !== '');
}

/** Rejects a list of ids that is empty or too long. */
function refuseCount(context: RequestContext, count: number): void {
  sendError(context, 'invalid_source_id', {
    error: `The query parameter "ids" must contain 1 to ${BATCH_SIZE} comma-separated source ids; it contains ${count}`,
  });
}

function sendLookups(
  context: RequestContext,
  ids: readonly string[],
  found: readonly PulseLookup[],
  parts: RouteParts,
): void {
  const { config, bodies, clock } = parts;
  const { lookups, items } = withinLimit(ids, found, parts);
  context.record.itemCode = firstFailure(lookups);
  const freshness = { ...batchFreshness(lookups), hasTemporaryFailure: context.record.itemCode !== undefined };
  const oldestMs = Math.min(...lookups.map((lookup) => (lookup.ok ? lookup.value.requestedAtMs : Infinity)));
  const requestedAtMs = Number.isFinite(oldestMs) ? oldestMs : clock.wallNow();
  const make = (): string => {
    const meta = JSON.stringify(answerMeta(requestedAtMs, freshness.isEarlierVersion));
    const texts = items.map((item, at) => textOf(ids[at] ?? '', item));
    return `{"meta":${meta},"pulses":[${texts.join(',')}]}`;
  };
  const body = isSorted(ids)
    ? bodies.body(batchName(ids, lookups), [requestedAtMs, freshness.isEarlierVersion, ...items], JSON_TYPE, make)
    : new Representation(make(), JSON_TYPE, { isCompressed: false });
  sendCached(context, body, freshness, config);
}

/** Returns the code of the first temporary failure. Such a failure keeps a pulse from a reader who may see it. */
function firstFailure(lookups: readonly PulseLookup[]): ErrorCode | undefined {
  for (const lookup of lookups) if (!lookup.ok && !LASTING.has(lookup.code)) return lookup.code;
  return undefined;
}

/**
 * The maximum size of the items in an answer, in bytes. The limit is 2 MiB, minus the space for ids and for the
 * failures that replace omitted items.
 */
const MAX_ITEMS_BYTES = 2 * 1024 * 1024 - 32 * 1024;

const TOO_LONG = { ok: false, code: 'rate_limited' } as const;

/** Returns the items of an answer. Each item that would make the answer too long is replaced with a failure. */
function withinLimit(ids: readonly string[], found: readonly PulseLookup[], parts: RouteParts) {
  const lookups = [...found];
  const items = found.map((lookup, at) => itemOf(ids[at] ?? '', lookup, parts));
  let left = MAX_ITEMS_BYTES;
  for (const [at, item] of items.entries()) {
    const bytes = typeof item === 'string' ? Buffer.byteLength(item) : item.byteLength;
    if (bytes <= left) left -= bytes;
    else {
      lookups[at] = TOO_LONG;
      items[at] = itemOf(ids[at] ?? '', TOO_LONG, parts);
    }
  }
  return { lookups, items };
}

/**
 * Only bodies whose ids are in the order that cards use are compressed and cached. Otherwise, a visitor could fill the
 * cache with the same ids in different orders.
 */
function isSorted(ids: readonly string[]): boolean {
  return ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id);
}

/** Readers who may see different sources get separate cache entries, so that they don't evict each other's entries. */
function batchName(ids: readonly string[], lookups: readonly PulseLookup[]): string {
  return `${PULSES_ROUTE} ${ids.map((id, at) => (lookups[at]?.ok ? id : `-${id}`)).join()}`;
}

/** An item of a batch: the answer for its source, or the text of a failure. */
type BatchItem = Representation | string;

function itemOf(id: string, lookup: PulseLookup, parts: RouteParts): BatchItem {
  if (!lookup.ok) return failedItem({ sourceId: id, code: lookup.code }, parts);
  if (lookup.value.pulse !== null) return answerBody(lookup, parts);
  const source = publicSourceFacts(lookup.value, parts.fieldPolicy);
  return failedItem({ sourceId: id, code: 'pulse_not_found', source }, parts);
}

function textOf(id: string, item: BatchItem): string {
  return typeof item === 'string' ? item : `{"sourceId":"${id}","ok":true,${item.text.slice(1)}`;
}

type FailedItem = Pick<Extract<PulseOutcome, { ok: false }>, 'sourceId' | 'code' | 'source'>;

function failedItem({ sourceId, code, source }: FailedItem, { forbiddenText }: RouteParts): string {
  const error = code === 'token_forbidden' ? forbiddenText : ERROR_TEXTS[code];
  const rest = JSON.stringify({ ok: false, error, code, ...(source && { source }) });
  return `{"sourceId":${asciiJson(sourceId)},${rest.slice(1)}`;
}

/**
 * Returns a visitor's text as JSON in plain ASCII without markup. Parsing the JSON returns the original text, and the
 * JSON itself is harmless.
 */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]|[<>&]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A batch is as old and as stale as its oldest item. */
function batchFreshness(lookups: readonly PulseLookup[]): ResponseFreshness {
  const known = lookups.filter((lookup) => lookup.ok);
  return {
    ageMs: Math.max(0, ...known.map((lookup) => lookup.ageMs)),
    isEarlierVersion: known.some((lookup) => lookup.isEarlierVersion),
    facts: batchFacts(known.map((lookup) => lookup.facts)),
  };
}

function batchFacts(all: readonly CacheFacts[]): CacheFacts {
  const forwarded = all.find((facts) => !facts.hit);
  const ttlSeconds = Math.min(...all.map((facts) => facts.ttlSeconds));
  const detail = all.find((facts) => facts.detail !== undefined)?.detail;
  return {
    hit: forwarded === undefined && all.length > 0,
    ...(forwarded === undefined ? all.length === 0 && { fwd: 'miss' } : { fwd: forwarded.fwd ?? 'miss' }),
    ttlSeconds: Number.isFinite(ttlSeconds) ? ttlSeconds : 0,
    ...(detail !== undefined && { detail }),
  };
}
