import { cleanLine, cleanText, TEXT_LIMITS } from '@pulse-card/contract/text';
import type { Pulse, Rhythm } from './pulse.ts';
import { failureOf, type Result } from './result.ts';
import { isId, safeUrl } from './sanitize.ts';

/**
 * A response older than this counts as stale, even if `stale` is false, because a file on a static host can't know its
 * own age. The limit is two days because a reader's clock can be a day fast.
 */
const MAX_AGE_MS = 172_800_000;

type Unparsed<Keys extends string> = Readonly<Record<Keys, unknown>>;

/** Returns `url` if browsers are allowed to load it, otherwise null. */
type UrlRule = (url: unknown) => string | null;

/**
 * The cleaned pulse in `raw`; null if `raw` isn't a pulse. Unreadable fields are null. `urlOf` decides which charts can
 * be loaded.
 */
export function parsePulse(raw: unknown, urlOf: UrlRule = safeUrl): Pulse | null {
  const pulse = raw as Unparsed<keyof Pulse>;
  if (!isId(pulse.jobRunId) || !isId(pulse.sourceId) || (pulse.status ?? 'SUCCESS') !== 'SUCCESS') return null;
  const { withheld } = pulse;
  return {
    ...(raw as Pulse),
    sourceName: parseText(pulse.sourceName),
    completedAt: parseTime(pulse.completedAt),
    imageUrl: urlOf(pulse.imageUrl),
    aiSummaryShort: withheld ? null : parseLines(pulse.aiSummaryShort, TEXT_LIMITS.summaryShort),
    aiSummaryLong: withheld ? null : parseLines(pulse.aiSummaryLong, TEXT_LIMITS.summaryLong),
  };
}

/** The result for the source `id` in the body of a batch response. */
export function parseBatch(body: unknown, id: string): Result {
  return parseOrFail(() => {
    const { pulses } = body as { pulses: Unparsed<'sourceId'>[] };
    return parseEntry(pulses.find(({ sourceId }) => sourceId === id));
  });
}

/** The result in one batch entry; null if there is no pulse. Throws if the entry is malformed. */
export function parseEntry(entry: unknown, urlOf: UrlRule = safeUrl): Result | null {
  const row = entry as Unparsed<'ok' | 'meta' | 'pulse' | 'source'>;
  const { status, name, provider, link, rhythm } = (row.source ?? {}) as Unparsed<
    'status' | 'name' | 'provider' | 'link' | 'rhythm'
  >;
  const source = {
    status: parseText(status),
    name: parseText(name),
    provider: parseText(provider),
    link: safeUrl(link),
    rhythm: parseRhythm(rhythm),
  };
  if (row.ok === false)
    return { ...failureOf(bffCodeOf(row) ?? 'upstream_unavailable'), source, advice: adviceOf(row) };
  const data = parsePulse(row.pulse, urlOf);
  const meta = (row.meta ?? {}) as { stale?: unknown; requestedAt?: string };
  const requestedAt = Date.parse(parseTime(meta.requestedAt) ?? '');
  const stale = meta.stale === true || Date.now() - requestedAt > MAX_AGE_MS;
  return data && { ok: true, data, source, stale, requestedAt };
}

/** The usual interval in `raw`. Unknown values, which other versions of the BFF might send, become null. */
function parseRhythm(raw: unknown): Rhythm {
  const { usual, overdueSince } = Object(raw) as { [Name in keyof Rhythm]: unknown };
  return {
    usual: /^(hourly|daily|weekdays|weekly|monthly)$/.test(usual as string) ? (usual as Rhythm['usual']) : null,
    overdueSince: parseTime(overdueSince),
  };
}

/** The result of `parse`, or `invalid_answer` if `parse` throws or returns null. */
export function parseOrFail<T>(parse: () => Result<T> | null): Result<T> {
  try {
    const result = parse();
    if (result) return result;
  } catch {
    // The body is malformed.
  }
  return failureOf('invalid_answer', 200);
}

/** The code in an error body from the BFF; undefined if the body isn't from the BFF. */
export function bffCodeOf(body: unknown): string | undefined {
  const { code } = (body ?? {}) as { code?: string };
  return /^[a-z_]{1,40}$/.exec(code ?? '')?.[0];
}

/** The BFF's own message about an error, for the page's developer. */
export function adviceOf(body: unknown): string | null {
  const { error } = body as { error?: unknown };
  return parseText(error);
}

/** One line of clean text, or null if `value` isn't text or is empty once cleaned. */
export function parseText(value: unknown): string | null {
  return typeof value === 'string' ? cleanLine(value, TEXT_LIMITS.name) || null : null;
}

/** Clean lines of at most `limit` code units in total, or null if `value` isn't text or is empty once cleaned. */
function parseLines(value: unknown, limit: number): string | null {
  return typeof value === 'string' ? cleanText(value, limit) || null : null;
}

/** `value` in UTC if it is an ISO 8601 time with a time zone, otherwise null. */
function parseTime(value: unknown): string | null {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value as string)
    ? new Date(value as string).toJSON()
    : null;
}
