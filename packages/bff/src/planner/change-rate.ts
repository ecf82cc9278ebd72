/** The rate that is assumed before anything was seen: one change in ten minutes, as firmly as one observation holds. */
const PRIOR_CHANGES = 1;
const PRIOR_MS = 600_000;

/** Changes that are remembered: enough to know the rate to a quarter, few enough to follow a source that changes its habits. */
const REMEMBERED = 16;

/** What refreshes have told about how often a source changes. */
export interface ChangeRate {
  /** Changes, those in between that no refresh could see included (expected number). */
  readonly changes: number;
  /** Time that was watched, in ms. */
  readonly watchedMs: number;
}

/** What is known of a source that was never refreshed. */
export const UNKNOWN_CHANGE_RATE: ChangeRate = { changes: PRIOR_CHANGES, watchedMs: PRIOR_MS };

/** The estimated changes per ms (mean of a Gamma posterior). */
export function changesPerMs({ changes, watchedMs }: ChangeRate): number {
  return changes / watchedMs;
}

/**
 * Records that a refresh `gapMs` after the one before found a change, or none. One that is found may stand for several:
 * λI/(1 − e^{−λI}) are expected (the EM step of the censored Poisson likelihood).
 */
export function updatePosterior(rate: ChangeRate, gapMs: number, changed: boolean): ChangeRate {
  if (gapMs <= 0) return rate;
  const changes = rate.changes + (changed ? expectedChanges(changesPerMs(rate) * gapMs) : 0);
  const watchedMs = rate.watchedMs + gapMs;
  const cached = Math.min(1, REMEMBERED / changes);
  return { changes: changes * cached, watchedMs: watchedMs * cached };
}

/** Mean of a Poisson number with mean `x` that is known not to be zero. */
function expectedChanges(x: number): number {
  return x < 1e-6 ? 1 : x / -Math.expm1(-x);
}
