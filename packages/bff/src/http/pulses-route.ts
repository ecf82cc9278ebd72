import { BATCH_SIZE, type ErrorCode, isSourceId, type PulseOutcome } from '@pulse-card/contract';
import type { Permit } from '../access/permit.ts';
import type { CacheFacts, Card, Reading } from '../cache/port.ts';
import { sendKnown } from './answer-freshness.ts';
import type { BatchBodies } from './batch-bodies.ts';
import type { Exchange } from './exchange.ts';
import type { Freshness } from './freshness-headers.ts';
import type { PulseBodies } from './pulse-bodies.ts';
import type { PulseRouteParts } from './pulse-route.ts';
import { ERROR_TEXTS, sendError } from './send-error.ts';

/** The route of a whole page's pulses, as log and metrics name it. */
export const PULSES_ROUTE = '/v1/pulses';

/** What the batch route needs. */
export interface PulsesRouteParts extends PulseRouteParts {
  readonly batches: BatchBodies;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

type CardReading = Reading<Card>;

/** Failures that will not be over by themselves; all others may, and no cache may keep them. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'invalid_source_id',
  'token_forbidden',
  'source_unknown',
  'pulse_not_found',
]);

/** Answers with the pulses of all ids that the query names: at once where all are known. */
export function answerPulses(exchange: Exchange, parts: PulsesRouteParts): void | Promise<void> {
  exchange.route = PULSES_ROUTE;
  const ids = idsIn(exchange.query);
  if (ids.length === 0 || ids.length > BATCH_SIZE) return refuseCount(exchange, ids.length);
  const byId = new Map<string, CardReading | undefined>();
  for (const id of ids) if (!byId.has(id)) byId.set(id, peek(id, exchange.permit, parts));
  const peeked = ids.map((id) => byId.get(id));
  if (isComplete(peeked)) return sendReadings(exchange, ids, peeked, parts);
  return readMissing(ids, peeked, parts).then((readings) => sendReadings(exchange, ids, readings, parts));
}

function isComplete(peeked: readonly (CardReading | undefined)[]): peeked is readonly CardReading[] {
  return !peeked.includes(undefined);
}

function readMissing(
  ids: readonly string[],
  peeked: readonly (CardReading | undefined)[],
  { cache }: PulsesRouteParts,
): Promise<CardReading[]> {
  const asked = new Map<string, Promise<CardReading>>();
  for (const [at, id] of ids.entries()) {
    if (peeked[at] === undefined && !asked.has(id)) asked.set(id, cache.readCard(id));
  }
  return Promise.all(ids.map(async (id, at) => peeked[at] ?? (await asked.get(id)) ?? INVALID));
}

const INVALID: CardReading = { ok: false, code: 'invalid_source_id' };

const FORBIDDEN: CardReading = { ok: false, code: 'token_forbidden' };

/** What is known of `id` at once; of a source that the reader may not see, the cache is not asked. */
function peek(id: string, permit: Permit, { cache }: PulsesRouteParts): CardReading | undefined {
  if (!isSourceId(id)) return INVALID;
  return permit.covers(id) ? cache.peekCard(id) : FORBIDDEN;
}

/** The ids that `ids` names, in the order asked, duplicates kept. */
export function idsIn(query: string): string[] {
  const values = new URLSearchParams(query).getAll('ids');
  return values
    .join(',')
    .split(',')
    .filter((id) => id !== '');
}

/** Refuses a list of ids that is empty or too long. */
export function refuseCount(exchange: Exchange, count: number): void {
  sendError(exchange, 'invalid_source_id', {
    error: `The query parameter "ids" must name 1 to ${BATCH_SIZE} source ids, comma-separated; it names ${count}`,
  });
}

function sendReadings(
  exchange: Exchange,
  ids: readonly string[],
  readings: readonly CardReading[],
  { bodies, batches, lifetimes, wallNow }: PulsesRouteParts,
): void {
  const items = readings.map((reading, at) => itemOf(ids[at] ?? '', reading, bodies));
  const known = readings.filter((reading) => reading.ok);
  const requestedAtMs = Math.min(...known.map((reading) => reading.known.requestedAtMs));
  const freshness = freshnessOf(readings);
  const askedAtMs = known.length === 0 ? wallNow() : requestedAtMs;
  const body = batches.answer(batchName(exchange.query, readings), items, askedAtMs, freshness.stale);
  sendKnown(exchange, body, freshness, lifetimes);
}

/** Readers who may see different sources of the same page must not push each other's answers out. */
function batchName(query: string, readings: readonly CardReading[]): string {
  if (!readings.includes(FORBIDDEN)) return query;
  return `${query} ${readings.map((reading) => (reading === FORBIDDEN ? '0' : '1')).join('')}`;
}

function itemOf(id: string, reading: CardReading, bodies: PulseBodies): string {
  if (!reading.ok) return failedItem({ sourceId: id, code: reading.code });
  if (reading.known.pulse !== null) return bodies.item(reading.known, reading.stale);
  return failedItem({ sourceId: id, code: 'pulse_not_found', source: bodies.sourceFacts(reading.known) });
}

type Failed = Pick<Extract<PulseOutcome, { ok: false }>, 'sourceId' | 'code' | 'source'>;

function failedItem({ sourceId, code, source }: Failed): string {
  const rest = JSON.stringify({ ok: false, error: ERROR_TEXTS[code], code, ...(source && { source }) });
  return `{"sourceId":${asciiJson(sourceId)},${rest.slice(1)}`;
}

/** Text that somebody sent as JSON that is plain ASCII without markup: parsed it is unchanged, read raw it is harmless. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]|[<>&]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A batch is as old and as stale as the worst of it. */
function freshnessOf(readings: readonly CardReading[]): Freshness {
  const known = readings.filter((reading) => reading.ok);
  const isPassing = readings.some((reading) => !reading.ok && !LASTING.has(reading.code));
  return {
    ageMs: Math.max(0, ...known.map((reading) => reading.ageMs)),
    stale: known.some((reading) => reading.stale),
    facts: factsOf(known.map((reading) => reading.facts)),
    isPassing,
  };
}

function factsOf(all: readonly CacheFacts[]): CacheFacts {
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
