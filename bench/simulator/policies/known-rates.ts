import { whittleIndex } from '../../../packages/bff/src/planner/staleness.ts';
import type { Policy } from '../policy.ts';
import { WINDOW_MS } from '../simulate.ts';
import type { World } from '../world.ts';

/** The age index at an even pace, told all rates as they stand: what is left to lose by learning. */
export function knownRates(world: World): Policy {
  const { ids, plan } = world;
  const askedAt = new Float64Array(ids.length).fill(-86_400_000);
  let leakRate = 0;
  return {
    onView: () => 'serve',
    onTick(now, { left }) {
      if (left < 1 || now < leakRate) return undefined;
      leakRate = Math.max(leakRate, now - 1_000) + WINDOW_MS / plan.callsPerWindow;
      const refreshValue = ids.map((_, source) => {
        const age = now - askedAt[source]!;
        return age < plan.minAgeMs
          ? 0
          : whittleIndex(world.viewsPerMs(source, now), world.changesPerMs(source, now), age);
      });
      return refreshValue.indexOf(Math.max(...refreshValue));
    },
    onAnswer: (source, now) => (askedAt[source] = now),
  };
}
