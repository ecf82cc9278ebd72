import { ChangeHistory } from './change-history.ts';
import { WARM_UP_MS } from './simulate.ts';
import type { World } from './world.ts';
import { STILL_WORLDS, type WorldPlan } from './world-plan.ts';

/** A world small enough to be reckoned by hand; times are in s after the warm-up. */
export interface HandMade {
  /** When which source is looked at. */
  views: readonly (readonly [atSeconds: number, source: number])[];
  /** By source, when it changes. */
  changes: readonly (readonly number[])[];
  plan?: Partial<WorldPlan>;
}

/** Makes a world of given views and changes; its upstream answers at once unless the plan says otherwise. */
export function handMadeWorld({ views, changes, plan }: HandMade): World {
  const at = (seconds: number) => WARM_UP_MS + seconds * 1_000;
  return {
    plan: { ...STILL_WORLDS[0]!, sources: changes.length, ...plan },
    seed: 1,
    endMs: at((views.at(-1)?.[0] ?? 0) + 1),
    ids: changes.map((_, source) => `src_${source}`),
    views: {
      times: Float64Array.from(views, ([seconds]) => at(seconds)),
      sources: Uint16Array.from(views, ([, source]) => source),
    },
    changes: changes.map((times) => new ChangeHistory(times.map(at))),
    viewsPerMs: () => 1 / 60_000,
    changesPerMs: () => 1 / 60_000,
  };
}
