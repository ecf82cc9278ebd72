import type { Policy } from '../policy.ts';

/** A copy older than its lifetime is served once more, and refreshed behind (stale-while-revalidate). */
export function ttlWithSwr(ttlSeconds: number): () => Policy {
  return () => ({ onView: ({ ageMs }) => (ageMs > ttlSeconds * 1_000 ? 'refresh' : 'serve') });
}

/** A copy older than its lifetime is refreshed while the reader waits. */
export function ttlBlocking(ttlSeconds: number): () => Policy {
  return () => ({ onView: ({ ageMs }) => (ageMs > ttlSeconds * 1_000 ? 'wait' : 'serve') });
}
