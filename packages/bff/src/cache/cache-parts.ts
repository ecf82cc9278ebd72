import type { Clock } from '../lib/clock.ts';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Entries } from './entries.ts';

/** The parts that every operation on the cache uses. */
export interface CacheParts {
  readonly entries: Entries;
  readonly account: AccountGuard;
  readonly upstream: Upstream;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
}
