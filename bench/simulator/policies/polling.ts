import type { Policy } from '../policy.ts';
import { WINDOW_MS } from '../simulate.ts';
import type { World } from '../world.ts';

/** All sources in turn, as fast as the key allows. */
export function uniformPolling(world: World): Policy {
  return polling(world, () => 1);
}

/** Each source as often as its share of the views (known, not learned). */
export function proportionalPolling(world: World): Policy {
  return polling(world, (source, now) => world.viewsPerMs(source, now));
}

/** Gives every source credit by its weight; the one with the most gets the next call of an even pace. */
function polling({ ids, plan }: World, weightOf: (source: number, now: number) => number): Policy {
  const credit = new Float64Array(ids.length);
  let leakRate = 0;
  return {
    onView: () => 'serve',
    onTick(now, { left }) {
      if (left < 1 || now < leakRate) return undefined;
      leakRate = Math.max(leakRate, now - 1_000) + WINDOW_MS / plan.callsPerWindow;
      let sum = 0;
      for (let source = 0; source < credit.length; source += 1) {
        const weight = weightOf(source, now);
        credit[source]! += weight;
        sum += weight;
      }
      const chosen = credit.indexOf(Math.max(...credit));
      credit[chosen]! -= sum;
      return chosen;
    },
  };
}
