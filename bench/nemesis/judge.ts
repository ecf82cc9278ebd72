import type { History } from './history.ts';
import { INVARIANTS, mostCalls, shareUsedInCalm } from './invariants.ts';

/** What came of a schedule. */
export interface Verdict {
  readonly seed: number;
  readonly troubles: readonly string[];
  readonly calls: number;
  readonly mostInWindow: number;
  readonly shareUsedInCalm: number;
  readonly visitors: number;
  /** Looks at which an instance had lost sight of the others, for whatever reason. */
  readonly blindLooks: number;
  /** By invariant, what broke it. */
  readonly broken: Readonly<Record<string, readonly string[]>>;
}

/** Holds a history against all invariants. */
export function judge(history: History): Verdict {
  const broken = Object.entries(INVARIANTS).map(([name, { broken: breaks }]) => [name, breaks(history)] as const);
  return {
    seed: history.seed,
    troubles: history.events.map(({ atMs, forMs, trouble }) => `${atMs}+${forMs} ${JSON.stringify(trouble)}`),
    calls: history.arrivals.length,
    mostInWindow: mostCalls(history),
    shareUsedInCalm: shareUsedInCalm(history),
    visitors: history.answers.length,
    blindLooks: history.blindAtNs.length,
    broken: Object.fromEntries(broken.filter(([, faults]) => faults.length > 0)),
  };
}
