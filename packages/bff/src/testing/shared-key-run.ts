import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { CountingUpstream, type CountingOptions } from './arrivals.ts';

/** The time between two steps of the run, in ms. */
const STEP_MS = 100;

export interface SharedKeyOptions extends CountingOptions {
  readonly reserve: number;
  /** When each instance starts, in ms after the beginning of the run. */
  readonly startsMs: readonly number[];
  /** The durations of consecutive calls, in ms. After the last duration, the first is used again. */
  readonly tripsMs: readonly number[];
  readonly forMs: number;
}

/**
 * Runs instances without Redis on one key. Each instance makes as many calls as it may. Returns all arrivals at the
 * upstream, in ms.
 */
export async function runOnOneKey(options: SharedKeyOptions): Promise<readonly number[]> {
  const { startsMs, tripsMs, forMs } = options;
  const upstream = new CountingUpstream<LocalCallBudget>(options);
  let now = 0;
  let calls = 0;
  const clock = { now: () => now, wallNow: () => now, schedule: () => () => {} };
  const budgets = startsMs.map((startedAt) => new LocalCallBudget({ ...options, clock, startedAt, callMs: 5_000 }));

  for (; now < forMs; now += STEP_MS) {
    for (const { sender, permit, result } of upstream.advance(now)) sender.settle(permit, result);
    const started = budgets.filter((_, index) => (startsMs[index] ?? 0) <= now);
    // Each instance makes one call in turn, so that no instance uses all calls in a step.
    for (let granted = started; granted.length > 0;) granted = await withCall(granted);
  }
  return upstream.arrivals;

  async function withCall(instances: readonly LocalCallBudget[]): Promise<LocalCallBudget[]> {
    const granted: LocalCallBudget[] = [];
    for (const budget of instances) {
      const result = await budget.acquire(`src_${calls}`);
      if (result.kind !== 'granted') continue;
      upstream.send(result.permit, budget, { now, tripMs: tripsMs[calls++ % tripsMs.length] ?? 100 });
      granted.push(budget);
    }
    return granted;
  }
}
