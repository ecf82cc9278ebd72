import type { History } from './history.ts';
import { INVARIANTS, maxCalls, shareUsedInCalm } from './invariants.ts';

/** The result of a schedule. */
export interface Freshness {
  readonly seed: number;
  readonly degradations: readonly string[];
  readonly calls: number;
  readonly maxInWindow: number;
  readonly shareUsedInCalm: number;
  readonly visitors: number;
  /** The number of checks that found an instance cut off from the others, for any reason. */
  readonly blindLooks: number;
  /** The violations of each invariant. */
  readonly broken: Readonly<Record<string, readonly string[]>>;
}

/** Checks a history against all invariants. */
export function judge(history: History): Freshness {
  const broken = Object.entries(INVARIANTS).map(([name, { broken: breaks }]) => [name, breaks(history)] as const);
  return {
    seed: history.seed,
    degradations: history.events.map(
      ({ atMs, forMs, degradedReason }) => `${atMs}+${forMs} ${JSON.stringify(degradedReason)}`,
    ),
    calls: history.arrivals.length,
    maxInWindow: maxCalls(history),
    shareUsedInCalm: shareUsedInCalm(history),
    visitors: history.answers.length,
    blindLooks: history.blindAtNs.length,
    broken: Object.fromEntries(broken.filter(([, faults]) => faults.length > 0)),
  };
}
