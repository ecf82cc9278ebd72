/** The prior: one change in ten minutes, with the weight of one observation. */
const PRIOR_CHANGES = 1;
const CHANGE_PRIOR_MS = 600_000;

/** Changes that are remembered: the rate is known to a quarter, and a source whose rate changes is followed. */
const REMEMBERED_CHANGES = 16;

/** The estimated rate of changes of a source. */
export interface ChangeRate {
  /** Expected number of changes, with those between two refreshes. */
  readonly changes: number;
  /** Observed time, in ms. */
  readonly watchedMs: number;
}

/** The estimate for a source that was never refreshed. */
export const UNKNOWN_CHANGE_RATE: ChangeRate = { changes: PRIOR_CHANGES, watchedMs: CHANGE_PRIOR_MS };

/** The estimated changes per ms (mean of a Gamma posterior). */
export function changesPerMs({ changes, watchedMs }: ChangeRate): number {
  return changes / watchedMs;
}

/**
 * Records that a refresh `gapMs` after the previous one found a change, or none. A change may be the last of several:
 * λI/(1 − e^{−λI}) are expected (the EM step of the censored Poisson likelihood).
 */
export function updatePosterior(rate: ChangeRate, gapMs: number, changed: boolean): ChangeRate {
  if (gapMs <= 0) return rate;
  const changes = rate.changes + (changed ? expectedChanges(changesPerMs(rate) * gapMs) : 0);
  const watchedMs = rate.watchedMs + gapMs;
  const weight = Math.min(1, REMEMBERED_CHANGES / changes);
  return { changes: changes * weight, watchedMs: watchedMs * weight };
}

/** Mean of a Poisson number with mean `x` that is known not to be zero. */
function expectedChanges(x: number): number {
  return x < 1e-6 ? 1 : x / -Math.expm1(-x);
}

/** Below this `λτ` the closed forms lose digits to cancellation, and their series are exact to 1e-9. */
const SMALL = 1e-2;

/**
 * How old, in ms, the first change is that a copy of age `ageMs` is expected to miss: a(τ) = τ − (1 − e^{−λτ})/λ.
 * Zero for a source that never changes.
 */
export function expectedStaleness(changesPerMs: number, ageMs: number): number {
  const x = changesPerMs * ageMs;
  if (x <= 0) return 0;
  if (x < SMALL) return ageMs * (x / 2 - (x * x) / 6 + (x * x * x) / 24);
  return ageMs - (1 - Math.exp(-x)) / changesPerMs;
}

/**
 * The reader-milliseconds of staleness that one refresh buys, spent on a copy of age `ageMs`:
 * W(τ) = w · (τ·a(τ) − ∫₀^τ a) = w · (τ²/2 + τe^{−λτ}/λ − (1 − e^{−λτ})/λ²).
 */
export function whittleIndex(viewsPerMs: number, changesPerMs: number, ageMs: number): number {
  const x = changesPerMs * ageMs;
  if (x <= 0) return 0;
  return viewsPerMs * ageMs * ageMs * shapeOf(x);
}

/** W / (w·τ²) at x = λτ: x/3 for slow changers, 1/2 for fast ones. */
function shapeOf(x: number): number {
  if (x < SMALL) return x / 3 - (x * x) / 8 + (x * x * x) / 30;
  const decay = Math.exp(-x);
  return 0.5 + decay / x - (1 - decay) / (x * x);
}
