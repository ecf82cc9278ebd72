import { scoreIn, type WorldResult } from './measure.ts';
import { isPromised } from './world-plan.ts';

/** The learned index comes this near to the offline bound. */
export const MAX_SHARE_OF_BOUND = 1.25;

/** With readers who wait where it pays, staleness is at most this share of that of the best-tuned TTL. */
export const MAX_SHARE_OF_TTL = 0.5;

/** How the index stands to the bound, and the index with price to the best TTL with stale-while-revalidate. */
export function ratiosOf(result: WorldResult): { toBound: number; toTtl: number } {
  const staleness = (name: Parameters<typeof scoreIn>[1]) => scoreIn(result, name).stalenessSeconds;
  return {
    toBound: staleness('age index, learned') / result.boundSeconds,
    toTtl: staleness('age index and price, learned') / staleness('TTL, stale-while-revalidate'),
  };
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
      faults.push(`the learned index is ${toBound.toFixed(2)} times the offline bound, over ${MAX_SHARE_OF_BOUND}`);
    if (!(toTtl <= MAX_SHARE_OF_TTL))
      faults.push(`index and price are ${toTtl.toFixed(2)} times the best TTL, over ${MAX_SHARE_OF_TTL}`);
  }
  return faults.map((fault) => `${plan.name}: ${fault}`);
}
