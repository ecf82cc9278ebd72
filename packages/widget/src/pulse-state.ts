import type { Failure, Outcome, Pulse, SourceFacts } from './pulse-outcome.ts';

/** What a card is doing, as pages see it. */
export type PulseState = 'idle' | 'loading' | 'ready' | 'stale' | 'empty' | 'error';

/** All that a card knows of its pulse, or a board of its list. */
export interface PulseModel<Shown = Pulse> {
  readonly state: PulseState;
  readonly pulse: Shown | null;
  readonly source: SourceFacts | null;
  /** The last answer, where it was none. */
  readonly failure: Failure | null;
  /** Answers since the last good and fresh one. */
  readonly tries: number;
}

/** Times a card asks again by itself before it leaves that to the reader. */
export const MAX_RETRIES = 3;

/** A reader who would wait longer than that is told so, and one who has waited for so many answers. */
const PATIENCE_MS = 10_000;
const PATIENCE_TRIES = 2;

const RETRY_BASE_MS = 1_000;

/** An earlier version asks for a newer one this often at first, then less and less. */
const CALM_MS = { min: 30_000, max: 300_000 } as const;

/** A card that has not asked yet. */
export const IDLE: PulseModel<never> = { state: 'idle', pulse: null, source: null, failure: null, tries: 0 };

/** The model while a question is on its way; what is shown stays. `again`: by wish, so the next failure is final. */
export function asked<Shown>(model: PulseModel<Shown>, again = false): PulseModel<Shown> {
  return model.pulse ? model : { ...model, state: 'loading', tries: again ? MAX_RETRIES + 1 : 0 };
}

/** The model after an answer. */
export function answered<Shown>(model: PulseModel<Shown>, outcome: Outcome<Shown>): PulseModel<Shown> {
  const tries = model.tries + 1;
  if (outcome.ok) {
    const { pulse, source, stale } = outcome;
    return { state: stale ? 'stale' : 'ready', pulse, source, failure: null, tries: stale ? tries : 0 };
  }
  const failed = { ...model, source: outcome.source ?? model.source, failure: outcome, tries };
  if (outcome.retriable && model.pulse) return { ...failed, state: 'stale' };
  const state = outcome.code === 'pulse_not_found' ? 'empty' : 'error';
  const isSoon = tries < PATIENCE_TRIES && (nextAskInMs(failed) ?? Infinity) < PATIENCE_MS;
  return { ...failed, pulse: null, state: isSoon ? model.state : state };
}

/** Says whether the reader is, or stays, told of a failure: while a try that was asked for is on its way too. */
export function isTold({ state, failure, tries }: PulseModel<unknown>): boolean {
  return !!failure && (state !== 'loading' || tries > MAX_RETRIES);
}

/** How long to wait before asking again, in milliseconds; undefined where nothing is to be asked. */
export function nextAskInMs({ state, failure, tries }: PulseModel<unknown>): number | undefined {
  const { jitter, retryAfterMs, retriable } = failure ?? { jitter: Math.random(), retryAfterMs: 0, retriable: false };
  const step = 2 ** (tries - 1);
  if (state === 'stale') return Math.max(retryAfterMs, Math.min(CALM_MS.min * step, CALM_MS.max)) * (1 + jitter / 2);
  if (!retriable || tries > MAX_RETRIES) return undefined;
  return (retryAfterMs || RETRY_BASE_MS * step * (1 + jitter)) + jitter * RETRY_BASE_MS;
}
