import { planned } from './planned.ts';
import type { Policy, PolicyMaker } from './simulate.ts';

/** The names under which figures are published. */
export type ContestantName = 'TTL, stale-while-revalidate' | 'age index, learned';

/** A way to spend calls, in each of the settings that are tried. */
export interface Contestant {
  name: ContestantName;
  settings: readonly { label: string; make: PolicyMaker }[];
}

/** The lifetimes that are tried, in s. The best one counts, although no one could know it in advance. */
const TTL_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800];

/** In the promised worlds, the best lifetime is one of these. */
const SHORT_TTL_SECONDS = [15, 30, 60, 120, 300];

/** A copy older than its lifetime is served once more, and refreshed in the background (stale-while-revalidate). */
export function ttlWithSwr(ttlSeconds: number): () => Policy {
  return () => ({ onView: ({ ageMs }) => (ageMs > ttlSeconds * 1_000 ? 'refresh' : 'serve') });
}

function lifetimes(all: readonly number[]): Contestant['settings'] {
  return all.map((seconds) => ({ label: `${seconds} s`, make: ttlWithSwr(seconds) }));
}

/** The planner of the BFF. */
const learned: Contestant = { name: 'age index, learned', settings: [{ label: '', make: planned }] };

/** The contestants that the promise compares. */
export const PROMISED: readonly Contestant[] = [
  { name: 'TTL, stale-while-revalidate', settings: lifetimes(SHORT_TTL_SECONDS) },
  learned,
];

/** All contestants. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: 'TTL, stale-while-revalidate', settings: lifetimes(TTL_SECONDS) },
  learned,
];
