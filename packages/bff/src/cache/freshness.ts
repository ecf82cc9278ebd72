/** How long answers are trusted, in ms. */
export interface FreshnessPolicy {
  readonly freshForMs: number;
  /** How much longer an answer is served while no newer one is to be had. */
  readonly staleForMs: number;
  /** The same, from the moment on when the key was refused. */
  readonly authStaleForMs: number;
}

/** Says how far an answer may be trusted at `now`; `refusedForMs`: how long the key has been refused, if it is. */
export function freshnessAt(
  askedAt: number,
  { freshForMs, staleForMs, authStaleForMs }: FreshnessPolicy,
  { now, refusedForMs }: { now: number; refusedForMs: number | undefined },
): Freshness {
  const freshness = freshnessOf({ storedAt: askedAt, policy: { freshForMs, staleForMs } }, now);
  const isOver = refusedForMs !== undefined && refusedForMs >= authStaleForMs;
  return freshness === 'stale' && isOver ? 'expired' : freshness;
}

/** An answer that was kept: when the upstream was asked for it, and how long it may be used. */
export interface TimedEntry {
  /** When the upstream was asked, in ms. */
  storedAt: number;
  policy: {
    /** How long the answer counts as fresh, in ms. */
    freshForMs: number;
    /** How much longer it may be served as stale, in ms. */
    staleForMs: number;
  };
}

/** How far an answer may be trusted. */
export type Freshness = 'fresh' | 'stale' | 'expired';

/** Says how far an entry may be trusted at `now` (RFC 9111, 4.2; RFC 5861). */
export function freshnessOf({ storedAt, policy }: TimedEntry, now: number): Freshness {
  const age = now - storedAt;
  if (age < policy.freshForMs) return 'fresh';
  if (age < policy.freshForMs + policy.staleForMs) return 'stale';
  return 'expired';
}
