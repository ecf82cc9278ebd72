import type { Random } from '@pulse-card/testkit/random';
import type { WorldPlan } from './world-plan.ts';

/** The shortest and longest mean time between two changes of a source: half a minute and six hours, in ms. */
const FASTEST_MS = 30_000;
const SLOWEST_MS = 21_600_000;

/** A source begins to change at most this many times faster or slower than before. */
const HABIT_FACTOR = 4;

/** The times at which a source changed. */
export class ChangeHistory {
  readonly #times: Float64Array;
  readonly #habits: readonly Habit[];

  constructor(times: readonly number[], habits: readonly Habit[] = []) {
    this.#times = Float64Array.from(times);
    this.#habits = habits;
  }

  /** The number of changes up to `at`. */
  versionAt(at: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The time, in ms, since the first change that a copy with `version` changes lacks at the time `at`; 0 if it lacks
   * none.
   */
  stalenessOf(version: number, at: number): number {
    const missed = this.#times[version];
    return missed === undefined ? 0 : Math.max(0, at - missed);
  }

  /** The true rate of change, per ms. */
  perMs(at: number): number {
    let rate = 0;
    for (const habit of this.#habits) {
      if (habit.from > at) break;
      rate = 1 / habit.meanMs;
    }
    return rate;
  }
}

interface Habit {
  from: number;
  meanMs: number;
}

/** Generates the changes of one source. */
export function changesOf(plan: WorldPlan, endMs: number, random: Random): ChangeHistory {
  const habits = habitsOf(plan, endMs, random);
  const times: number[] = [];
  for (const [index, { from, meanMs }] of habits.entries()) {
    const until = habits[index + 1]?.from ?? endMs;
    let at = from + random.exponential(meanMs);
    while (at < until) {
      times.push(at);
      at += random.exponential(meanMs);
    }
  }
  return new ChangeHistory(times, habits);
}

function habitsOf({ habitMs }: WorldPlan, endMs: number, random: Random): Habit[] {
  let meanMs = random.logEven(FASTEST_MS, SLOWEST_MS);
  const habits: Habit[] = [{ from: 0, meanMs }];
  if (habitMs === 0) return habits;
  for (let at = random.exponential(habitMs); at < endMs; at += random.exponential(habitMs)) {
    meanMs = Math.min(SLOWEST_MS, Math.max(FASTEST_MS, meanMs * random.logEven(1 / HABIT_FACTOR, HABIT_FACTOR)));
    habits.push({ from: at, meanMs });
  }
  return habits;
}
