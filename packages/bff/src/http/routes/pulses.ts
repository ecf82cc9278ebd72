import { BATCH_SIZE, type ErrorCode, type PulseOutcome } from '@pulse-card/contract';
import type { AllowedSources, Lookup, SourceSnapshot } from '../../pulses/pulses.ts';
import { ApiError, ERROR_TEXTS, isTemporary } from '../errors.ts';
import { type Handler, queryOf } from '../locals.ts';
import { metaOf } from '../public-fields.ts';
import { JSON_TYPE, sendCached, setCacheControl } from '../send.ts';
import { type DataParts, hasPulse, pulseBody } from './pulse.ts';

/**
 * The size limit for a response's items, in bytes: 2 MiB, minus the space for IDs and for the failures of omitted
 * items.
 */
const MAX_ITEMS_BYTES = 2 * 1024 * 1024 - 32 * 1024;

/** `GET /v1/pulses?ids=`. Each ID has its own outcome. */
export function batch(parts: DataParts): Handler {
  return async (req, res) => {
    const ids = idsIn(queryOf(req).getAll('ids'));
    if (ids.length === 0 || ids.length > BATCH_SIZE) throw countError(ids.length);
    const { sources, viewer, record } = res.locals;
    record.sourceIds = ids;
    const found = await Promise.all(ids.map((id) => parts.pulses.read(id, sources, viewer)));
    const items = withinLimit(found.map((lookup, at) => itemOf(ids[at] ?? '', lookup, parts)));
    record.itemCodes = items.flatMap(({ code }) => code ?? []);
    const missing = items.find(({ code }) => code === 'source_unknown');
    if (missing !== undefined) record.missingId = missing.sourceId;
    const oldest = oldestOf(found);
    const meta = metaOf(oldest.requestedAtMs, oldest.isStale);
    const make = () => `{"meta":${JSON.stringify(meta)},"pulses":[${items.map(textOf).join(',')}]}`;
    const madeFrom = [meta.requestedAt, meta.stale, ...items.map(({ content }) => content)];
    // Items for readers with different permissions have different names. Otherwise, these readers would replace each
    // other's body, and each request would compress it again.
    const name = `batch ${items.map(({ sourceId, code }) => (code ? `-${sourceId}` : sourceId)).join()}`;
    const body = parts.bodies.body(name, madeFrom, JSON_TYPE, make);
    // A response with a temporary failure isn't cached.
    if (record.itemCodes.some(isTemporary))
      for (const header of ['Cache-Control', 'CDN-Cache-Control']) setCacheControl(res, header, 'no-store');
    sendCached(req, res, body, oldest, parts.config);
  };
}

/** The batch entry for one source, for in-process callers. */
export async function readPulse(id: unknown, sources: AllowedSources, parts: DataParts): Promise<PulseOutcome> {
  const sourceId = typeof id === 'string' ? id : '';
  const lookup = await parts.pulses.read(sourceId, sources, 'in process');
  return JSON.parse(textOf(itemOf(sourceId, lookup, parts))) as PulseOutcome;
}

/** One outcome in a batch. */
interface Item {
  readonly sourceId: string;
  /** The item as JSON, without `sourceId` and `ok`. */
  readonly content: string;
  readonly byteLength: number;
  /** Undefined if there is a pulse. */
  readonly code?: ErrorCode;
}

function itemOf(sourceId: string, lookup: Lookup<SourceSnapshot>, parts: DataParts): Item {
  const { fields } = parts;
  if (!lookup.ok) return failedItem(sourceId, lookup.code);
  const { value } = lookup;
  if (!hasPulse(value)) return failedItem(sourceId, 'pulse_not_found', { source: fields.sourceFacts(value) });
  const { content, byteLength } = pulseBody({ ...lookup, value }, parts);
  return { sourceId, content, byteLength };
}

function failedItem(sourceId: string, code: ErrorCode, details: object = {}): Item {
  const content = JSON.stringify({ error: ERROR_TEXTS[code], code, ...details });
  return { sourceId, content, byteLength: Buffer.byteLength(content), code };
}

function textOf({ sourceId, content, code }: Item): string {
  return `{"sourceId":${JSON.stringify(sourceId)},"ok":${code === undefined},${content.slice(1)}`;
}

/** Replaces each item that would make the response too long with a failure. */
function withinLimit(items: readonly Item[]): Item[] {
  let left = MAX_ITEMS_BYTES;
  return items.map((item) => {
    if (item.byteLength > left) return failedItem(item.sourceId, 'rate_limited');
    left -= item.byteLength;
    return item;
  });
}

/** A batch is as old and as stale as the oldest item in it. */
function oldestOf(lookups: readonly Lookup<SourceSnapshot>[]) {
  const hits = lookups.filter((lookup) => lookup.ok);
  const fetched = hits.find(({ cache }) => cache !== 'hit');
  return {
    requestedAtMs: Math.min(Date.now(), ...hits.map(({ value }) => value.requestedAtMs)),
    ageMs: Math.max(0, ...hits.map(({ ageMs }) => ageMs)),
    isStale: hits.some(({ isStale }) => isStale),
    staleForMs: Math.min(...hits.map(({ staleForMs }) => staleForMs)),
    cache: hits.length === 0 ? 'miss' : (fetched?.cache ?? 'hit'),
  } as const;
}

/** The IDs in the query, in order and without duplicates. */
function idsIn(values: readonly string[]): string[] {
  return [...new Set(values.join(',').split(','))].filter((id) => id !== '');
}

function countError(count: number): ApiError {
  const error = `The query parameter "ids" must contain 1 to ${BATCH_SIZE} comma-separated source IDs; it contains ${count}`;
  return new ApiError('invalid_source_id', { error });
}
