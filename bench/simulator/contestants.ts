import { planned } from './planned.ts';
import type { Policy, PolicyMaker } from './simulate.ts';

/** The names of policies in the published figures. */
export type ContestantName = 'TTL, stale-while-revalidate' | 'age index, learned';

/** A compared policy, with all settings that are tried. */
export interface Contestant {
  name: ContestantName;
  settings: readonly { label: string; make: PolicyMaker }[];
}

/**
 * The lifetimes that are tried, in s. Only the best lifetime's result counts, although no one could know the best
 * lifetime in advance.
 */
const TTL_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800];

/**
 * The lifetimes that are tried in the worlds that the published promise covers. The best lifetime in such a world is
 * always one of these.
 */
const SHORT_TTL_SECONDS = [15, 30, 60, 120, 300];

/**
 * Serves a copy even if it is older than its lifetime, and then refreshes it in the background
 * (stale-while-revalidate).
 */
export function ttlWithSwr(ttlSeconds: number): () => Policy {
  return () => ({ onView: ({ ageMs }) => (ageMs > ttlSeconds * 1_000 ? 'refresh' : 'serve') });
}

function lifetimes(all: readonly number[]): Contestant['settings'] {
  return all.map((seconds) => ({ label: `${seconds} s`, make: ttlWithSwr(seconds) }));
}

/** The planner of the BFF. */
const learned: Contestant = { name: 'age index, learned', settings: [{ label: '', make: planned }] };

/** The policies that the published promise compares. */
export const PROMISED: readonly Contestant[] = [
  { name: 'TTL, stale-while-revalidate', settings: lifetimes(SHORT_TTL_SECONDS) },
  learned,
];

/** All policies that are compared. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: 'TTL, stale-while-revalidate', settings: lifetimes(TTL_SECONDS) },
  learned,
];
