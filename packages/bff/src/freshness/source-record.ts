import { ageIndex, expectedStaleness } from './age-index.ts';
import { type ChangeRate, changesPerMs, UNKNOWN_CHANGE_RATE, withObservation } from './change-rate.ts';
import { ViewRate } from './view-rate.ts';

/** A source nobody has looked at for this long is left alone until somebody does. */
const FORSAKEN_MS = 1_800_000;

/** An answer that is still not there after this long is not waited for. */
const ANSWER_LOST_MS = 60_000;

/** How long a source rests after its first failure in a row, and at most. */
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 30_000;

/** What the planner knows of one source. */
export class SourceRecord {
  readonly views: ViewRate;
  #changes: ChangeRate = UNKNOWN_CHANGE_RATE;
  #refreshedAt: number | undefined;
  #askedAt: number | undefined;
  #lastSeenAt: number | undefined;
  #failures = 0;
  #restsUntil = -Infinity;

  constructor(now: number) {
    this.views = new ViewRate(now);
  }

  sawView(now: number): void {
    this.views.sawView(now);
    this.#lastSeenAt = now;
  }

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
    this.#failures = 0;
    this.#restsUntil = -Infinity;
  }

  failed(now: number): void {
    this.#askedAt = undefined;
    this.#restsUntil = now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  /** When the upstream was last asked with success, in ms; undefined before the first answer. */
  get refreshedAt(): number | undefined {
    return this.#refreshedAt;
  }

  get changesPerMs(): number {
    return changesPerMs(this.#changes);
  }

  isBeingAsked(now: number): boolean {
    return this.#askedAt !== undefined && now - this.#askedAt < ANSWER_LOST_MS;
  }

  isResting(now: number): boolean {
    return now < this.#restsUntil;
  }

  /** Says whether anybody has looked within the last `forMs`, or is looking now. */
  isSeen(now: number, forMs = FORSAKEN_MS): boolean {
    return this.views.readers > 0 || (this.#lastSeenAt !== undefined && now - this.#lastSeenAt < forMs);
  }

  ageMs(now: number): number {
    return this.#refreshedAt === undefined ? Infinity : Math.max(0, now - this.#refreshedAt);
  }

  /** What a refresh at `now` buys all later readers, in reader-ms. */
  worth(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : ageIndex(this.views.perMs(now), this.changesPerMs, ageMs);
  }

  /** How stale the copy is that a reader gets at `now`, in ms (expected). */
  staleness(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : expectedStaleness(this.changesPerMs, ageMs);
  }
}
