import { Backoffs } from '../../packages/bff/src/upstream/backoffs.ts';
import { RefreshPlanner } from '../../packages/bff/src/planner/refresh-planner.ts';
import { type Policy, WINDOW_MS } from './simulate.ts';
import type { World } from './world.ts';

const FAILURE = {
  ok: false,
  code: 'upstream_unavailable',
  detail: 'upstream-error',
  attempted: true,
  retryInMs: 0,
} as const;

/** The BFF's own planner and backoff. */
export function planned({ ids, plan }: World): Policy {
  const planner = new RefreshPlanner({ minAgeMs: plan.minAgeMs });
  // Every backoff lasts as long as possible. This is the worst case for readers, and the figures don't depend on more
  // random numbers.
  const callBudget = { status: () => ({ windowMs: WINDOW_MS, capacity: 1 }) };
  const backoffs = new Backoffs({ callBudget, random: () => 1 });
  const sourceOf = new Map(ids.map((id, source) => [id, source]));
  const askedAt: number[] = [];
  return {
    onView({ source, now, ageMs, tokens }) {
      const id = ids[source]!;
      planner.recordView(id, now);
      if (ageMs < plan.minAgeMs || backoffs.refusal(id, now) || tokens().left < 1) return 'serve';
      return planner.isWorthWaitingFor(id, now) ? 'wait' : 'serve';
    },
    onTick(now, tokens) {
      const next = planner.next(now, tokens, (id) => !backoffs.refusal(id, now));
      return next === undefined ? undefined : sourceOf.get(next);
    },
    onAsked(source, now) {
      askedAt[source] = now;
      planner.recordAttempt(ids[source]!, now);
    },
    onAnswer(source, now, changed) {
      backoffs.recordSuccess(ids[source]!);
      planner.recordRefresh(ids[source]!, askedAt[source] ?? now, { changed });
    },
    onFailure(source, now) {
      backoffs.recordFailure(ids[source]!, FAILURE, now);
      planner.recordFailure(ids[source]!, now);
    },
  };
}
