import { randomFrom } from '../../../testkit/src/random.ts';
import { LocalCallBudget } from '../upstream/call-budget.ts';

const WINDOW_MS = 60_000;
const LIMIT = 60;
const DURATION_MS = 300_000;
const STEP_MS = 50;

/** When to kill a process: never, after a time, right after a burst, or right after a call. */
export type Life = { readonly kind: 'forever' | 'burst' | 'call' } | { readonly kind: 'time'; readonly ms: number };

export interface BudgetRunOptions {
  readonly reserve: number;
  /** Consecutive processes. */
  readonly lifeOf: (process: number, random: () => number) => Life;
  /** How late a call arrives, in ms. Each process's first call is fast. */
  readonly maxLateMs: number;
  readonly instances?: number;
  /** How many calls a process tries to make at a given time. @default as many as the budget allows */
  readonly demand?: (now: number, random: () => number) => number;
  /** The calls that other users of the key make at any time. @default none */
  readonly others?: (now: number) => number;
  readonly hasHeaders?: boolean;
  readonly seed?: number;
}

/** Simulates processes that make every allowed call, with calls that arrive late. Returns the arrival times. */
export function runBudgets(options: BudgetRunOptions) {
  const { reserve, lifeOf, maxLateMs, instances = 1, demand, others, hasHeaders = true } = options;
  const random = randomFrom(options.seed ?? 1).even;
  const arrivals: number[] = [];
  let sent = 0;
  let lives = 0;
  const start = (now: number) => ({
    startedAt: now,
    life: lifeOf(lives++, random),
    budget: new LocalCallBudget({ limit: LIMIT, reserve, windowMs: WINDOW_MS, callMs: 5_000 }, { startedAt: now }),
    calls: 0,
    wanted: 0,
    hasAnswer: false,
    isDead: false,
  });
  const processes = Array.from({ length: instances }, () => start(0));
  type Process = (typeof processes)[number];
  let underWay: { from: Process; sentAt: number; arrivesAt: number; remaining?: number }[] = [];

  const arrive = (now: number): void => {
    for (const call of underWay.filter(({ arrivesAt, remaining }) => arrivesAt <= now && remaining === undefined)) {
      arrivals.push(call.arrivesAt);
      call.remaining = Math.max(0, LIMIT - arrivals.filter((at) => at > call.arrivesAt - WINDOW_MS).length);
    }
    const ended = underWay.filter(({ arrivesAt, sentAt }) => arrivesAt + 50 <= now || sentAt + 5_000 <= now);
    underWay = underWay.filter((call) => !ended.includes(call) || call.remaining === undefined);
    for (const { from, remaining, sentAt } of ended) {
      if (from.isDead || (remaining === undefined && now - sentAt > 5_000)) continue;
      const rate =
        hasHeaders && remaining !== undefined ? { limit: LIMIT, remaining, resetInMs: undefined } : undefined;
      from.budget.ended(now, remaining === undefined ? undefined : { rate });
      from.hasAnswer ||= remaining !== undefined;
    }
  };

  const spend = (from: Process, now: number): number => {
    from.wanted = Math.min(20, from.wanted + (demand?.(now, random) ?? 20));
    let calls = 0;
    while (from.wanted >= 1 && from.budget.take(now) === 0) {
      const lateMs = from.calls === 0 ? 50 : random() < 0.5 ? maxLateMs : random() * maxLateMs;
      underWay.push({ from, sentAt: now, arrivesAt: now + lateMs });
      from.calls += 1;
      from.wanted -= 1;
      calls += 1;
      if (from.life.kind === 'call') break;
    }
    sent += calls;
    return calls;
  };

  for (let now = 0; now < DURATION_MS; now += STEP_MS) {
    for (let count = others?.(now) ?? 0; count > 0; count -= 1) arrivals.push(now);
    arrive(now);
    for (const [index, process] of processes.entries()) {
      const calls = spend(process, now);
      const { life } = process;
      const isOver =
        (life.kind === 'time' && now - process.startedAt >= life.ms) ||
        (life.kind === 'call' && calls > 0) ||
        (life.kind === 'burst' && process.hasAnswer && process.calls > 1);
      if (!isOver) continue;
      process.isDead = true;
      processes[index] = start(now);
    }
  }
  return { worstMinute: worstWindow(arrivals, WINDOW_MS), callsPerMinute: (sent * WINDOW_MS) / DURATION_MS };
}

/** The maximum number of arrivals in any window. */
export function worstWindow(arrivals: readonly number[], windowLength: number): number {
  const sorted = arrivals.toSorted((one, other) => one - other);
  let [worst, first] = [0, 0];
  for (const [last, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= windowLength) first += 1;
    worst = Math.max(worst, last - first + 1);
  }
  return worst;
}
