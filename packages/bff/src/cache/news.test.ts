import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BudgetStatus } from '../budget/call-ledger.ts';
import type { HostStatus } from './host-choice.ts';
import { News, newsBetween, type Situation } from './news.ts';

const budget: BudgetStatus = {
  limit: 60,
  reserve: 15,
  windowMs: 60_000,
  used: 10,
  left: 35,
  leftAtMost: 45,
  capacity: 45,
  others: 0,
  pausedForMs: 0,
  starting: false,
};

function host(name: 'main' | 'alt', preferred: boolean, state: HostStatus['state'] = 'well'): HostStatus {
  return { host: name, preferred, state, failuresInARow: 0, lastAnswerAt: 0, restsForMs: 0 };
}

const well: Situation = {
  key: { state: 'accepted' },
  hosts: [host('main', true), host('alt', false)],
  budget,
  unreadableRows: 0,
};

describe('newsBetween()', () => {
  it('has none where nothing changed', () => {
    assert.deepEqual(newsBetween(well, { ...well }), []);
    assert.deepEqual(newsBetween({ ...well, key: { state: 'untried' } }, well), []);
    assert.deepEqual(newsBetween(well, { ...well, budget: { ...budget, used: 45, left: 0 } }), []);
  });

  const changes: [string, Partial<Situation>, RegExp][] = [
    [
      'a key that is refused',
      { key: { state: 'refused', refusedForMs: 0 } },
      /refuses the key \(401\): make a new key/,
    ],
    [
      'a scope that is missing',
      { key: { state: 'refused', refusedForMs: 0, missingScope: 'pulses:read' } },
      /\(403\): give it the scope pulses:read/,
    ],
    ['another host', { hosts: [host('main', false, 'resting'), host('alt', true)] }, /go to the alt host/],
    ['no host at all', { hosts: [host('main', true, 'resting'), host('alt', false, 'on-trial')] }, /No host/],
    ['others who use the key', { budget: { ...budget, others: 30, capacity: 30 } }, /30 calls of this window/],
    ['a pause', { budget: { ...budget, pausedForMs: 12_300 } }, /nothing is asked for 13 s/],
  ];
  for (const [what, change, said] of changes)
    it(`tells of ${what}`, () => {
      const news = newsBetween(well, { ...well, ...change });
      assert.equal(news.length, 1);
      assert.match(news[0] ?? '', said);
    });

  it('tells when it is over', () => {
    const dark = { ...well, hosts: [host('main', true, 'resting')] };
    assert.match(newsBetween({ ...well, key: { state: 'refused' } }, well).join(), /takes the key again/);
    assert.match(newsBetween(dark, well).join(), /answers again/);
    assert.deepEqual(newsBetween({ ...well, budget: { ...budget, others: 30, capacity: 30 } }, well), []);
  });

  it('does not repeat itself while it lasts', () => {
    for (const [, change] of changes) assert.deepEqual(newsBetween({ ...well, ...change }, { ...well, ...change }), []);
  });
});

describe('News', () => {
  const lost: Situation = { ...well, hosts: [host('main', true, 'resting')] };

  it('tells each change once', () => {
    const said: string[] = [];
    const news = new News((sentence) => void said.push(sentence));
    for (const now of [well, lost, lost, well, well]) news.hear(now);
    assert.deepEqual(said.length, 2);
  });

  it('tells later what could not be written, if it is still so', () => {
    const said: string[] = [];
    let isWritten = false;
    const news = new News((sentence) => isWritten && said.push(sentence) > 0);
    for (const now of [well, lost]) news.hear(now);
    isWritten = true;
    for (const now of [lost, lost]) news.hear(now);
    assert.deepEqual(said.length, 1);
  });

  it('never tells what was over before it could be written', () => {
    const said: string[] = [];
    let isWritten = false;
    const news = new News((sentence) => isWritten && said.push(sentence) > 0);
    for (const now of [well, lost]) news.hear(now);
    isWritten = true;
    for (const now of [well, well]) news.hear(now);
    assert.deepEqual(said, []);
  });
});
