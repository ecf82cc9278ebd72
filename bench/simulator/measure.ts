import type { Contestant, ContestantName } from './contestants.ts';
import { type Figures, meanFigures } from './figures.ts';
import { offlineBoundSeconds } from './offline-bound.ts';
import { simulate } from './simulate.ts';
import { createWorld, type World } from './world.ts';
import { isPromised, type WorldPlan } from './world-plan.ts';

/** The figures of a policy in its best setting. */
export interface Score extends Figures {
  name: ContestantName;
  /** The setting with the least staleness. Empty if the policy has only one setting. */
  setting: string;
  /** The mean staleness for each seed, in s. */
  bySeed: readonly number[];
}

/** The figures that were measured in a world. */
export interface WorldResult {
  plan: WorldPlan;
  /** The offline bound as the mean over all seeds, in s. */
  boundSeconds: number;
  scores: readonly Score[];
}

/** Runs every policy in the same worlds, with the same number of calls. */
export async function measure(
  plan: WorldPlan,
  seeds: readonly number[],
  contestants: readonly Contestant[],
): Promise<WorldResult> {
  const worlds = seeds.map((seed) => createWorld(plan, seed));
  const scores: Score[] = [];
  for (const contestant of contestants) scores.push(await scoreOf(contestant, worlds));
  const bounds = worlds.map(offlineBoundSeconds);
  return { plan, boundSeconds: bounds.reduce((sum, bound) => sum + bound, 0) / bounds.length, scores };
}

async function scoreOf({ name, settings }: Contestant, worlds: readonly World[]): Promise<Score> {
  const tried = [];
  for (const { label, make } of settings) {
    const runs: Figures[] = [];
    for (const world of worlds) runs.push(await simulate(world, make));
    tried.push({ label, mean: meanFigures(runs), bySeed: runs.map((run) => run.stalenessSeconds) });
  }
  const best = tried.reduce((one, other) => (other.mean.stalenessSeconds < one.mean.stalenessSeconds ? other : one));
  return {
    name,
    setting: best.label,
    ...best.mean,
    // A limit must hold in every setting, not only in the best one.
    maxInWindow: Math.max(...tried.map(({ mean }) => mean.maxInWindow)),
    bySeed: best.bySeed,
  };
}

/** The score of a policy. Throws if the policy wasn't measured in this world. */
export function scoreIn({ scores, plan }: WorldResult, name: ContestantName): Score {
  const score = scores.find((each) => each.name === name);
  if (score === undefined) throw new Error(`Cannot read the result of "${plan.name}": ${name} took no part`);
  return score;
}

/** The planner's staleness is at most this many times the offline bound. */
export const MAX_SHARE_OF_BOUND = 1.25;

/** The planner's staleness is at most this share of the best-tuned TTL's staleness. */
export const MAX_SHARE_OF_TTL = 0.5;

/**
 * The planner's staleness divided by the offline bound, and divided by the staleness of the best TTL with
 * stale-while-revalidate.
 */
export function ratiosOf(result: WorldResult): { toBound: number; toTtl: number } {
  const { stalenessSeconds } = scoreIn(result, 'age index, learned');
  const ttl = scoreIn(result, 'TTL, stale-while-revalidate');
  return { toBound: stalenessSeconds / result.boundSeconds, toTtl: stalenessSeconds / ttl.stalenessSeconds };
}

/** Describes each promise that a result breaks, in one sentence per promise. */
export function brokenPromises(result: WorldResult): string[] {
  const { plan, scores } = result;
  const faults = scores
    .filter(({ maxInWindow }) => maxInWindow > plan.callsPerWindow)
    .map(({ name, maxInWindow }) => `${name} made ${maxInWindow} calls in a window, over ${plan.callsPerWindow}`);
  if (isPromised(plan)) {
    const { toBound, toTtl } = ratiosOf(result);
    if (!(toBound <= MAX_SHARE_OF_BOUND))
      faults.push(`the planner is ${toBound.toFixed(2)} times the offline bound, over ${MAX_SHARE_OF_BOUND}`);
    if (!(toTtl <= MAX_SHARE_OF_TTL))
      faults.push(`the planner is ${toTtl.toFixed(2)} times the best TTL, over ${MAX_SHARE_OF_TTL}`);
  }
  return faults.map((fault) => `${plan.name}: ${fault}`);
}
