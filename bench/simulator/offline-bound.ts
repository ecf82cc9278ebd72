import { WARM_UP_MS, WINDOW_MS } from './simulate.ts';
import type { World } from './world.ts';

/** Below this value of λτ, the series is used, because the closed form loses digits. */
const SMALL = 1e-2;

/**
 * The expected staleness of a copy at an age, its integral, and the probability that the copy misses a change. Changes
 * are a Poisson process (Cho and Garcia-Molina). Ages are in ms, rates per ms.
 */
const ageing = {
  staleness(changes: number, age: number): number {
    const x = changes * age;
    return x < SMALL ? age * (x / 2 - (x * x) / 6 + (x * x * x) / 24) : age + Math.expm1(-x) / changes;
  },
  summed(changes: number, age: number): number {
    const x = changes * age;
    if (x < SMALL) return age * age * (x / 6 - (x * x) / 24 + (x * x * x) / 120);
    return (age * age) / 2 - age / changes - Math.expm1(-x) / (changes * changes);
  },
  missed: (changes: number, age: number): number => -Math.expm1(-changes * age),
};

/** The time between two samples of the true rates, in ms. */
const SEGMENT_MS = 300_000;

/** The rates at which a source is viewed and changes, per ms. */
export interface Rates {
  views: number;
  changes: number;
}

/** The conditions under which the bound is calculated. */
export interface Terms {
  /** Calls that succeed, per ms. */
  callsPerMs: number;
  /** The time from when the upstream reads the data until the answer arrives, in ms. */
  lagMs: number;
  /** The minimum time between two refreshes of a source, in ms. */
  minMs: number;
}

/**
 * The lowest possible mean staleness of all views, in s. The schedule knows all current rates, and refreshes each
 * source at even intervals. The schedule has the same latency, failures, and minimum age as the world. Calls may be
 * split into fractions.
 */
export function offlineBoundSeconds(world: World): number {
  const { callsPerWindow, failures, latencyMs, minAgeMs } = world.plan;
  const terms: Terms = {
    callsPerMs: (callsPerWindow * (1 - failures)) / WINDOW_MS,
    lagMs: (latencyMs.from + latencyMs.to) / 4,
    minMs: minAgeMs,
  };
  let [staleness, views] = [0, 0];
  for (const at of momentsOf(world)) {
    const rates = world.ids.map((_, source) => ({
      views: world.viewsPerMs(source, at),
      changes: world.changesPerMs(source, at),
    }));
    staleness += bestStaleness(rates, terms);
    views += rates.reduce((sum, rate) => sum + rate.views, 0);
  }
  return staleness / views / 1_000;
}

function momentsOf({ endMs, plan }: World): number[] {
  if (plan.dayAndNight === 0 && plan.burstEveryMs === 0 && plan.habitMs === 0) return [WARM_UP_MS];
  const moments: number[] = [];
  for (let at = WARM_UP_MS + SEGMENT_MS / 2; at < endMs; at += SEGMENT_MS) moments.push(at);
  return moments;
}

/**
 * The lowest sum of views × mean staleness. The sum is lowest if each source is refreshed whenever its refresh would
 * gain a fixed value, which is the same for all sources.
 */
export function bestStaleness(rates: readonly Rates[], terms: Terms): number {
  const spacings = (price: number) => rates.map((rate) => Math.max(terms.minMs, spacingAt(rate, price, terms)));
  let [low, high] = [Math.log(1e-6), Math.log(1e15)];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    const spent = spacings(Math.exp(middle)).reduce((sum, spacing) => sum + 1 / spacing, 0);
    if (spent > terms.callsPerMs) low = middle;
    else high = middle;
  }
  return spacings(Math.exp(high)).reduce((sum, spacing, source) => {
    const { views, changes } = rates[source]!;
    return sum + views * meanStaleness(changes, spacing, terms);
  }, 0);
}

/**
 * The mean staleness, in ms, of a copy that is refreshed every `spacing` ms. Answers arrive `lagMs` after the upstream
 * has read the data.
 */
export function meanStaleness(
  changes: number,
  spacing: number,
  { lagMs }: Pick<Terms, 'lagMs'> = { lagMs: 0 },
): number {
  return (ageing.summed(changes, spacing + lagMs) - ageing.summed(changes, lagMs)) / spacing;
}

/**
 * The spacing I at which a refresh gains `price`: w · (I·a(I) − ∫a) = `price`. Newton's method finds the spacing from
 * above, because the curve is convex.
 */
function spacingAt({ views, changes }: Rates, price: number, terms: Terms): number {
  const { lagMs } = terms;
  const refreshValue = price / views;
  let spacing = Math.cbrt((3 * refreshValue) / changes) + Math.sqrt(2 * refreshValue) + 1 / changes;
  for (let step = 0; step < 60; step += 1) {
    const age = spacing + lagMs;
    const bought = spacing * (ageing.staleness(changes, age) - meanStaleness(changes, spacing, terms));
    const slope = spacing * ageing.missed(changes, age);
    const moved = Math.max(spacing / 4, spacing - (bought - refreshValue) / slope);
    if (Math.abs(moved - spacing) < 1e-7 * spacing) break;
    spacing = moved;
  }
  return spacing;
}
