import type { CallBudget, CallPermit, CallResult } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { type Counting, windowAfter } from './arrivals.ts';

/** How often the world moves on, in ms. */
const STEP_MS = 50;

export interface CrashRunOptions {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** How long each process lives, in ms, one after the other, around and around. */
  readonly livesMs: readonly number[];
  /** How long a process takes from its start to its first thought, in ms. */
  readonly bootMs: number;
  /** How long calls take, in ms, around and around; each arrives half-way. */
  readonly tripsMs: readonly number[];
  readonly counting: Counting;
  readonly hasHeaders: boolean;
  readonly forMs: number;
}

interface UnderWay {
  readonly permit: CallPermit;
  readonly arrivesAt: number;
  readonly endsAt: number;
  readonly process: number;
  window?: CallResult['window'];
}

/** Runs processes that want far more calls than they may make, each killed without warning. Returns all arrivals. */
export async function runThroughCrashes(options: CrashRunOptions): Promise<number[]> {
  const { livesMs, bootMs, tripsMs, forMs } = options;
  const arrivals: number[] = [];
  const underWay = new Set<UnderWay>();
  let now = 0;
  let process = 0;
  let calls = 0;
  let startedAt = 0;
  let callBudget: CallBudget | undefined;
  const clock = { now: () => now, wallNow: () => now, schedule: () => () => {} };

  function letArrive(): void {
    const due = [...underWay].filter(({ arrivesAt, window }) => arrivesAt <= now && !window);
    for (const call of due.sort((a, b) => a.arrivesAt - b.arrivesAt)) {
      arrivals.push(call.arrivesAt);
      const nothing = { limit: undefined, remaining: undefined, resetInMs: undefined };
      call.window = options.hasHeaders ? windowAfter(arrivals, { ...options, now: call.arrivesAt }) : nothing;
    }
  }

  function letReturn(): void {
    for (const call of [...underWay].filter(({ endsAt }) => endsAt <= now)) {
      underWay.delete(call);
      if (call.process === process) callBudget?.settle(call.permit, { fate: 'answered', window: call.window });
    }
  }

  async function spend(): Promise<void> {
    for (;;) {
      const result = await callBudget?.acquire({ subject: `src_${calls}` });
      if (result?.kind !== 'granted') return;
      const tripMs = tripsMs[calls++ % tripsMs.length] ?? 100;
      underWay.add({ permit: result.permit, arrivesAt: now + tripMs / 2, endsAt: now + tripMs, process });
    }
  }

  for (; now < forMs; now += STEP_MS) {
    if (now - startedAt >= (livesMs[process % livesMs.length] ?? Infinity)) {
      [process, startedAt, callBudget] = [process + 1, now, undefined];
    }
    letArrive();
    letReturn();
    if (now - startedAt >= bootMs)
      await ((callBudget ??= new LocalCallBudget({ ...options, clock, startedAt, callMs: 5_000 })), spend());
  }
  return arrivals;
}
