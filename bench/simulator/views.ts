import type { Random } from '@pulse-card/testkit/random';
import type { WorldPlan } from './world-plan.ts';

/** A burst adds this many times a source's usual number of readers, and lasts this long. */
const BURST_FACTOR = 30;
const BURST_MS = 600_000;

/** A period in which one source has many more readers than usual. */
export interface Burst {
  source: number;
  from: number;
  to: number;
  /** The additional readers, as a multiple of the usual number. */
  factor: number;
}

/** All views of a world, in order. */
export interface Views {
  times: Float64Array;
  sources: Uint16Array;
}

/** Picks the times and sources of bursts at random. */
export function burstsOf({ burstEveryMs, sources }: WorldPlan, endMs: number, random: Random): Burst[] {
  const bursts: Burst[] = [];
  if (burstEveryMs === 0) return bursts;
  for (let from = random.exponential(burstEveryMs); from < endMs; from += random.exponential(burstEveryMs))
    bursts.push({ source: Math.floor(random.even() * sources), from, to: from + BURST_MS, factor: BURST_FACTOR });
  return bursts;
}

interface ViewPlan {
  endMs: number;
  shares: readonly number[];
  bursts: readonly Burst[];
  perMs: number;
  /** The rate of views at a time, as a multiple of the mean rate. At most 2. */
  dayAt: (at: number) => number;
}

/**
 * Generates all views: those of a Poisson process whose rate follows the time of day, and additional views in each
 * burst.
 */
export function viewsOf({ endMs, shares, bursts, perMs, dayAt }: ViewPlan, random: Random): Views {
  const drawn: { at: number; source: number }[] = [];
  const cumulative = cumulated(shares);
  for (const at of moments(0, endMs, perMs, dayAt, random)) drawn.push({ at, source: pick(cumulative, random) });
  for (const { source, from, to, factor } of bursts)
    for (const at of moments(from, Math.min(to, endMs), perMs * factor * shares[source]!, dayAt, random))
      drawn.push({ at, source });
  drawn.sort((one, other) => one.at - other.at);
  return {
    times: Float64Array.from(drawn, ({ at }) => at),
    sources: Uint16Array.from(drawn, ({ source }) => source),
  };
}

/** Generates times at twice the mean rate, and drops some so that the rate follows the time of day. */
function* moments(from: number, to: number, perMs: number, dayAt: (at: number) => number, random: Random) {
  const max = 2;
  for (let at = from + random.exponential(1 / (perMs * max)); at < to; at += random.exponential(1 / (perMs * max)))
    if (random.even() * max < dayAt(at)) yield at;
}

function cumulated(shares: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(shares, (share) => (sum += share));
}

function pick(cumulative: Float64Array, random: Random): number {
  const mark = random.even() * cumulative[cumulative.length - 1]!;
  let [low, high] = [0, cumulative.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cumulative[middle]! <= mark) low = middle + 1;
    else high = middle;
  }
  return low;
}
