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
  const cached = Math.exp(-x);
  return 0.5 + cached / x - (1 - cached) / (x * x);
}
