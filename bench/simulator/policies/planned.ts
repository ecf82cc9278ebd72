import { createRefreshPlanner } from '../../../packages/bff/src/planner/refresh-planner.ts';
import type { Policy } from '../policy.ts';
import { WINDOW_MS } from '../simulate.ts';
import type { World } from '../world.ts';

/** The BFF's own planner, with readers who wait where that is worth the price, or with none who ever wait. */
export function planned({ usersWait }: { usersWait: boolean }): (world: World) => Policy {
  return ({ ids, plan }) => {
    const planner = createRefreshPlanner({
      callsPerWindow: plan.callsPerWindow,
      windowMs: WINDOW_MS,
      minAgeMs: plan.minAgeMs,
      usersWait,
    });
    const sourceOf = new Map(ids.map((id, source) => [id, source]));
    return {
      onView({ source, now, tokens }) {
        const id = ids[source]!;
        planner.recordView(id, now);
        return planner.isWorthWaitingFor(id, now, tokens()) ? 'wait' : 'serve';
      },
      onTick(now, tokens) {
        const next = planner.next(now, tokens);
        return next && sourceOf.get(next.id);
      },
      onAsked: (source, now) => planner.recordAttempt(ids[source]!, now),
      onAnswer: (source, now, changed) => planner.recordRefresh(ids[source]!, now, { changed }),
      onFailure: (source, now) => planner.recordFailure(ids[source]!, now),
    };
  };
}
