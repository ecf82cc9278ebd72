import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GoingPrice, type Tokens } from './going-price.ts';

const plenty: Tokens = { left: 60, capacity: 60 };

/** Spends a call every `everyMs` where there is one, for ten minutes of ticks; gives the calls spent. */
function trade(going: GoingPrice, { everyMs, from = 0 }: { everyMs: number; from?: number }): number {
  let spent = 0;
  for (let at = from; at < from + 600_000; at += 500) {
    going.passTo(at, plenty);
    if (at % everyMs !== 0 || !going.hasForPlan) continue;
    going.spend();
    spent += 1;
  }
  return spent;
}

describe('GoingPrice', () => {
  it('starts cheap, with calls at hand', () => {
    const going = new GoingPrice(60_000, plenty, true);
    assert.ok(going.hasForPlan && going.isPlentiful);
    assert.equal(going.perCall, 100);
  });

  it('hands out calls at an even pace, however many the key has left', () => {
    const spent = trade(new GoingPrice(60_000, plenty, true), { everyMs: 500 });
    assert.ok(spent > 590 && spent <= 604, `${spent} calls in ten minutes`);
  });

  it('rises while calls are short and falls while they are plentiful', () => {
    const going = new GoingPrice(60_000, plenty, true);
    for (let at = 0; at < 120_000; at += 500) going.passTo(at, { left: 0, capacity: 60 });
    const dear = going.perCall;
    assert.ok(dear > 1_000);
    for (let at = 120_000; at < 240_000; at += 500) going.passTo(at, plenty);
    assert.ok(going.perCall < dear / 10);
  });

  it('keeps the last call at hand for a reader, but of a small window none', () => {
    const kept = ({ capacity }: { capacity: number }) => {
      const going = new GoingPrice(60_000, { left: capacity, capacity }, true);
      let sold = 0;
      for (; going.hasForPlan; sold += 1) going.spend();
      return sold;
    };
    assert.equal(kept({ capacity: 60 }), 2);
    assert.equal(kept({ capacity: 10 }), 1);
  });

  it('has nothing at hand where the key has nothing left', () => {
    const going = new GoingPrice(60_000, plenty, true);
    going.passTo(0, { left: 0, capacity: 60 });
    assert.ok(!going.hasForPlan);
  });

  it('sells at once what the key gets back after a shortage, but no more than the pace allows', () => {
    const going = new GoingPrice(60_000, plenty, true);
    for (let at = 0; at <= 60_000; at += 500) going.passTo(at, { left: 0, capacity: 60 });
    going.passTo(60_500, plenty);
    let sold = 0;
    for (; going.hasForPlan; sold += 1) going.spend();
    // Three at hand, of which the last is for a reader.
    assert.equal(sold, 2);
  });

  it('takes calls for plentiful where the key has as many left as it ever can', () => {
    const going = new GoingPrice(60_000, plenty, true);
    going.passTo(0, { left: 2, capacity: 60 });
    assert.ok(!going.isPlentiful);
    going.passTo(0, { left: 2, leftAtMost: 2, capacity: 60 });
    assert.ok(going.isPlentiful);
  });

  it('stays finite through an endless shortage, and cheap through an endless calm', () => {
    const going = new GoingPrice(60_000, plenty, true);
    for (let at = 0; at < 1e8; at += 5_000) going.passTo(at, { left: 0, capacity: 60 });
    assert.ok(Number.isFinite(going.perCall));
    for (let at = 1e8; at < 2e8; at += 5_000) going.passTo(at, plenty);
    assert.equal(going.perCall, 100);
  });

  it('never rises where no reader ever waits: the pace alone rations the calls', () => {
    const going = new GoingPrice(60_000, plenty, false);
    trade(going, { everyMs: 500 });
    assert.equal(going.perCall, 100);
  });
});
