import { changesOf, type ChangeHistory } from './change-history.ts';
import { type Random, randomFrom, shuffle } from '@pulse-card/testkit/random';
import { type Burst, burstsOf, viewsOf, type Views } from './views.ts';
import type { WorldPlan } from './world-plan.ts';

/** The exponent of popularity: the n-th source has 1 / n^1.1 of the first source's readers. */
const ZIPF = 1.1;

const DAY_MS = 21_600_000;

/** A generated world, with every view and every change. Every policy runs in the same world. */
export interface World {
  plan: WorldPlan;
  seed: number;
  endMs: number;
  ids: readonly string[];
  views: Views;
  /** By source. */
  changes: readonly ChangeHistory[];
  /** The true rate of views of a source, per ms. */
  viewsPerMs(source: number, at: number): number;
  /** The true rate of changes of a source, per ms. */
  changesPerMs(source: number, at: number): number;
}

/** Generates a world from a plan and a seed. */
export function createWorld(plan: WorldPlan, seed: number): World {
  const random = randomFrom(seed);
  const endMs = plan.hours * 3_600_000;
  const shares = sharesOf(plan.sources, random);
  const changes = shares.map(() => changesOf(plan, endMs, random));
  const bursts = burstsOf(plan, endMs, random);
  const audiences = shares.map((_, source) => bursts.filter((burst) => burst.source === source));
  const rate = (source: number, at: number) =>
    (plan.viewsPerSecond / 1_000) * shares[source]! * dayAt(plan, at) * audienceAt(audiences[source]!, at);
  return {
    plan,
    seed,
    endMs,
    ids: shares.map((_, source) => `src_${source}`),
    views: viewsOf(
      { endMs, shares, bursts, perMs: plan.viewsPerSecond / 1_000, dayAt: (at) => dayAt(plan, at) },
      random,
    ),
    changes,
    viewsPerMs: rate,
    changesPerMs: (source, at) => changes[source]!.perMs(at),
  };
}

function sharesOf(sources: number, random: Random): number[] {
  const weights = shuffle(
    Array.from({ length: sources }, (_, rank) => (rank + 1) ** -ZIPF),
    random,
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function dayAt({ dayAndNight }: WorldPlan, at: number): number {
  return 1 + dayAndNight * Math.sin((2 * Math.PI * at) / DAY_MS);
}

/** The number of readers of a source at a time, as a multiple of its usual number. */
function audienceAt(bursts: readonly Burst[], at: number): number {
  let factor = 1;
  for (const burst of bursts) if (at >= burst.from && at < burst.to) factor += burst.factor;
  return factor;
}
