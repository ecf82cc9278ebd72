import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import type { CallBudget, CallResult, CallPermit } from './call-budget.ts';
import { LocalCallBudget, type LocalCallBudgetOptions } from './local-call-budget.ts';

/** A call budget long after its start. */
function openCallBudget(options: Partial<LocalCallBudgetOptions> = {}) {
  const clock = (options.clock as VirtualClock | undefined) ?? createVirtualClock();
  const callBudget = new LocalCallBudget({
    clock,
    limit: 60,
    windowMs: 60_000,
    reserve: 15,
    callMs: 5_000,
    startedAt: clock.now() - 600_000,
    ...options,
  });
  return { clock, callBudget };
}

async function permitFrom(callBudget: CallBudget): Promise<CallPermit | undefined> {
  const acquired = await callBudget.acquire({ subject: 'src_1' });
  return acquired.kind === 'granted' ? acquired.permit : undefined;
}

/** Takes as many calls as the call budget gives at once, each answered at once. */
async function spendAll(callBudget: CallBudget, result: CallResult = { fate: 'answered' }): Promise<number> {
  for (let spent = 0; ; spent += 1) {
    const permit = await permitFrom(callBudget);
    if (!permit) return spent;
    callBudget.settle(permit, result);
  }
}

/** Takes as many calls as the call budget gives in a window. */
async function spendWindow(callBudget: CallBudget, clock: VirtualClock, result?: CallResult): Promise<number> {
  let spent = 0;
  for (let second = 0; second < 60; second += 1) {
    spent += await spendAll(callBudget, result);
    await clock.advance(1_000);
  }
  return spent;
}

describe('LocalCallBudget', () => {
  it('grants nine calls at once, and a window no more than the limit without the reserve', async () => {
    const { clock, callBudget } = openCallBudget();
    assert.equal(await spendAll(callBudget), 9);
    assert.equal(await spendWindow(callBudget, clock), 36);
  });

  it('says when there will be more', async () => {
    const { clock, callBudget } = openCallBudget();
    await spendAll(callBudget);
    const acquired = await callBudget.acquire({ subject: 'src_1' });
    assert.deepEqual(acquired, { kind: 'denied', reason: 'budget', retryInMs: 1_429 });
    await clock.advance(1_429);
    assert.equal(await spendAll(callBudget), 1);
  });

  it('lets calls flow evenly once a window is spent, and never holds back what may be spent', async () => {
    const { clock, callBudget } = openCallBudget();
    await spendWindow(callBudget, clock);
    const spent = [];
    for (let window = 0; window < 5; window += 1) spent.push(await spendWindow(callBudget, clock));
    for (const calls of spent.slice(1)) assert.ok(calls >= 41 && calls <= 43, spent.join());
    assert.ok((await spendAll(callBudget)) <= 2);
  });

  it('gives a call back that never left', async () => {
    const { callBudget } = openCallBudget();
    const permit = await permitFrom(callBudget);
    assert.ok(permit);
    callBudget.settle(permit, { fate: 'unsent' });
    assert.equal(callBudget.status().used, 0);
  });

  it('counts a call whose answer never came for longer, for it may arrive late', async () => {
    const { clock, callBudget } = openCallBudget();
    const permit = await permitFrom(callBudget);
    assert.ok(permit);
    callBudget.settle(permit, { fate: 'lost' });
    await clock.advance(64_000);
    assert.equal(callBudget.status().used, 1);
    await clock.advance(2_000);
    assert.equal(callBudget.status().used, 0);
  });

  it('counts no call that was not sent, neither in the window nor in the burst', async () => {
    const { callBudget } = openCallBudget();
    for (let call = 0; call < 20; call += 1) {
      const permit = await permitFrom(callBudget);
      assert.ok(permit, `call ${call}`);
      callBudget.settle(permit, { fate: 'unsent' });
    }
    assert.equal(await spendAll(callBudget), 9);
  });

  it('tells by when a granted call must have left', async () => {
    const { clock, callBudget } = openCallBudget();
    assert.equal((await permitFrom(callBudget))?.expiresAt, clock.now() + 2_000);
  });

  describe('when the headers show that others use the key', () => {
    const window = (remaining: number) => ({ limit: 60, remaining, resetInMs: 30_000 });

    it('shrinks to what they have left and a tenth less, so that they can show if they need more', async () => {
      const { callBudget } = openCallBudget();
      const permit = await permitFrom(callBudget);
      assert.ok(permit);
      callBudget.settle(permit, { fate: 'answered', window: window(29) });
      assert.deepEqual(
        [callBudget.status().others, callBudget.status().capacity, callBudget.status().left],
        [30, 24, 8],
      );
    });

    it('leaves its own calls in flight out of theirs', async () => {
      const { callBudget } = openCallBudget();
      const [first, ...rest] = [
        await permitFrom(callBudget),
        await permitFrom(callBudget),
        await permitFrom(callBudget),
      ];
      assert.ok(first && rest.length === 2);
      callBudget.settle(first, { fate: 'answered', window: window(57) });
      assert.equal(callBudget.status().others, 0);
    });

    it('does not let them go because one answer came late', async () => {
      const { callBudget } = openCallBudget();
      for (const remaining of [29, 45]) {
        const permit = await permitFrom(callBudget);
        assert.ok(permit);
        callBudget.settle(permit, { fate: 'answered', window: window(remaining) });
      }
      assert.equal(callBudget.status().others, 30);
    });

    it('forgets them after a window, not when the upstream says that its window resets', async () => {
      const { clock, callBudget } = openCallBudget();
      const permit = await permitFrom(callBudget);
      assert.ok(permit);
      callBudget.settle(permit, { fate: 'answered', window: window(29) });
      await clock.advance(59_999);
      assert.equal(callBudget.status().others, 30);
      await clock.advance(1);
      assert.equal(callBudget.status().others, 0);
    });

    it('takes a lower limit, never a higher one', async () => {
      for (const [limit, capacity] of [
        [30, 15],
        [600, 45],
      ] as const) {
        const { callBudget } = openCallBudget();
        const permit = await permitFrom(callBudget);
        assert.ok(permit);
        callBudget.settle(permit, { fate: 'answered', window: { limit, remaining: limit - 1, resetInMs: undefined } });
        assert.equal(callBudget.status().capacity, capacity);
      }
    });

    it('lets missing headers change nothing', async () => {
      const { clock, callBudget } = openCallBudget();
      const none = { limit: undefined, remaining: undefined, resetInMs: undefined };
      assert.equal(await spendWindow(callBudget, clock, { fate: 'answered', window: none }), 45);
    });
  });

  describe('when the upstream says that nothing is left', () => {
    it('lets one call leave in the window after it, though all of it was spent by others', async () => {
      const { clock, callBudget } = openCallBudget();
      const permit = await permitFrom(callBudget);
      assert.ok(permit);
      callBudget.settle(permit, { fate: 'answered', window: { limit: 60, remaining: 0, resetInMs: 20_000 } });
      assert.equal(callBudget.status().pausedForMs, 20_000);
      await clock.advance(60_001);
      assert.ok(await permitFrom(callBudget));
    });

    const pauses: [string, CallResult, number][] = [
      ['Remaining 0', { fate: 'answered', window: { limit: 60, remaining: 0, resetInMs: undefined } }, 60_000],
      ['a 429 with Retry-After', { fate: 'answered', rateLimited: { retryAfterMs: 7_000 } }, 7_000],
      [
        'a 429 with a later reset',
        {
          fate: 'answered',
          window: { limit: undefined, remaining: undefined, resetInMs: 40_000 },
          rateLimited: { retryAfterMs: 7_000 },
        },
        40_000,
      ],
      ['a 429 with neither', { fate: 'answered', rateLimited: { retryAfterMs: undefined } }, 1_000],
      ['a 429 that asks for a day', { fate: 'answered', rateLimited: { retryAfterMs: 86_400_000 } }, 60_000],
      ['a 429 that asks for nonsense', { fate: 'answered', rateLimited: { retryAfterMs: NaN } }, 1_000],
    ];
    for (const [what, result, pausedForMs] of pauses)
      it(`pauses all calls: ${what}`, async () => {
        const { clock, callBudget } = openCallBudget();
        const permit = await permitFrom(callBudget);
        assert.ok(permit);
        callBudget.settle(permit, result);
        assert.equal(callBudget.status().pausedForMs, pausedForMs);
        assert.equal(callBudget.status().left, 0);
        await clock.advance(pausedForMs - 1);
        assert.equal(await permitFrom(callBudget), undefined);
        await clock.advance(1);
        assert.ok(await permitFrom(callBudget));
      });

    it('waits twice as long after each 429 in a row that does not say how long', async () => {
      const { clock, callBudget } = openCallBudget();
      const waits: number[] = [];
      for (let limited = 0; limited < 8; limited += 1) {
        const permit = await permitFrom(callBudget);
        assert.ok(permit);
        callBudget.settle(permit, { fate: 'answered', rateLimited: { retryAfterMs: undefined } });
        waits.push(callBudget.status().pausedForMs);
        await clock.advance(callBudget.status().pausedForMs);
      }
      assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    });

    it('lets calls leave one by one until one is answered', async () => {
      const { clock, callBudget } = openCallBudget();
      const refused = await permitFrom(callBudget);
      assert.ok(refused);
      callBudget.settle(refused, { fate: 'answered', rateLimited: { retryAfterMs: 1_000 } });
      await clock.advance(1_000);
      const scout = await permitFrom(callBudget);
      assert.ok(scout);
      assert.equal(await permitFrom(callBudget), undefined);
      callBudget.settle(scout, { fate: 'answered' });
      assert.ok(await permitFrom(callBudget));
    });
  });

  describe('at a start', () => {
    function openNow(options: Partial<LocalCallBudgetOptions> = {}) {
      const clock = createVirtualClock();
      return openCallBudget({ clock, startedAt: clock.now(), ...options });
    }

    it('lets the first call leave one interval later, and says that it is starting', async () => {
      const { clock, callBudget } = openNow();
      const acquired = await callBudget.acquire({ subject: 'src_1' });
      assert.deepEqual(acquired, { kind: 'denied', reason: 'starting', retryInMs: 1_429 });
      assert.equal(callBudget.status().starting, true);
      await clock.advance(1_429);
      assert.equal(await spendAll(callBudget), 1);
    });

    it('lets a burst follow once the upstream has said how little was spent', async () => {
      const { clock, callBudget } = openNow();
      await clock.advance(1_429);
      const window = { limit: 60, remaining: 59, resetInMs: 60_000 };
      const permit = await permitFrom(callBudget);
      assert.ok(permit);
      callBudget.settle(permit, { fate: 'answered', window });
      assert.equal(callBudget.status().left, 8);
      assert.equal(callBudget.status().starting, false);
    });

    it('keeps what earlier processes spent counted for a window, not until the upstream resets', async () => {
      const { clock, callBudget } = openNow();
      await clock.advance(1_429);
      const permit = await permitFrom(callBudget);
      assert.ok(permit);
      callBudget.settle(permit, { fate: 'answered', window: { limit: 60, remaining: 14, resetInMs: 2_000 } });
      await clock.advance(50_000);
      const { others, used, capacity } = callBudget.status();
      assert.deepEqual([others, capacity], [45, 9]);
      assert.ok(used <= capacity);
    });
  });
});
