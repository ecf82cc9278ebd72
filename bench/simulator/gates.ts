import { scoreIn, type WorldResult } from './measure.ts';
import { isPromised } from './world-plan.ts';

/** The planner comes this near to the offline bound. */
export const MAX_SHARE_OF_BOUND = 1.25;

/** Its staleness is at most this share of that of the best-tuned TTL. */
export const MAX_SHARE_OF_TTL = 0.5;

/** How the planner stands to the bound, and to the best TTL with stale-while-revalidate. */
export function ratiosOf(result: WorldResult): { toBound: number; toTtl: number } {
  const { stalenessSeconds } = scoreIn(result, 'age index, learned');
  const ttl = scoreIn(result, 'TTL, stale-while-revalidate');
  return { toBound: stalenessSeconds / result.boundSeconds, toTtl: stalenessSeconds / ttl.stalenessSeconds };
}

/** Every promise that a result breaks, a sentence each. */
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
