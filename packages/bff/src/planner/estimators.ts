/** The prior: one change in ten minutes, with the weight of one observation. */
const PRIOR_CHANGES = 1;
const CHANGE_PRIOR_MS = 600_000;

/** Changes that are remembered: the rate is known to a quarter, and a source whose rate changes is followed. */
const REMEMBERED_CHANGES = 16;

/** What refreshes have shown of how often a source changes. */
export interface ChangeRate {
  /** Expected number of changes, with those between two refreshes. */
  readonly changes: number;
  /** Observed time, in ms. */
  readonly watchedMs: number;
}

/** What is known of a source that was never refreshed. */
export const UNKNOWN_CHANGE_RATE: ChangeRate = { changes: PRIOR_CHANGES, watchedMs: CHANGE_PRIOR_MS };

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
  const weight = Math.min(1, REMEMBERED_CHANGES / changes);
  return { changes: changes * weight, watchedMs: watchedMs * weight };
}

/** Mean of a Poisson number with mean `x` that is known not to be zero. */
function expectedChanges(x: number): number {
  return x < 1e-6 ? 1 : x / -Math.expm1(-x);
}

/** Views that are remembered: the rate is known to a fifth, and a burst is noticed within so many views. */
const REMEMBERED_VIEWS = 24;

/** The shortest time that a rate is taken over, in ms: one view in the first second is not a burst. */
const VIEW_PRIOR_MS = 60_000;

/** A reader with an open live stream counts as one view in this time. */
const LIVE_LOOK_MS = 30_000;

/** The recent rate of views of a source; counting a view allocates nothing. */
export class ViewRate {
  #views = 0;
  #countedMs = VIEW_PRIOR_MS;
  #at: number;
  #readers = 0;

  constructor(now: number) {
    this.#at = now;
  }

  /** Readers with an open live stream. */
  get readers(): number {
    return this.#readers;
  }

  /** Counts one view at `now`. */
  recordView(now: number): void {
    this.#countedMs += Math.max(0, now - this.#at);
    this.#at = Math.max(now, this.#at);
    this.#views += 1;
    if (this.#views <= REMEMBERED_VIEWS) return;
    this.#countedMs *= REMEMBERED_VIEWS / this.#views;
    this.#views = REMEMBERED_VIEWS;
  }

  /** Records how many live streams are open. */
  setWatchers(readers: number): void {
    this.#readers = readers;
  }

  /** The estimated views per ms at `now`, those of open streams included. */
  perMs(now: number): number {
    const timeoutMs = Math.max(0, now - this.#at);
    return this.#views / (this.#countedMs + timeoutMs) + this.#readers / LIVE_LOOK_MS;
  }
}

/** The weight of one answer: a change of the upstream's speed shows within a few dozen answers. */
const WEIGHT = 0.05;

/** The share of answers that come while a reader waits; late answers and failures lower it. */
export class OnTimeRatio {
  readonly #timeoutMs: number;
  #share = 1;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Records that an answer took `tookMs`; Infinity for none. */
  record(tookMs: number): void {
    this.#share += WEIGHT * (Number(tookMs <= this.#timeoutMs) - this.#share);
  }

  /** Share of answers on time, with more weight on the latest. */
  get share(): number {
    return this.#share;
  }
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
