import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BudgetRunOptions, type Life, runBudgets } from '../testing/budget-run.ts';
import { type BudgetAnswer, type BudgetStart, type BudgetStatus, LocalCallBudget } from './call-budget.ts';

const SETTINGS = { limit: 60, windowMs: 60_000, reserve: 15, callMs: 5_000 };
const T0 = 1_000_000;

/** A budget that knows that no calls were made before, unless `start` specifies otherwise. */
function open(start: Partial<BudgetStart> = {}, settings = SETTINGS): LocalCallBudget {
  return new LocalCallBudget(settings, { startedAt: T0, earlierCalls: [], ...start });
}

/** Takes all calls that can be sent at `now`, one after another, each with an immediate response. */
function spend(budget: LocalCallBudget, now: number, answer: BudgetAnswer | undefined = {}): number {
  for (let calls = 0; ; calls += 1) {
    if (budget.take(now) > 0) return calls;
    budget.ended(now, answer);
  }
}

function left(remaining: number, limit = 60, resetInMs?: number): BudgetAnswer {
  return { rate: { limit, remaining, resetInMs } };
}

describe('LocalCallBudget', () => {
  it('allows a burst for the list and a page of ten cards, then spreads the rest evenly', () => {
    const budget = open();
    assert.equal(spend(budget, T0), 12);
    const perMinute = [0, 0, 0];
    for (let second = 1; second <= 180; second += 1)
      perMinute[Math.ceil(second / 60) - 1]! += spend(budget, T0 + second * 1_000);
    for (const calls of perMinute) assert.ok(calls >= 30 && calls <= 45, perMinute.join());
  });

  it('never sends more than limit − reserve calls in a window, even if calls arrive late', () => {
    for (const [limit, reserve, most] of [
      [60, 15, 45],
      [60, 5, 54],
      [60, 0, 54],
      [20, 19, 1],
      [1, 0, 1],
    ] as const) {
      const budget = open({}, { ...SETTINGS, limit, reserve });
      const sent: number[] = [];
      for (let now = T0; now < T0 + 300_000; now += 250)
        for (let calls = spend(budget, now); calls > 0; calls -= 1) sent.push(now);
      for (const from of sent)
        assert.ok(sent.filter((at) => at >= from && at < from + 70_000).length <= most, `${limit} - ${reserve}`);
      assert.ok(sent.length >= 3 * most);
    }
  });

  describe('when it starts without any information', () => {
    it('waits a third of the longest call time before its first call', () => {
      const budget = open({ earlierCalls: undefined });
      assert.equal(budget.waitMs(T0), 1_667);
      assert.equal(budget.status(T0).starting, true);
      assert.equal(spend(budget, T0 + 1_666), 0);
      assert.equal(budget.take(T0 + 1_667), 0);
    });

    for (const [counted, burst] of [
      [0, 10],
      [1, 10],
      [6, 5],
      [11, 0],
      [45, 0],
    ] as const)
      it(`sends ${burst} more calls immediately if the service has counted ${counted}`, () => {
        const budget = open({ earlierCalls: undefined });
        budget.take(T0 + 2_500);
        budget.ended(T0 + 2_600, left(60 - counted));
        assert.equal(spend(budget, T0 + 2_600), burst);
        assert.equal(budget.status(T0 + 2_600).starting, false);
      });

    it('doesn’t send a burst of calls if the service doesn’t report its call count', () => {
      const budget = open({ earlierCalls: undefined });
      budget.take(T0 + 2_500);
      budget.ended(T0 + 2_600, {});
      assert.equal(spend(budget, T0 + 2_600), 0);
    });
  });

  it('counts the calls that an earlier process recorded and records its own', () => {
    const recorded: number[][] = [];
    const earlierCalls = Array.from({ length: 12 }, (_, index) => T0 - 1_000 + index);
    const budget = open({ earlierCalls: earlierCalls.toReversed(), onSent: (times) => recorded.push([...times]) });
    assert.equal(spend(budget, T0), 0);
    assert.equal(spend(budget, T0 + 1_000), 1);
    assert.deepEqual(recorded, [[...earlierCalls, T0 + 1_000]]);
    assert.equal(open({ earlierCalls: [T0 - 61_000] }).status(T0).used, 0);
    // These calls might arrive only now.
    assert.equal(open({ earlierCalls: Array<number>(45).fill(T0 - 65_000) }).waitMs(T0), 5_000);
  });

  it('starts with a single call if the service hasn’t responded for a while', () => {
    const budget = open();
    for (const answer of [undefined, {}]) {
      assert.equal(budget.take(T0), 0);
      assert.ok(budget.take(T0) > 0);
      budget.ended(T0, answer);
    }
    assert.equal(budget.take(T0 + 100), 0);
    assert.equal(budget.take(T0 + 100), 0);
  });

  it('leaves room for the key’s other users for one window', () => {
    const budget = open();
    budget.take(T0);
    budget.ended(T0, left(60 - 31));
    const { capacity, earlier, others } = budget.status(T0);
    // Half of the remaining 42, plus its own single call.
    assert.deepEqual([capacity, earlier, others], [6, 30, 0]);
    assert.equal(spend(budget, T0), 5);
    // Fewer calls remain than are reserved.
    budget.ended(T0, left(12));
    assert.equal(budget.status(T0).capacity, 1);
    assert.equal(budget.status(T0 + 60_000).capacity, 45);
  });

  it('counts calls of others that arrived before its own pending calls', () => {
    const budget = open();
    for (const answer of [{}, undefined]) {
      budget.take(T0);
      if (answer) budget.ended(T0, answer);
    }
    budget.take(T0);
    budget.ended(T0, left(60 - 6));
    // It sent three calls, one of which might not have arrived yet.
    assert.deepEqual([budget.status(T0).earlier, budget.status(T0).capacity], [4, 20]);
  });

  it('reports its full capacity if no one else uses the key', () => {
    const budget = open();
    budget.take(T0);
    budget.ended(T0, left(59));
    assert.deepEqual([budget.status(T0).capacity, budget.status(T0).others], [45, 0]);
  });

  it('always allows one call per window, regardless of the headers', () => {
    const budget = open();
    let calls = 0;
    for (let now = T0; now < T0 + 600_000; now += 1_000) calls += spend(budget, now, left(1));
    assert.ok(calls >= 9 && calls <= 15, String(calls));
  });

  it('doesn’t make more calls even if the headers allow them', () => {
    const budget = open();
    let calls = 0;
    for (let now = T0; now < T0 + 70_000; now += 500) calls += spend(budget, now, left(600, 600));
    assert.equal(calls, 45);
  });

  const late = { ...left(60, 60, 40_000), retryAfterMs: 7_000 };
  const pauses: [what: string, answer: BudgetAnswer, expected: Partial<BudgetStatus>][] = [
    ['for as long as a 429 says', { isLimited: true, retryAfterMs: 7_000 }, { pausedForMs: 7_000, left: 0 }],
    ['for a second if a 429 doesn’t say how long', { isLimited: true }, { pausedForMs: 1_000 }],
    ['for a second if a 429 says nonsense', { isLimited: true, retryAfterMs: NaN }, { pausedForMs: 1_000 }],
    ['for at most a window', { isLimited: true, retryAfterMs: 86_400_000 }, { pausedForMs: 60_000 }],
    ['until the reset of a 429, if that is later', { ...late, isLimited: true }, { pausedForMs: 40_000 }],
    ['until the reset if no calls are left', left(0, 60, 20_000), { pausedForMs: 20_000, left: 0 }],
    ['for a window if no calls are left and there is no reset', left(0), { pausedForMs: 60_000 }],
  ];
  for (const [what, answer, expected] of pauses)
    it(`pauses ${what}`, () => {
      const budget = open();
      budget.take(T0);
      const heardAt = T0 + 2_000;
      budget.ended(heardAt, answer);
      const status = budget.status(heardAt);
      for (const [name, value] of Object.entries(expected))
        assert.equal(status[name as keyof BudgetStatus], value, name);
      const endsAt = heardAt + (expected.pausedForMs ?? 0);
      assert.equal(spend(budget, endsAt - 1), 0);
      if (answer.isLimited) assert.equal(budget.take(endsAt), 0);
    });

  it('backs off longer after each additional 429 until a call succeeds', () => {
    const budget = open();
    let now = T0;
    const pausesMs: number[] = [];
    for (const isLimited of [true, true, true, false, true]) {
      now += budget.waitMs(now);
      assert.equal(budget.take(now), 0);
      budget.ended(now, { isLimited });
      pausesMs.push(budget.status(now).pausedForMs);
    }
    assert.deepEqual(pausesMs, [1_000, 2_000, 4_000, 0, 1_000]);
  });

  it('doesn’t shorten a pause if another 429 specifies a shorter one', () => {
    const budget = open();
    budget.take(T0);
    budget.take(T0);
    budget.ended(T0, { isLimited: true, retryAfterMs: 30_000 });
    budget.ended(T0 + 1_000, { isLimited: true, retryAfterMs: 2_000 });
    assert.equal(budget.status(T0 + 1_000).pausedForMs, 29_000);
    // The second 429 came from the same burst.
    budget.ended(T0 + 30_000, { isLimited: true });
    assert.equal(budget.status(T0 + 30_000).pausedForMs, 2_000);
  });

  it('sends at most one call after a pause, not a burst', () => {
    for (const earlierCalls of [[], undefined]) {
      const budget = open({ earlierCalls });
      const at = T0 + budget.waitMs(T0);
      budget.take(at);
      budget.ended(at, { ...left(30), isLimited: true, retryAfterMs: 10_000 });
      assert.ok(spend(budget, at + 10_000, undefined) <= 1);
    }
  });
});

describe('LocalCallBudget across several processes', () => {
  const base = { maxLateMs: 4_950, lifeOf: (): Life => ({ kind: 'forever' }) };
  const mixed = (process: number, random: () => number): Life => {
    const kinds: Life[] = [{ kind: 'burst' }, { kind: 'call' }, { kind: 'time', ms: 500 + random() * 60_000 }];
    return kinds[Math.floor(random() * kinds.length)] ?? kinds[0]!;
  };
  const rare = (process: number, random: () => number): Life =>
    process % 6 === 0 ? { kind: 'time', ms: 90_000 } : mixed(process, random);
  const three = { ...base, maxLateMs: 2_500, instances: 3 };
  const runs: [what: string, options: Omit<BudgetRunOptions, 'reserve'>][] = [
    ['one process, with calls that are late', base],
    ['a page of cards now and then', { ...base, demand: (now) => (now % 20_000 === 0 ? 10 : 0) }],
    ['a crash after each burst', { ...base, lifeOf: () => ({ kind: 'burst' }) }],
    ['a crash after each call', { ...base, lifeOf: () => ({ kind: 'call' }) }],
    ['crashes of every kind', { ...base, lifeOf: mixed }],
    ['crashes after minutes without one', { ...base, lifeOf: rare }],
    ['three instances', three],
    ['three instances with bursts', { ...three, demand: (now, random) => (random() < 0.003 ? 12 : 0) }],
    ['others who make 15 calls a minute', { ...base, others: (now) => Number(now % 4_000 === 0) }],
    ['others who make 30 calls a minute', { ...base, maxLateMs: 50, others: (now) => Number(now % 2_000 === 0) }],
    ['no headers, and crashes of every kind', { ...base, hasHeaders: false, lifeOf: mixed }],
  ];
  for (const [what, options] of runs)
    it(`stays within the limit with ${what}`, () => {
      for (const reserve of [15, 5, 0])
        for (const seed of [1, 2, 3]) {
          const { worstMinute } = runBudgets({ ...options, reserve, seed });
          assert.ok(worstMinute <= 60, `${worstMinute} calls in a minute, reserve ${reserve}, seed ${seed}`);
        }
    });

  it('makes at least 30 calls a minute if readers need that many', () => {
    assert.ok(runBudgets({ ...base, reserve: 15 }).callsPerMinute >= 36);
    assert.ok(runBudgets({ ...base, reserve: 15, instances: 3, maxLateMs: 50 }).callsPerMinute >= 36);
  });
});
