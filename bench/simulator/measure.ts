import type { Contestant, ContestantName } from './contestants.ts';
import { type Figures, meanFigures } from './figures.ts';
import { offlineBoundSeconds } from './offline-bound.ts';
import { simulate } from './simulate.ts';
import { createWorld, type World } from './world.ts';
import { isPromised, type WorldPlan } from './world-plan.ts';

/** The score of a contestant, in its best setting. */
export interface Score extends Figures {
  name: ContestantName;
  /** The setting with the least staleness. Empty if there is only one. */
  setting: string;
  /** The staleness with each seed, in s. */
  bySeed: readonly number[];
}

/** The measurements of a world. */
export interface WorldResult {
  plan: WorldPlan;
  /** The mean of the seeds, in s. */
  boundSeconds: number;
  scores: readonly Score[];
}

/** Runs every contestant in the same worlds, with the same number of calls. */
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

/** The score of a contestant that took part. */
export function scoreIn({ scores, plan }: WorldResult, name: ContestantName): Score {
  const score = scores.find((each) => each.name === name);
  if (score === undefined) throw new Error(`Cannot read the result of "${plan.name}": ${name} took no part`);
  return score;
}

/** The planner's staleness is at most this many times the offline bound. */
export const MAX_SHARE_OF_BOUND = 1.25;

/** Its staleness is at most this share of the best-tuned TTL's staleness. */
export const MAX_SHARE_OF_TTL = 0.5;

/** The planner compared with the bound, and with the best TTL with stale-while-revalidate. */
export function ratiosOf(result: WorldResult): { toBound: number; toTtl: number } {
  const { stalenessSeconds } = scoreIn(result, 'age index, learned');
  const ttl = scoreIn(result, 'TTL, stale-while-revalidate');
  return { toBound: stalenessSeconds / result.boundSeconds, toTtl: stalenessSeconds / ttl.stalenessSeconds };
}

/** Every promise that a result breaks, with one sentence for each. */
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
