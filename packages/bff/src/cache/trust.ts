import { type Verdict, verdictOn } from '../freshness/verdict.ts';

/** How long answers are trusted, in ms. */
export interface Lifetimes {
  readonly freshForMs: number;
  /** How much longer an answer is served while no newer one is to be had. */
  readonly staleForMs: number;
  /** The same, from the moment on when the key was refused. */
  readonly authStaleForMs: number;
}

/** Says how far an answer may be trusted at `now`; `refusedForMs`: how long the key has been refused, if it is. */
export function trustIn(
  askedAt: number,
  { freshForMs, staleForMs, authStaleForMs }: Lifetimes,
  { now, refusedForMs }: { now: number; refusedForMs: number | undefined },
): Verdict {
  const verdict = verdictOn({ storedAt: askedAt, lifetime: { freshForMs, staleForMs } }, now);
  const isOver = refusedForMs !== undefined && refusedForMs >= authStaleForMs;
  return verdict === 'stale' && isOver ? 'expired' : verdict;
}
