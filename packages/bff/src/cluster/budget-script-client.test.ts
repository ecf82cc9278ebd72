import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SharedBudgetView } from './budget-script-client.ts';

const EPOCH_MS = 1_000_000;
const account = { used: 0, capacity: 45, others: 0, pausedForMs: 0, starting: false, level: 0, heldForMs: 0 };
const reply = (now: number, { epoch = 'a', counted = 0 } = {}) => ({ epoch, now, counted, account });

describe('SharedBudgetView', () => {
  it('knows nothing before the first reply', () => {
    const view = new SharedBudgetView();
    assert.deepEqual(view.knownAt(5), { epoch: '', minNow: 0, counted: 0 });
    assert.equal(view.aheadMs, undefined);
  });

  it('keeps the bound of the quickest reply', () => {
    const view = new SharedBudgetView();
    view.recordReply(reply(EPOCH_MS + 50), 400);
    view.recordReply(reply(EPOCH_MS + 1_000), 1_001);
    view.recordReply(reply(EPOCH_MS + 2_000), 2_900);
    assert.equal(view.knownAt(3_000).minNow, EPOCH_MS + 2_999);
  });

  it('never takes the account for later than it is, however slow replies are', () => {
    const trips = fc.array(fc.tuple(fc.nat(5_000), fc.nat(5_000)), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(trips, (delays) => {
        const view = new SharedBudgetView();
        let [now, accountNow] = [0, EPOCH_MS];
        for (const [there, back] of delays) {
          now += there;
          accountNow = Math.max(accountNow, view.knownAt(now - there).minNow);
          view.recordReply(reply(accountNow), (now += back));
          assert.ok(accountNow <= EPOCH_MS + now);
          assert.ok(view.knownAt(now).minNow <= EPOCH_MS + now);
        }
      }),
    );
  });

  it('remembers how many calls were counted', () => {
    const view = new SharedBudgetView();
    view.recordReply(reply(EPOCH_MS, { counted: 7 }), 0);
    view.recordReply(reply(EPOCH_MS, { counted: 5 }), 1);
    assert.equal(view.knownAt(2).counted, 7);
  });

  it('forgets an account that was reset', () => {
    const view = new SharedBudgetView();
    view.recordReply(reply(EPOCH_MS, { counted: 7 }), 0);
    view.recordReply(reply(10, { epoch: 'b', counted: 1 }), 5);
    assert.deepEqual(view.knownAt(5), { epoch: 'b', minNow: 10, counted: 1 });
  });
});
