import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { budgetWords } from './budget-card.ts';

const budget = { free: 40, left: 9.6, pausedForMs: 0 };

describe('budgetWords()', () => {
  it('shows how many of the remaining calls can be made now and how many later', () =>
    assert.equal(
      budgetWords(budget, 'ok'),
      '9 of the 40 remaining calls can be made now, the rest later in the window. The sources with the most readers are refreshed first.',
    ));

  it('shows that all remaining calls can be made now', () =>
    assert.match(budgetWords({ ...budget, left: 40 }, 'ok'), /^All 40 remaining calls can be made now\. /));

  it('uses the singular for one call', () => {
    assert.match(budgetWords({ ...budget, free: 1, left: 1 }, 'ok'), /^The remaining call can be made now\. /);
    assert.match(budgetWords({ ...budget, free: 1, left: 0 }, 'ok'), /^One call remains; it can be made shortly\. /);
  });

  it('shows that calls remain but the next one has to wait', () =>
    assert.match(budgetWords({ ...budget, left: 0.4 }, 'ok'), /^40 calls remain; the next one can be made shortly\. /));

  it('shows that all calls have been used', () =>
    assert.match(budgetWords({ ...budget, free: 0, left: 0 }, 'ok'), /^All calls in this window have been used\. /));

  it('shows how much longer the service will reject calls', () =>
    assert.equal(
      budgetWords({ ...budget, pausedForMs: 30_000 }, 'degraded'),
      'The service won’t accept calls for another 30 s.',
    ));

  it('explains why calls are paused while the service isn’t responding', () =>
    assert.match(budgetWords(budget, 'down'), /^The server has paused calls/));
});
