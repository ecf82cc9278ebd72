/** The most arrivals that any half-open window of `windowMs` holds. */
export function maxInAnyWindow(arrivals: readonly number[], windowMs: number): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let max = 0;
  for (let first = 0, last = 0; last < sorted.length; last += 1) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= windowMs) first += 1;
    max = Math.max(max, last - first + 1);
  }
  return max;
}

/** How an upstream counts: over the last window, or over windows that begin with the first call and then start anew. */
export type Counting = 'sliding' | 'fixed';

/** What the upstream says after a call at `now`, given all arrivals so far (that call included). */
export function windowAfter(
  arrivals: readonly number[],
  { counting, limit, windowMs, now }: { counting: Counting; limit: number; windowMs: number; now: number },
): { limit: number; remaining: number; resetInMs: number } {
  const startsAt = counting === 'sliding' ? now - windowMs : Math.floor(now / windowMs) * windowMs - 1e-9;
  const counted = arrivals.filter((at) => at > startsAt && at <= now);
  const resetAt = counting === 'sliding' ? (counted[0] ?? now) + windowMs : startsAt + windowMs;
  return { limit, remaining: Math.max(0, limit - counted.length), resetInMs: Math.max(0, resetAt - now) };
}
