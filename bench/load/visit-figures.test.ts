import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { visitFigures } from './visit-figures.ts';
import type { Visit } from './visits.ts';

const visit = (atNs: number, status: Visit['status'], rest: Partial<Visit> = {}): Visit => ({
  atNs,
  id: 'src_1',
  tookMs: 1,
  status,
  said: status === 200 ? 'run_1' : 'upstream_unavailable',
  isStale: false,
  ...rest,
});

describe('visitFigures()', () => {
  it('tells failures for a source that had an answer from those that never had one', () => {
    const { failedThoughKnown, failedUnknown, failures } = visitFigures([
      visit(1, 503),
      visit(2, 200),
      visit(3, 503),
      visit(4, 503, { id: 'src_2' }),
    ]);
    assert.deepEqual([failedThoughKnown, failedUnknown], [1, 2]);
    assert.deepEqual(failures, { '503 upstream_unavailable': 3 });
  });

  it('knows what was answered before', () => {
    assert.equal(visitFigures([visit(1, 503)], { known: ['src_1'] }).failedThoughKnown, 1);
  });

  it('takes the visits in the order in which they came', () => {
    assert.equal(visitFigures([visit(3, 503), visit(2, 200)]).failedThoughKnown, 1);
  });

  it('forgets what was known when all was lost', () => {
    assert.equal(visitFigures([visit(1, 200), visit(3, 503)], { lostAtNs: [2] }).failedThoughKnown, 0);
  });

  it('counts views that got no answer by the reason, apart from failures', () => {
    const ended = [visit(1, 200), visit(2, 'refused'), visit(3, 'cut'), visit(4, 'gave-up')];
    const { refused, cut, gaveUp, failedThoughKnown } = visitFigures(ended);
    assert.deepEqual([refused, cut, gaveUp, failedThoughKnown], [1, 1, 1, 0]);
  });

  it('counts stale answers among the answered', () => {
    const { answered, stale } = visitFigures([visit(1, 200), visit(2, 200, { isStale: true })]);
    assert.deepEqual([answered, stale], [2, 1]);
  });

  it('knows the middle, the slow and the slowest', () => {
    const visits = Array.from({ length: 200 }, (_, index) => visit(index, 200, { tookMs: index + 1 }));
    const { p50Ms, p99Ms, maxMs } = visitFigures(visits);
    assert.deepEqual([p50Ms, p99Ms, maxMs], [101, 199, 200]);
  });
});
