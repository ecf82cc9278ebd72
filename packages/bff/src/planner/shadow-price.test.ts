import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ShadowPrice, type BudgetSnapshot } from './shadow-price.ts';

const plenty: BudgetSnapshot = { left: 60, capacity: 60 };

/** Spends a call every `everyMs` where there is one, for ten minutes of ticks; gives the calls spent. */
function trade(shadowPrice: ShadowPrice, { everyMs, from = 0 }: { everyMs: number; from?: number }): number {
  let spent = 0;
  for (let at = from; at < from + 600_000; at += 500) {
    shadowPrice.advanceTo(at, plenty);
    if (at % everyMs !== 0 || !shadowPrice.canSpendOnPlan) continue;
    shadowPrice.spend();
    spent += 1;
  }
  return spent;
}

describe('ShadowPrice', () => {
  it('starts cheap, with calls at hand', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    assert.ok(shadowPrice.canSpendOnPlan && shadowPrice.hasSurplus);
    assert.equal(shadowPrice.perCall, 100);
  });

  it('hands out calls at an even pace, however many the key has left', () => {
    const spent = trade(new ShadowPrice(60_000, plenty, true), { everyMs: 500 });
    assert.ok(spent > 590 && spent <= 604, `${spent} calls in ten minutes`);
  });

  it('rises while calls are short and falls while they are plentiful', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    for (let at = 0; at < 120_000; at += 500) shadowPrice.advanceTo(at, { left: 0, capacity: 60 });
    const dear = shadowPrice.perCall;
    assert.ok(dear > 1_000);
    for (let at = 120_000; at < 240_000; at += 500) shadowPrice.advanceTo(at, plenty);
    assert.ok(shadowPrice.perCall < dear / 10);
  });

  it('keeps the last call at hand for a reader, but of a small window none', () => {
    const cached = ({ capacity }: { capacity: number }) => {
      const shadowPrice = new ShadowPrice(60_000, { left: capacity, capacity }, true);
      let sold = 0;
      for (; shadowPrice.canSpendOnPlan; sold += 1) shadowPrice.spend();
      return sold;
    };
    assert.equal(cached({ capacity: 60 }), 2);
    assert.equal(cached({ capacity: 10 }), 1);
  });

  it('has nothing at hand where the key has nothing left', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    shadowPrice.advanceTo(0, { left: 0, capacity: 60 });
    assert.ok(!shadowPrice.canSpendOnPlan);
  });

  it('sells at once what the key gets back after a shortage, but no more than the pace allows', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    for (let at = 0; at <= 60_000; at += 500) shadowPrice.advanceTo(at, { left: 0, capacity: 60 });
    shadowPrice.advanceTo(60_500, plenty);
    let sold = 0;
    for (; shadowPrice.canSpendOnPlan; sold += 1) shadowPrice.spend();
    // Three at hand, of which the last is for a reader.
    assert.equal(sold, 2);
  });

  it('takes calls for plentiful where the key has as many left as it ever can', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    shadowPrice.advanceTo(0, { left: 2, capacity: 60 });
    assert.ok(!shadowPrice.hasSurplus);
    shadowPrice.advanceTo(0, { left: 2, maxLeft: 2, capacity: 60 });
    assert.ok(shadowPrice.hasSurplus);
  });

  it('stays finite through an endless shortage, and cheap through an endless calm', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, true);
    for (let at = 0; at < 1e8; at += 5_000) shadowPrice.advanceTo(at, { left: 0, capacity: 60 });
    assert.ok(Number.isFinite(shadowPrice.perCall));
    for (let at = 1e8; at < 2e8; at += 5_000) shadowPrice.advanceTo(at, plenty);
    assert.equal(shadowPrice.perCall, 100);
  });

  it('never rises where no reader ever waits: the pace alone rations the calls', () => {
    const shadowPrice = new ShadowPrice(60_000, plenty, false);
    trade(shadowPrice, { everyMs: 500 });
    assert.equal(shadowPrice.perCall, 100);
  });
});
