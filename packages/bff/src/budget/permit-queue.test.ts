import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { PermitQueue } from './permit-queue.ts';

/** A queue in front of a budget of two calls in ten seconds. Both calls have been used. */
async function openQueue() {
  const clock = createVirtualClock();
  const callBudget = createSlidingWindowBudget(clock, { calls: 2, windowMs: 10_000 });
  const acquire = mock.method(callBudget, 'acquire').mock;
  const queue = new PermitQueue(callBudget, clock);
  const served: string[] = [];
  const rejected: string[] = [];

  async function wait(subject: string, demand: number | (() => number), forMs = 60_000) {
    const until = clock.now() + forMs;
    const request = {
      subject,
      get demand() {
        return typeof demand === 'number' ? demand : demand();
      },
    };
    const result = await queue.waitFor(request, until);
    (result.kind === 'granted' ? served : rejected).push(subject);
    if (result.kind === 'granted') callBudget.settle(result.permit, { fate: 'answered' });
  }

  for (const subject of ['spent 1', 'spent 2']) {
    const spent = await queue.acquire(subject);
    if (spent.kind === 'granted') callBudget.settle(spent.permit, { fate: 'answered' });
  }
  return { clock, callBudget, queue, served, rejected, wait, asked: () => acquire.callCount() };
}

describe('PermitQueue', () => {
  it('serves the most urgent call first when permits are available again', async () => {
    const { clock, served, wait } = await openQueue();
    void wait('little', 1);
    void wait('most', 9);
    void wait('some', 5);
    await clock.advance(10_100);
    assert.deepEqual(served, ['most', 'some']);
    await clock.advance(10_100);
    assert.deepEqual(served.slice(2), ['little']);
  });

  it('orders waiting calls by their current urgency, not by their initial one', async () => {
    const { clock, served, wait } = await openQueue();
    const wanted = { a: 1, b: 2 };
    for (const subject of ['a', 'b'] as const) void wait(subject, () => wanted[subject]);
    wanted.a = 3;
    await clock.advance(20_100);
    assert.deepEqual(served, ['a', 'b']);
  });

  it('immediately rejects a call that can’t be served in time', async () => {
    const { clock, rejected, wait } = await openQueue();
    await wait('hasty', 99, 5_000);
    assert.deepEqual(rejected, ['hasty']);
    void wait('first', 9, 17_000);
    void wait('second', 9, 22_000);
    await wait('third', 9, 9_000);
    assert.deepEqual(rejected, ['hasty', 'third']);
    await clock.advance(30_000);
    assert.equal(clock.pending(), 0);
  });

  it('rejects overtaken calls as soon as they can no longer be served in time', async () => {
    const { clock, served, rejected, wait } = await openQueue();
    void wait('overtaken', 1, 12_000);
    void wait('more wanted', 9);
    void wait('as wanted', 9);
    await clock.advance(11_500);
    assert.deepEqual([served, rejected], [['more wanted', 'as wanted'], ['overtaken']]);
  });

  it('adds one window to the estimated wait for each window full of urgent calls', async () => {
    const { clock, queue, wait } = await openQueue();
    for (const subject of ['a', 'b', 'c']) void wait(subject, 5);
    await clock.advance(1);
    const ask = (demand: number, until: number) => queue.waitFor({ subject: 'd', demand }, clock.now() + until);
    assert.deepEqual(await ask(5, 14_999), { kind: 'denied', reason: 'budget', retryInMs: 15_000 });
    const inTime = [ask(5, 15_000), ask(6, 10_000)];
    const isLeft = await Promise.race([...inTime, Promise.resolve('waits')]);
    assert.equal(isLeft, 'waits');
    queue.close();
    await Promise.all(inTime);
  });

  it('requests one permit at a time from the budget, even if more calls arrive', async () => {
    const { clock, queue, wait, asked } = await openQueue();
    for (const subject of ['a', 'b', 'c']) void wait(subject, 1);
    await clock.advance(1);
    const before = asked();
    void wait('d', 9);
    const byPlan = await queue.acquire('by plan');
    assert.deepEqual(byPlan, { kind: 'denied', reason: 'budget', retryInMs: 1_000 });
    await clock.advance(5_000);
    assert.equal(asked(), before);
    queue.close();
    await clock.advance(0);
  });

  it('rejects all calls when it is closed, and leaves no timer', async () => {
    const { clock, queue, rejected, wait } = await openQueue();
    const waiting = [wait('a', 1), wait('b', 1)];
    await clock.advance(100);
    queue.close();
    await Promise.all(waiting);
    await clock.advance(0);
    assert.deepEqual(rejected, ['a', 'b']);
    assert.equal(clock.pending(), 0);
  });
});
