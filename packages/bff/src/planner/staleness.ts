/** The prior: one change per ten minutes, with the weight of one observation. */
const PRIOR_CHANGES = 1;
const CHANGE_PRIOR_MS = 600_000;

/**
 * How many changes are remembered. With 16 changes, the rate is accurate to about a quarter, and the estimate follows a
 * source whose rate changes.
 */
const REMEMBERED_CHANGES = 16;

/** The estimated rate at which a source changes. */
export interface ChangeRate {
  /** Expected number of changes, including those that happened unseen between two refreshes. */
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
 * Records whether a refresh `gapMs` after the previous one found a change. One observed change may hide several:
 * λI/(1 − e^{−λI}) changes are expected (the EM step of the censored Poisson likelihood).
 */
export function updatePosterior(rate: ChangeRate, gapMs: number, changed: boolean): ChangeRate {
  if (gapMs <= 0) return rate;
  const changes = rate.changes + (changed ? expectedChanges(changesPerMs(rate) * gapMs) : 0);
  const watchedMs = rate.watchedMs + gapMs;
  const weight = Math.min(1, REMEMBERED_CHANGES / changes);
  return { changes: changes * weight, watchedMs: watchedMs * weight };
}

/** Mean of a Poisson-distributed number with mean `x`, given that the number isn't zero. */
function expectedChanges(x: number): number {
  return x < 1e-6 ? 1 : x / -Math.expm1(-x);
}

/**
 * For `λτ` below this value, the closed forms lose digits to cancellation. The series that replace them are exact to
 * 1e-9.
 */
const SMALL = 1e-2;

/**
 * The expected time, in ms, since the first change that a copy of age `ageMs` misses: a(τ) = τ − (1 − e^{−λτ})/λ. Zero
 * for a source that never changes.
 */
export function expectedStaleness(changesPerMs: number, ageMs: number): number {
  const x = changesPerMs * ageMs;
  if (x <= 0) return 0;
  if (x < SMALL) return ageMs * (x / 2 - (x * x) / 6 + (x * x * x) / 24);
  return ageMs - (1 - Math.exp(-x)) / changesPerMs;
}

/**
 * The reader-milliseconds of staleness that one refresh of a copy of age `ageMs` saves: W(τ) = w · (τ·a(τ) − ∫₀^τ a) =
 * w · (τ²/2 + τe^{−λτ}/λ − (1 − e^{−λτ})/λ²).
 */
export function whittleIndex(viewsPerMs: number, changesPerMs: number, ageMs: number): number {
  const x = changesPerMs * ageMs;
  if (x <= 0) return 0;
  return viewsPerMs * ageMs * ageMs * shapeOf(x);
}

/** W / (w·τ²) at x = λτ: about x/3 for sources that change slowly, and 1/2 for sources that change fast. */
function shapeOf(x: number): number {
  if (x < SMALL) return x / 3 - (x * x) / 8 + (x * x * x) / 30;
  const decay = Math.exp(-x);
  return 0.5 + decay / x - (1 - decay) / (x * x);
}
