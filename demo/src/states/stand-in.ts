import type { PulseOutcome, PulsesAnswer } from '@pulse-card/contract';
import { earlierRuns } from './earlier-runs.ts';

/** A response from the stand-in. */
export interface StandInResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Known = Extract<PulseOutcome, { ok: true }>;

/**
 * The failures that the Studio shows, with their HTTP statuses. `signed_out` comes from a login in front of the BFF.
 */
export const FAILURES = {
  pulse_not_found: 404,
  upstream_unavailable: 503,
  source_unknown: 404,
  token_forbidden: 403,
  origin_forbidden: 403,
  signed_out: 401,
} as const;

type Failure = keyof typeof FAILURES;

/** The error codes that a batch entry can have. */
const CODES_OF_ONE_ID: ReadonlySet<string> = new Set(['source_unknown', 'token_forbidden']);

/** How long cards wait before a retry: long enough that only the reader can trigger the next attempt. */
const RETRY_AFTER_SECONDS = 300;

/** The fields of a pulse that can be null. */
export const NULL_FIELDS = ['sourceName', 'completedAt', 'imageUrl', 'aiSummaryShort', 'aiSummaryLong'] as const;

/** Matches the script URLs that a card would request as an image. */
const ASKED_FOR = /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/;

/** The changes to the BFF's response, keyed by the state that they produce. */
const CHANGES: Readonly<Record<string, (known: Known) => Known>> = {
  fresh: (known) => known,
  stale: (known) => ({ ...known, meta: { ...known.meta, stale: true } }),
  delayed: (known) => ({ ...known, source: { ...known.source, status: 'DEGRADED' } }),
  paused: (known) => ({ ...known, source: { ...known.source, status: 'BROKEN' } }),
  overdue: (known) => ({
    ...withPulse(known, { completedAt: daysAgo(3) }),
    source: { ...known.source, rhythm: { usual: 'daily', overdueSince: daysAgo(1) } },
  }),
  withheld: (known) => withPulse(known, { aiSummaryShort: null, aiSummaryLong: null, withheld: true }),
  history: (known) => known,
  'no-picture': (known) => withPulse(known, { imageUrl: noPictureUrl(import.meta.url) }),
  ...Object.fromEntries(
    NULL_FIELDS.map((field) => [`null-${field}`, (known: Known) => withPulse(known, { [field]: null })]),
  ),
};

/**
 * A URL that cards request but that isn't an image. Normally, this is the script's own URL, which does respond. If
 * cards don't accept that URL because it is an `http:` URL on another machine, the result is a URL that doesn't
 * respond, and browsers log an error.
 */
export function noPictureUrl(scriptUrl: string): string {
  return ASKED_FOR.test(scriptUrl) ? `${scriptUrl}#stand-in/no-picture` : 'https://charts.invalid/gone.png';
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** The earlier runs of the pulse in a response, in the format of a BFF with `PULSE_HISTORY`. */
export function standInRuns({ meta, pulses: [outcome] }: PulsesAnswer): StandInResponse {
  return json(200, { meta: { ...meta, complete: false }, runs: outcome?.ok ? earlierRuns(outcome.pulse) : [] });
}

/** Whether the stand-in has a state with this name. */
export function isStandInState(name: string): boolean {
  return Object.hasOwn(CHANGES, name) || isCode(name) || name === 'loading';
}

/**
 * A BFF's response for `ids` in the `name` state. `real` is the response from the Studio's own BFF. To simulate a
 * missing response, the promise never settles.
 */
export async function standInAnswer(
  name: string,
  ids: readonly string[],
  real: () => Promise<PulsesAnswer>,
): Promise<StandInResponse> {
  if (name === 'loading') return new Promise(() => undefined);
  const change = CHANGES[name];
  if (change !== undefined) return json(200, changed(await real(), change));
  if (!isCode(name)) throw new Error(`The stand-in has no state ${name}`);
  return name === 'pulse_not_found' ? noPulseYet(await real()) : refusal(name, ids);
}

function changed({ meta, pulses }: PulsesAnswer, change: (known: Known) => Known): PulsesAnswer {
  const outcomes = pulses.map((outcome) => (outcome.ok ? change(outcome) : outcome));
  return { meta: { ...meta, stale: outcomes.some((outcome) => outcome.ok && outcome.meta.stale) }, pulses: outcomes };
}

function withPulse(known: Known, fields: Partial<Known['pulse']>): Known {
  const pulse = { ...known.pulse, ...fields };
  return { ...known, pulse, source: { ...known.source, name: pulse.sourceName } };
}

/** The sources in `real` as they are before their first pulse. The response includes their names. */
function noPulseYet({ meta, pulses }: PulsesAnswer): StandInResponse {
  const code = 'pulse_not_found';
  const outcomes = pulses.map(({ sourceId, source }) => ({
    sourceId,
    ok: false,
    error: 'No pulse found',
    code,
    source,
  }));
  return json(200, { meta, pulses: outcomes });
}

function refusal(code: Failure, ids: readonly string[]): StandInResponse {
  const error = code.replaceAll('_', ' ');
  if (!CODES_OF_ONE_ID.has(code)) return json(FAILURES[code], { success: false, error, code });
  const meta = { requestedAt: new Date().toISOString(), stale: false };
  return json(200, { meta, pulses: ids.map((sourceId) => ({ sourceId, ok: false, error, code })) });
}

function isCode(name: string): name is Failure {
  return Object.hasOwn(FAILURES, name);
}

function json(status: number, body: unknown): StandInResponse {
  const retry = status >= 429 ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {};
  return { status, headers: { 'Content-Type': 'application/json', ...retry }, body: JSON.stringify(body) };
}
