import { ERROR_STATUS, type ErrorCode, type PulsesAnswer } from '@pulse-card/contract';

/** What the demo's stand-in for a troubled BFF sends: as a BFF would, in the same words. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A BFF in a certain state: every error it can have, and the oddities of a network. */
export type AnswerName = ErrorCode | OddAnswer;

/** Answers that no error code stands for. */
export const ODD_ANSWERS = ['stale', 'bad-json', 'wrong-shape', 'broken-image', 'unknown-status'] as const;

/** An answer that no error code stands for. */
export type OddAnswer = (typeof ODD_ANSWERS)[number];

/** An answer that never comes, and a connection that breaks off. */
export const HANGING = 'hanging';
export const HUNG_UP = 'hung-up';

/** Long enough that a card leaves the next try to the reader. */
const RETRY_AFTER_SECONDS = 60;

/** The codes that stand inside an answer for a whole page, each for its own id. */
const CODES_OF_ONE_ID = new Set<string>(['invalid_source_id', 'source_unknown', 'pulse_not_found', 'token_forbidden']);

/** Says whether `name` is a state that can be asked for. */
export function isAnswerName(name: string): name is AnswerName {
  return Object.hasOwn(ERROR_STATUS, name) || ODD_ANSWERS.some((odd) => odd === name);
}

/** The answer of a BFF in the state `name` to a question for `ids`; `real` is what a sound BFF says. */
export async function answerFor(
  name: AnswerName,
  ids: readonly string[],
  real: () => Promise<PulsesAnswer>,
): Promise<Answer> {
  if (name === 'bad-json') return { status: 200, body: '{ "pulses": [' };
  if (name === 'wrong-shape') return json({ pulses: ids.map((sourceId) => ({ sourceId, ok: true, pulse: 'none' })) });
  if (name === 'stale' || name === 'broken-image' || name === 'unknown-status') return json(bent(name, await real()));
  if (CODES_OF_ONE_ID.has(name)) return json(refusals(name, ids));
  const retry = ERROR_STATUS[name] >= 429 ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {};
  return { ...json({ success: false, error: sayingOf(name), code: name }), status: ERROR_STATUS[name], headers: retry };
}

function bent(name: 'stale' | 'broken-image' | 'unknown-status', { meta, pulses }: PulsesAnswer): PulsesAnswer {
  const bend = {
    stale: (outcome: Told): Told => ({ ...outcome, meta: { ...outcome.meta, stale: true } }),
    'broken-image': (outcome: Told): Told => ({
      ...outcome,
      pulse: { ...outcome.pulse, imageUrl: 'https://charts.invalid/gone.png' },
    }),
    'unknown-status': (outcome: Told): Told => ({ ...outcome, source: { ...outcome.source, status: 'PAUSED' } }),
  }[name];
  return {
    meta: { ...meta, stale: name === 'stale' },
    pulses: pulses.map((outcome) => (outcome.ok ? bend(outcome) : outcome)),
  };
}

type Told = Extract<PulsesAnswer['pulses'][number], { ok: true }>;

function refusals(code: ErrorCode, ids: readonly string[]): PulsesAnswer {
  const meta = { requestedAt: new Date().toISOString(), stale: false };
  return { meta, pulses: ids.map((sourceId) => ({ sourceId, ok: false, error: sayingOf(code), code })) };
}

function sayingOf(code: ErrorCode): string {
  return code === 'pulse_not_found' ? 'No pulse found for this source' : code.replaceAll('_', ' ');
}

function json(body: unknown): Answer {
  return { status: 200, body: JSON.stringify(body) };
}
