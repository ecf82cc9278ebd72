import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { CountingUpstream, type CountingOptions } from './arrivals.ts';

/** The time between two steps of the run, in ms. */
const STEP_MS = 50;

export interface CrashRunOptions extends CountingOptions {
  readonly reserve: number;
  /** The lifetimes of consecutive processes, in ms. After the last lifetime, the first is used again. */
  readonly livesMs: readonly number[];
  /** How long a process takes from its start to its first action, in ms. */
  readonly bootMs: number;
  /** The durations of consecutive calls, in ms. After the last duration, the first is used again. */
  readonly tripsMs: readonly number[];
  readonly forMs: number;
}

/**
 * Runs processes that request far more calls than they are allowed to make. Each process is killed without warning.
 * Returns all arrivals.
 */
export async function runThroughCrashes(options: CrashRunOptions): Promise<readonly number[]> {
  const { livesMs, bootMs, tripsMs, forMs } = options;
  const upstream = new CountingUpstream<LocalCallBudget>(options);
  let now = 0;
  let calls = 0;
  const clock = { now: () => now, wallNow: () => now, schedule: () => () => {} };

  async function spend(callBudget: LocalCallBudget): Promise<void> {
    for (;;) {
      const result = await callBudget.acquire(`src_${calls}`);
      if (result.kind !== 'granted') return;
      const tripMs = tripsMs[calls++ % tripsMs.length] ?? 100;
      upstream.send(result.permit, callBudget, { now, tripMs });
    }
  }

  for (let life = 0; now < forMs; life += 1) {
    const startedAt = now;
    const endsAt = startedAt + (livesMs[life % livesMs.length] ?? Infinity);
    let callBudget: LocalCallBudget | undefined;
    for (; now < Math.min(endsAt, forMs); now += STEP_MS) {
      for (const { sender, permit, result } of upstream.advance(now))
        if (sender === callBudget) callBudget.settle(permit, result);
      if (now < startedAt + bootMs) continue;
      callBudget ??= new LocalCallBudget({ ...options, clock, startedAt, callMs: 5_000 });
      await spend(callBudget);
    }
  }
  return upstream.arrivals;
}
