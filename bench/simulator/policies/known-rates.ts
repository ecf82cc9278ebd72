import { ageIndex } from '../../../packages/bff/src/freshness/age-index.ts';
import type { Policy } from '../policy.ts';
import { WINDOW_MS } from '../simulate.ts';
import type { World } from '../world.ts';

/** The age index at an even pace, told all rates as they stand: what is left to lose by learning. */
export function knownRates(world: World): Policy {
  const { ids, plan } = world;
  const askedAt = new Float64Array(ids.length).fill(-86_400_000);
  let pace = 0;
  return {
    onView: () => 'serve',
    onTick(now, { left }) {
      if (left < 1 || now < pace) return undefined;
      pace = Math.max(pace, now - 1_000) + WINDOW_MS / plan.callsPerWindow;
      const worth = ids.map((_, source) => {
        const age = now - askedAt[source]!;
        return age < plan.minAgeMs ? 0 : ageIndex(world.viewsPerMs(source, now), world.changesPerMs(source, now), age);
      });
      return worth.indexOf(Math.max(...worth));
    },
    onAnswer: (source, now) => (askedAt[source] = now),
  };
}
