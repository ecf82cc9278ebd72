import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BudgetStatus } from '../budget/call-budget.ts';
import type { HostStatus } from '../upstream/gate.ts';
import { HealthChangeLogger, type HealthSnapshot } from './health-change-logger.ts';

const budget: BudgetStatus = {
  limit: 60,
  reserve: 15,
  windowMs: 60_000,
  used: 10,
  left: 35,
  maxLeft: 45,
  capacity: 45,
  others: 0,
  pausedForMs: 0,
  starting: false,
};

function host(name: 'main' | 'alt', preferred: boolean, state: HostStatus['state'] = 'closed'): HostStatus {
  return { host: name, preferred, state, consecutiveFailures: 0, lastAnswerAt: 0, openForMs: 0 };
}

const well: HealthSnapshot = {
  key: { state: 'accepted' },
  hosts: [host('main', true), host('alt', false)],
  budget,
  unreadableRows: 0,
};

/** What is logged when `before` is followed by `now`. */
function diffHealth(before: HealthSnapshot, now: HealthSnapshot): string[] {
  const said: string[] = [];
  const logger = new HealthChangeLogger((sentence) => said.push(sentence));
  logger.update(before);
  said.length = 0;
  logger.update(now);
  return said;
}

describe('HealthChangeLogger', () => {
  it('has none where nothing changed', () => {
    assert.deepEqual(diffHealth(well, { ...well }), []);
    assert.deepEqual(diffHealth({ ...well, key: { state: 'untried' } }, well), []);
    assert.deepEqual(diffHealth(well, { ...well, budget: { ...budget, used: 45, left: 0 } }), []);
  });

  const changes: [string, Partial<HealthSnapshot>, RegExp][] = [
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
    ['another host', { hosts: [host('main', false, 'open'), host('alt', true)] }, /go to the alt host/],
    ['no host at all', { hosts: [host('main', true, 'open'), host('alt', false, 'half-open')] }, /No host/],
    ['others who use the key', { budget: { ...budget, others: 30, capacity: 30 } }, /30 calls of this window/],
    ['a pause', { budget: { ...budget, pausedForMs: 12_300 } }, /no calls for 13 s/],
  ];
  for (const [what, change, said] of changes)
    it(`tells of ${what}`, () => {
      const messages = diffHealth(well, { ...well, ...change });
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? '', said);
    });

  it('tells when it is over', () => {
    const allDown = { ...well, hosts: [host('main', true, 'open')] };
    assert.match(diffHealth({ ...well, key: { state: 'refused' } }, well).join(), /takes the key again/);
    assert.match(diffHealth(allDown, well).join(), /answers again/);
    assert.deepEqual(diffHealth({ ...well, budget: { ...budget, others: 30, capacity: 30 } }, well), []);
  });

  it('does not repeat itself while it lasts', () => {
    for (const [, change] of changes) assert.deepEqual(diffHealth({ ...well, ...change }, { ...well, ...change }), []);
  });
  const lost: HealthSnapshot = { ...well, hosts: [host('main', true, 'open')] };

  it('tells each change once', () => {
    const said: string[] = [];
    const messages = new HealthChangeLogger((sentence) => void said.push(sentence));
    for (const now of [well, lost, lost, well, well]) messages.update(now);
    assert.deepEqual(said.length, 2);
  });

  it('tells later what could not be written, if it is still so', () => {
    const said: string[] = [];
    let isWritten = false;
    const messages = new HealthChangeLogger((sentence) => isWritten && said.push(sentence) > 0);
    for (const now of [well, lost]) messages.update(now);
    isWritten = true;
    for (const now of [lost, lost]) messages.update(now);
    assert.deepEqual(said.length, 1);
  });

  it('never tells what was over before it could be written', () => {
    const said: string[] = [];
    let isWritten = false;
    const messages = new HealthChangeLogger((sentence) => isWritten && said.push(sentence) > 0);
    for (const now of [well, lost]) messages.update(now);
    isWritten = true;
    for (const now of [well, well]) messages.update(now);
    assert.deepEqual(said, []);
  });
});
