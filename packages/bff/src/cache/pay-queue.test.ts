import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallRequest } from '../budget/call-ledger.ts';
import { createSlidingLedger } from '../testing/sliding-ledger.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { PayQueue } from './pay-queue.ts';

/** A queue before a ledger that gives two calls in ten seconds. */
function openQueue() {
  const clock = createVirtualClock();
  const ledger = createSlidingLedger(clock, { calls: 2, windowMs: 10_000 });
  const queue = new PayQueue(ledger, clock);
  const served: string[] = [];
  const sentAway: string[] = [];

  async function wait(subject: string, demand: number, forMs = 60_000, payer: CallRequest['payer'] = 'known') {
    const until = clock.now() + forMs;
    const verdict = await queue.waitFor({ request: { subject, payer }, demand: () => demand, until });
    (verdict.kind === 'go' ? served : sentAway).push(subject);
    if (verdict.kind === 'go') ledger.settle(verdict.grant, { fate: 'answered' });
  }

  return { clock, ledger, queue, served, sentAway, wait };
}

describe('PayQueue', () => {
  it('lets a call go at once while there are any', async () => {
    const { served, wait } = openQueue();
    await wait('a', 1);
    assert.deepEqual(served, ['a']);
  });

  it('lets the most wanted go first when there are more again', async () => {
    const { clock, served, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    void wait('little', 1);
    void wait('most', 9);
    void wait('some', 5);
    await clock.advance(10_100);
    assert.deepEqual(served.slice(2), ['most', 'some']);
    await clock.advance(10_100);
    assert.deepEqual(served.slice(4), ['little']);
  });

  it('goes by what is wanted now, not by what was when the wait began', async () => {
    const { clock, ledger, queue, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    const wanted = { a: 1, b: 2 };
    const order: string[] = [];
    for (const subject of ['a', 'b'] as const)
      void queue
        .waitFor({ request: { subject, payer: 'known' }, demand: () => wanted[subject], until: Infinity })
        .then(
          (verdict) =>
            verdict.kind === 'go' && (order.push(subject), ledger.settle(verdict.grant, { fate: 'answered' })),
        );
    wanted.a = 3;
    await clock.advance(20_100);
    assert.deepEqual(order, ['a', 'b']);
  });

  it('sends away at once who could not be served in time', async () => {
    const { clock, sentAway, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    await wait('hasty', 99, 5_000);
    assert.deepEqual(sentAway, ['hasty']);
    void wait('first', 9, 17_000);
    void wait('second', 9, 22_000);
    await wait('third', 9, 9_000);
    assert.deepEqual(sentAway, ['hasty', 'third']);
    await clock.advance(30_000);
    assert.equal(clock.pending(), 0);
  });

  it('lets nobody in front who does not wait', async () => {
    const { clock, queue, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    void wait('waiting', 1);
    await clock.advance(1);
    assert.equal((await queue.ask({ subject: 'by plan', payer: 'known' })).kind, 'refused');
    await clock.advance(20_100);
    assert.equal((await queue.ask({ subject: 'by plan', payer: 'known' })).kind, 'go');
  });

  it('keeps strangers in a queue of their own', async () => {
    const { clock, served, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    void wait('stranger', 99, 60_000, 'stranger');
    void wait('known', 1);
    await clock.advance(20_100);
    assert.ok(served.includes('known'));
  });

  it('sends everybody away when it is closed, and leaves no timer', async () => {
    const { clock, queue, sentAway, wait } = openQueue();
    await Promise.all([wait('spent 1', 0), wait('spent 2', 0)]);
    const waiting = [wait('a', 1), wait('b', 1, 60_000, 'stranger')];
    await clock.advance(100);
    queue.close();
    await Promise.all(waiting);
    await clock.advance(0);
    assert.deepEqual(sentAway, ['a', 'b']);
    assert.equal(clock.pending(), 0);
  });
});
