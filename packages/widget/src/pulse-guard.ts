import { cleanText } from './clean-text.ts';
import type { Failure, Outcome, Pulse } from './pulse-outcome.ts';
import { safeUrl } from './safe-url.ts';

/** How much text of a field is shown, in UTF-16 code units. */
const NAME_LIMIT = 1_000;
const SHORT_LIMIT = 4_000;
const LONG_LIMIT = 60_000;

/** An answer that was fetched longer ago is an earlier version, whatever it says of itself: no server keeps one for longer. */
const OLD_MS = 86_400_000;

/** The status of each code that a row of a batch can name, where that is not 503. */
const STATUSES: Readonly<Record<string, number>> = {
  __proto__: null as never,
  invalid_source_id: 400,
  token_forbidden: 403,
  source_unknown: 404,
  pulse_not_found: 404,
  rate_limited: 429,
  internal: 500,
  upstream_invalid: 502,
};

interface Meta {
  readonly stale?: unknown;
  readonly requestedAt?: string;
}

type Raw<Keys extends string> = Readonly<Record<Keys, unknown>>;

/** Says whether `id` can be the id of a source or a run: it needs no escaping in a path, a query or a list. */
export function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w~-][\w.~-]{0,127}$/.test(id);
}

/** The pulse in `raw`, cleaned of what may not be shown, or null where `raw` is no pulse. */
export function readPulse(raw: unknown): Pulse | null {
  try {
    const pulse = raw as Raw<keyof Pulse>;
    if (!isId(pulse.jobRunId) || !isId(pulse.sourceId) || (pulse.status ?? 'SUCCESS') !== 'SUCCESS') return null;
    const completedAt = readText(pulse.completedAt);
    return {
      ...(raw as Pulse),
      sourceName: readText(pulse.sourceName),
      completedAt: completedAt && new Date(completedAt).toISOString(),
      imageUrl: safeUrl(readText(pulse.imageUrl, LONG_LIMIT) ?? ''),
      aiSummaryShort: readText(pulse.aiSummaryShort, SHORT_LIMIT),
      aiSummaryLong: readText(pulse.aiSummaryLong, LONG_LIMIT),
    };
  } catch {
    return null;
  }
}

/** What became of `id` in the answer `body` to a batched request. */
export function readOutcome(body: unknown, id: string): Outcome {
  return understood(() => {
    const { pulses } = body as { pulses: Raw<'sourceId'>[] };
    return readAnswer(pulses.find(({ sourceId }) => sourceId === id));
  });
}

/** What the answer for one source says, null for nothing; throws for what can't be read. */
export function readAnswer(answer: unknown): Outcome | null {
  const row = answer as Raw<'ok' | 'meta' | 'pulse' | 'source'> | undefined;
  const { status, name } = (row?.source ?? {}) as Raw<'status' | 'name'>;
  const { stale, requestedAt = '' } = (row?.meta ?? {}) as Meta;
  // A file, unlike a server, does not know that it has grown old.
  const oldSince = Date.now() - Date.parse(requestedAt) > OLD_MS && requestedAt;
  const source = { status: readText(status), name: readText(name), oldSince };
  if (row?.ok === false) return { ...failureOf(codeOf(row)), source };
  const pulse = readPulse(row?.pulse);
  return pulse && { ok: true, pulse, source, stale: stale === true || !!oldSince };
}

/** What `read` makes of an answer; one that it can't read, or finds nothing in, is no answer. */
export function understood<Shown>(read: () => Outcome<Shown> | null): Outcome<Shown> {
  try {
    const outcome = read();
    if (outcome) return outcome;
  } catch {
    // Broken.
  }
  return failureOf('invalid_answer', 200);
}

/** A failure by its code and its status, where that was not said: by the BFF's list, 503 for what is not in it. */
export function failureOf(code: string, status = STATUSES[code] ?? 503): Failure {
  const retriable = code === 'invalid_answer' || !status || status === 429 || status >= 500;
  return { ok: false, code, status, retriable, retryAfterMs: 0, jitter: 0, source: null };
}

/** The code in the error `body`, `upstream_unavailable` where it names none. */
export function codeOf(body: unknown): string {
  return (body as { code?: string } | null)?.code ?? 'upstream_unavailable';
}

/** Clean text, at most as long as a name unless `limit` says else, or null for nothing; throws for what is no text. */
export function readText(value: unknown, limit: number = NAME_LIMIT): string | null {
  return value ? cleanText(value as string, limit) || null : null;
}
