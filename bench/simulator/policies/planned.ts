import { createRefreshPlanner } from '../../../packages/bff/src/freshness/refresh-planner.ts';
import type { Policy } from '../policy.ts';
import { WINDOW_MS } from '../simulate.ts';
import type { World } from '../world.ts';

/** The BFF's own planner, with readers who wait where that is worth the price, or with none who ever wait. */
export function planned({ readersWait }: { readersWait: boolean }): (world: World) => Policy {
  return ({ ids, plan }) => {
    const planner = createRefreshPlanner({
      callsPerWindow: plan.callsPerWindow,
      windowMs: WINDOW_MS,
      minAgeMs: plan.minAgeMs,
      readersWait,
    });
    const sourceOf = new Map(ids.map((id, source) => [id, source]));
    return {
      onView({ source, now, tokens }) {
        const id = ids[source]!;
        planner.sawView(id, now);
        return planner.worthWaiting(id, now, tokens()) ? 'wait' : 'serve';
      },
      onTick(now, tokens) {
        const next = planner.next(now, tokens);
        return next && sourceOf.get(next.id);
      },
      onAsked: (source, now) => planner.asked(ids[source]!, now),
      onAnswer: (source, now, changed) => planner.refreshed(ids[source]!, now, { changed }),
      onFailure: (source, now) => planner.failed(ids[source]!, now),
    };
  };
}
