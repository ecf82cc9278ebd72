import { knownRates } from './policies/known-rates.ts';
import { planned } from './policies/planned.ts';
import { proportionalPolling, uniformPolling } from './policies/polling.ts';
import { ttlBlocking, ttlWithSwr } from './policies/ttl.ts';
import type { PolicyMaker } from './policy.ts';

/** The names under which figures are published. */
export type ContestantName =
  | 'uniform polling'
  | 'polling by views'
  | 'TTL, stale-while-revalidate'
  | 'TTL, blocking'
  | 'age index, rates known'
  | 'age index, any reader waits'
  | 'age index, learned';

/** A way to spend calls, in as many settings as are tried for it. */
export interface Contestant {
  name: ContestantName;
  settings: readonly { label: string; make: PolicyMaker }[];
}

/** The lifetimes that are tried, in s; the best counts, which nobody who sets one up could know beforehand. */
const TTL_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800];

/** The promised worlds have their best lifetime among these. */
const SHORT_TTL_SECONDS = [15, 30, 60, 120, 300];

function freshnessPolicy(make: (ttlSeconds: number) => PolicyMaker, all: readonly number[]) {
  return all.map((seconds) => ({ label: `${seconds} s`, make: make(seconds) }));
}

/** The planner of the BFF. */
const learned: Contestant = { name: 'age index, learned', settings: [{ label: '', make: planned('next') }] };

/** What the promise is about. */
export const PROMISED: readonly Contestant[] = [
  { name: 'TTL, stale-while-revalidate', settings: freshnessPolicy(ttlWithSwr, SHORT_TTL_SECONDS) },
  learned,
];

/** All that is compared. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: 'uniform polling', settings: [{ label: '', make: uniformPolling }] },
  { name: 'polling by views', settings: [{ label: '', make: proportionalPolling }] },
  { name: 'TTL, stale-while-revalidate', settings: freshnessPolicy(ttlWithSwr, TTL_SECONDS) },
  { name: 'TTL, blocking', settings: freshnessPolicy(ttlBlocking, TTL_SECONDS) },
  { name: 'age index, rates known', settings: [{ label: '', make: knownRates }] },
  { name: 'age index, any reader waits', settings: [{ label: '', make: planned('all') }] },
  learned,
];
