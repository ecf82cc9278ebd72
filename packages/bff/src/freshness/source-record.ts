import { ageIndex, expectedStaleness } from './age-index.ts';
import { type ChangeRate, changesPerMs, UNKNOWN_CHANGE_RATE, withObservation } from './change-rate.ts';
import { ViewRate } from './view-rate.ts';

/** A source nobody has looked at for this long is refreshed by plan once an hour at most, */
const RARE_AFTER_MS = 1_800_000;
const RARE_AGE_MS = 3_600_000;

/** and after this long not at all, until somebody looks again. */
const FORSAKEN_AFTER_MS = 86_400_000;

/** An answer that is not there after this long never comes. */
const ANSWER_LOST_MS = 60_000;

/** How long a source rests after its first failure in a row, doubled with each. */
const FIRST_REST_MS = 2_000;

/** What the planner knows of one source. */
export class SourceRecord {
  readonly views: ViewRate;
  #changes: ChangeRate = UNKNOWN_CHANGE_RATE;
  #refreshedAt: number | undefined;
  #askedAt: number | undefined;
  #seenAt = -Infinity;
  #failures = 0;
  #restsUntil = -Infinity;

  constructor(now: number) {
    this.views = new ViewRate(now);
  }

  /** Takes in that a reader looked. */
  sawView(now: number): void {
    this.views.sawView(now);
    this.#seenAt = now;
  }

  /** Takes in how many live streams show the source. */
  watchedBy(readers: number, now: number): void {
    if (this.views.readers > 0 || readers > 0) this.#seenAt = now;
    this.views.watchedBy(readers);
  }

  /** Takes in that a call leaves. */
  asked(now: number): void {
    this.#askedAt = now;
  }

  /** Takes in an answer; it is as old as the question. */
  refreshed(now: number, changed: boolean): void {
    const at = this.isBeingAsked(now) ? (this.#askedAt ?? now) : now;
    if (this.#refreshedAt !== undefined)
      this.#changes = withObservation(this.#changes, at - this.#refreshedAt, changed);
    this.#refreshedAt = at;
    this.#askedAt = undefined;
    this.rested();
  }

  /** Takes in that no answer came; the source rests, longer each time. */
  failed(now: number, longestRestMs: number): void {
    this.#askedAt = undefined;
    this.#restsUntil = now + Math.min(longestRestMs, FIRST_REST_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  /** Whether the last call brought no answer. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Rests until then, if not longer. */
  restUntil(until: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, until);
  }

  /** Ends the rest. */
  rested(): void {
    this.#failures = 0;
    this.#restsUntil = -Infinity;
  }

  /** When the upstream was last asked with success, in ms; undefined before the first answer. */
  get refreshedAt(): number | undefined {
    return this.#refreshedAt;
  }

  /** When somebody last looked, in ms. */
  get seenAt(): number {
    return this.#seenAt;
  }

  get changesPerMs(): number {
    return changesPerMs(this.#changes);
  }

  /** How long the call has been under way at `now`, in ms; undefined where none is. */
  askedForMs(now: number): number | undefined {
    return this.isBeingAsked(now) ? now - (this.#askedAt ?? now) : undefined;
  }

  isBeingAsked(now: number): boolean {
    return this.#askedAt !== undefined && now - this.#askedAt < ANSWER_LOST_MS;
  }

  isResting(now: number): boolean {
    return now < this.#restsUntil;
  }

  /** Says whether anybody has looked within the last `forMs`, or is looking now. */
  isSeen(now: number, forMs: number): boolean {
    return this.views.readers > 0 || now - this.#seenAt < forMs;
  }

  /** The age below which the source is not refreshed by plan, in ms: it grows where nobody looks. */
  leastAgeMs(now: number, minAgeMs: number): number {
    if (this.isSeen(now, RARE_AFTER_MS)) return minAgeMs;
    const rare = this.#refreshedAt !== undefined && this.isSeen(now, FORSAKEN_AFTER_MS);
    return rare ? Math.max(minAgeMs, RARE_AGE_MS) : Infinity;
  }

  /** Says whether a refresh by plan may take place at `now`, whatever it is worth. */
  isDue(now: number, minAgeMs: number): boolean {
    if (this.isBeingAsked(now) || this.isResting(now)) return false;
    const leastAgeMs = this.leastAgeMs(now, minAgeMs);
    return leastAgeMs !== Infinity && this.ageMs(now) >= leastAgeMs;
  }

  /** Time since the last answer was asked for, in ms; Infinity before the first. */
  ageMs(now: number): number {
    return this.#refreshedAt === undefined ? Infinity : Math.max(0, now - this.#refreshedAt);
  }

  /** What a refresh at `now` buys all later readers, in reader-ms; Infinity before the first answer. */
  worth(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : ageIndex(this.views.perMs(now), this.changesPerMs, ageMs);
  }

  /** How stale the copy is that a reader gets at `now`, in ms (expected); Infinity before the first answer. */
  staleness(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : expectedStaleness(this.changesPerMs, ageMs);
  }
}
