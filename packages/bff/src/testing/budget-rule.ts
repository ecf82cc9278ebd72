import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BudgetStatus, CallBudget, CallPermit, CallResult } from '../budget/call-budget.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A budget of 60 calls a minute, of which 15 are reserved for others, with a burst of 15. It started long ago. */
export interface RuledBudget {
  readonly clock: VirtualClock;
  readonly callBudget: CallBudget;
  /** The state after all these calls were settled. */
  status(): Promise<BudgetStatus>;
}

const ANSWERED: CallResult = { fate: 'answered' };
const headers = (limit?: number, remaining?: number, resetInMs?: number): CallResult => ({
  fate: 'answered',
  window: { limit, remaining, resetInMs },
});
const limited = (retryAfterMs?: number, resetInMs?: number): CallResult => ({
  ...headers(undefined, undefined, resetInMs),
  rateLimited: { retryAfterMs },
});

/** The headers of a 429. */
const NONE_LEFT = { limit: 60, remaining: 0, resetInMs: 1_000 };

/** A step of a case: time passes, or one call is made and settled with this result. */
type Step = number | CallResult;

/** The state after some steps. */
type Expected = Partial<BudgetStatus>;

const CASES: readonly [what: string, steps: readonly Step[], expected: Expected][] = [
  ['a call counts until one window after its answer', [ANSWERED, 60_000], { used: 1 }],
  ['a call no longer counts after that', [ANSWERED, 60_001], { used: 0 }],
  ['a call that was never sent does not count', [{ fate: 'unsent' }], { used: 0 }],
  ['calls that were never sent use up no burst', Array.from({ length: 20 }, () => ({ fate: 'unsent' })), { left: 15 }],
  ['a call without an answer counts for five more seconds', [{ fate: 'lost' }, 65_000], { used: 1 }],
  ['a call without an answer no longer counts after that', [{ fate: 'lost' }, 65_001], { used: 0 }],
  ['the calls of others and a tenth of the limit are left for others', [headers(60, 29)], { others: 30, capacity: 24 }],
  ['one late answer does not lower the count of others', [headers(60, 29), headers(60, 45)], { others: 30 }],
  [
    'calls of others count for a window, regardless of earlier resets',
    [headers(60, 29, 1_000), 59_999],
    { others: 30 },
  ],
  ['calls of others no longer count after that', [headers(60, 29, 1_000), 60_000], { others: 0, capacity: 45 }],
  ['others leave at least one call per window', [headers(60, 1)], { capacity: 1 }],
  ['a lower limit applies', [headers(45)], { capacity: 30 }],
  ['a limit below the reserve leaves one call', [headers(16)], { capacity: 1 }],
  ['a higher limit changes nothing', [headers(600, 599)], { capacity: 45 }],
  ['a lower limit applies for a window', [headers(1, undefined, 3_600_000), 59_999], { capacity: 1 }],
  ['a lower limit no longer applies after that', [headers(1, undefined, 3_600_000), 60_000], { capacity: 45 }],
  ['a limit that is raised again applies immediately', [headers(20), headers(60)], { capacity: 45 }],
  ['an answer without headers changes nothing', [headers()], { capacity: 45, others: 0, pausedForMs: 0 }],
  ['if no calls are left, all calls pause until the reset', [headers(60, 0, 20_000)], { pausedForMs: 20_000, left: 0 }],
  [
    'if no calls are left and there is no reset, all calls pause for a window',
    [headers(60, 0)],
    { pausedForMs: 60_000 },
  ],
  ['no pause is longer than a window', [headers(60, 0, 3_600_000)], { pausedForMs: 60_000 }],
  ['a 429 pauses as Retry-After says', [limited(7_000)], { pausedForMs: 7_000, left: 0 }],
  ['a 429 pauses until a later reset', [limited(7_000, 40_000)], { pausedForMs: 40_000 }],
  ['a 429 without Retry-After and reset pauses for a second', [limited()], { pausedForMs: 1_000 }],
  ['a 429 that asks for a day pauses for a window', [limited(86_400_000)], { pausedForMs: 60_000 }],
  ['a 429 that asks for nonsense pauses for a second', [limited(Number.NaN)], { pausedForMs: 1_000 }],
  [
    'the third 429 in a row pauses for four seconds',
    [limited(), 1_000, limited(), 2_000, limited()],
    { pausedForMs: 4_000 },
  ],
  ['a good answer ends the row of 429s', [limited(), 1_000, ANSWERED, limited()], { pausedForMs: 1_000 }],
];

/** Describes the rule of the budget, which applies to the budget in memory and to the budget in Redis. */
export function describeBudgetRule(open: () => Promise<RuledBudget>): void {
  async function permitFrom({ callBudget }: RuledBudget): Promise<CallPermit | undefined> {
    const acquired = await callBudget.acquire(`src_${Math.random()}`);
    return acquired.kind === 'granted' ? acquired.permit : undefined;
  }

  async function spendAll(budget: RuledBudget): Promise<number> {
    for (let spent = 0; ; spent += 1) {
      const permit = await permitFrom(budget);
      if (!permit) return spent;
      budget.callBudget.settle(permit, ANSWERED);
    }
  }

  describe('rule', () => {
    for (const [what, steps, expected] of CASES)
      it(what, async () => {
        const budget = await open();
        for (const step of steps) {
          if (typeof step === 'number') await budget.clock.advance(step);
          else budget.callBudget.settle((await permitFrom(budget)) ?? assert.fail('no permit'), step);
        }
        const status = await budget.status();
        for (const [name, value] of Object.entries(expected))
          assert.equal(status[name as keyof BudgetStatus], value, name);
      });

    it('grants a third of the calls in a burst, grants the rest evenly, and never grants the reserve', async () => {
      const budget = await open();
      const spent = [await spendAll(budget)];
      for (let second = 0; second < 180; second += 1) {
        await budget.clock.advance(1_000);
        spent.push(await spendAll(budget));
      }
      assert.equal(spent[0], 15);
      for (let from = 0; from < 120; from += 10)
        assert.ok(spent.slice(from, from + 60).reduce((sum, calls) => sum + calls, 0) <= 45);
      assert.ok(spent.slice(121).reduce((sum, calls) => sum + calls, 0) >= 44, spent.join());
      assert.ok(Math.max(...spent.slice(61)) <= 2, spent.join());
    });

    it('says when the next call can be sent, and grants the call at that time', async () => {
      const budget = await open();
      for (let window = 0; window < 100; window += 1) {
        await spendAll(budget);
        const acquired = await budget.callBudget.acquire('next');
        assert.ok(acquired.kind === 'denied' && acquired.retryInMs >= 1 && acquired.retryInMs <= 60_001);
        await budget.clock.advance(acquired.retryInMs);
        const permit = await permitFrom(budget);
        assert.ok(permit);
        budget.callBudget.settle(permit, ANSWERED);
      }
    });

    it('pauses all calls for as long as a 429 asks', async () => {
      const budget = await open();
      budget.callBudget.settle((await permitFrom(budget)) ?? assert.fail('no permit'), limited(7_000));
      await budget.clock.advance(6_999);
      assert.equal(await permitFrom(budget), undefined);
      await budget.clock.advance(1);
      assert.ok(await permitFrom(budget));
    });

    for (const [what, steps] of [
      ['after a 429', [limited(1_000), 1_000]],
      ['after a 429 that says that no calls are left', [{ ...limited(1_000), window: NONE_LEFT }, 61_000]],
      ['after the end of a lower limit', [headers(30), 60_000]],
    ] satisfies [string, Step[]][])
      it(`lets calls leave one by one ${what}, until one gets a response`, async () => {
        const budget = await open();
        for (const step of steps)
          if (typeof step === 'number') await budget.clock.advance(step);
          else budget.callBudget.settle((await permitFrom(budget)) ?? assert.fail('no permit'), step);
        const scout = (await permitFrom(budget)) ?? assert.fail('no permit');
        assert.equal(await permitFrom(budget), undefined);
        budget.callBudget.settle(scout, ANSWERED);
        assert.ok(await permitFrom(budget));
      });
  });
}
