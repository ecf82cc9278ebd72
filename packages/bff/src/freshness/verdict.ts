/** An answer that was kept: when the upstream was asked for it, and how long it may be used. */
export interface Entry {
  /** When the upstream was asked, in ms. */
  storedAt: number;
  lifetime: {
    /** How long the answer counts as fresh, in ms. */
    freshForMs: number;
    /** How much longer it may be served as stale, in ms. */
    staleForMs: number;
  };
}

/** How far an answer may be trusted. */
export type Verdict = 'fresh' | 'stale' | 'expired';

/** Says how far an entry may be trusted at `now` (RFC 9111, 4.2; RFC 5861). */
export function verdictOn({ storedAt, lifetime }: Entry, now: number): Verdict {
  const age = now - storedAt;
  if (age < lifetime.freshForMs) return 'fresh';
  if (age < lifetime.freshForMs + lifetime.staleForMs) return 'stale';
  return 'expired';
}
