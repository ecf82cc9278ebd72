import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { emptyHistory, historyIn, mergedHistory, pulseOf, type SourceHistory, withPulse } from './source-history.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW_MS = Date.parse('2026-05-08T12:00:00.000Z');
const EMPTY = emptyHistory('acc');
const limits = (changes = {}) => ({ maxRuns: 30, nowMs: NOW_MS, ...changes });

const pulseAt = (day: number, text: string | null = `Finding ${day}`) => ({
  ...fullPulse,
  jobRunId: `run_${day}`,
  completedAt: new Date(NOW_MS - (100 - day) * DAY_MS).toISOString(),
  aiSummaryShort: text,
});

const historyOf = (days: readonly number[], changes = {}) =>
  days.reduce((history, day) => withPulse(history, pulseAt(day), limits(changes)), EMPTY);

const idsOf = ({ runs }: SourceHistory) => runs.map(({ jobRunId }) => jobRunId);

describe('withPulse()', () => {
  it('sorts runs by completion time, newest first, regardless of the order in which they arrive', () =>
    assert.deepEqual(idsOf(historyOf([2, 3, 1])), ['run_3', 'run_2', 'run_1']));

  it('returns the same history if nothing changes', () => {
    const history = historyOf([1]);
    assert.equal(withPulse(history, pulseAt(1), limits()), history);
  });

  it('adds late text to its run and keeps the time when the run was first seen', () => {
    const first = withPulse(EMPTY, pulseAt(1, null), limits());
    const [run] = withPulse(first, pulseAt(1, 'Late'), limits({ nowMs: NOW_MS + DAY_MS })).runs;
    assert.deepEqual([run?.aiSummaryShort, run?.firstSeenAt], ['Late', '2026-05-08T12:00:00.000Z']);
  });

  it('keeps the newest runs up to the limit, or no runs if the limit is 0', () => {
    assert.deepEqual(idsOf(historyOf([1, 2, 3, 4], { maxRuns: 2 })), ['run_4', 'run_3']);
    const without = historyOf([1, 2], { maxRuns: 0 });
    assert.deepEqual([without.runs.length, without.times.length], [0, 2]);
  });

  it('keeps at most 64 KiB per source', () => {
    const long = 'x'.repeat(10_000);
    const history = [1, 2, 3, 4, 5, 6, 7, 8].reduce((all, day) => withPulse(all, pulseAt(day, long), limits()), EMPTY);
    assert.deepEqual(idsOf(history), ['run_8', 'run_7', 'run_6', 'run_5', 'run_4', 'run_3']);
  });

  it('drops runs that were first seen 400 days ago', () => {
    const later = withPulse(historyOf([1]), pulseAt(2), limits({ nowMs: NOW_MS + 400 * DAY_MS }));
    assert.deepEqual(idsOf(later), ['run_2']);
  });

  it('drops runs beyond the limit after it’s lowered, even if no new run has arrived', () => {
    const history = historyOf([1, 2, 3]);
    assert.deepEqual(idsOf(withPulse(history, pulseAt(3), limits({ maxRuns: 2 }))), ['run_3', 'run_2']);
  });

  it('ignores a completion time more than a day in the future', () => {
    const ahead = { ...pulseAt(1), completedAt: '9999-01-01T00:00:00.000Z' };
    assert.deepEqual(withPulse(historyOf([1, 2]), ahead, limits()).times, historyOf([1, 2]).times);
  });

  it('ignores a run without a completion time when it determines the usual interval', () => {
    const { times, runs } = withPulse(EMPTY, { ...pulseAt(1), completedAt: null }, limits());
    assert.deepEqual([times.length, runs.length], [0, 1]);
  });
});

describe('mergedHistory()', () => {
  it('contains the runs from both histories', () =>
    assert.deepEqual(idsOf(mergedHistory(historyOf([1, 3]), historyOf([2, 3]), limits())), [
      'run_3',
      'run_2',
      'run_1',
    ]));

  it('ignores another account’s runs', () =>
    assert.deepEqual(idsOf(mergedHistory(historyOf([1]), { ...historyOf([2]), account: 'other' }, limits())), [
      'run_1',
    ]));
});

describe('pulseOf()', () => {
  it('has the run’s own fields, but not the latest pulse’s analysis or link', () => {
    const { runs } = historyOf([1]);
    const latest = { ...pulseAt(2), imageUrl: null, aiSummaryLong: 'Latest', deliveryLink: 'https://latest.test/' };
    const [pulse] = runs.map((run) => pulseOf(run, { pulse: latest }));
    const { jobRunId, completedAt, aiSummaryShort, imageUrl } = pulseAt(1);
    const own = { jobRunId, completedAt, aiSummaryShort, imageUrl, aiSummaryLong: null, deliveryLink: null };
    assert.deepEqual({ ...pulse, ...own }, pulse);
  });
});

describe('historyIn()', () => {
  it('reads a stored history', () => assert.deepEqual(historyIn(JSON.stringify(historyOf([1, 2]))), historyOf([1, 2])));

  for (const text of [undefined, '', '{}', '{"version":2,"account":"a","times":[],"runs":[]}'])
    it(`returns undefined for ${JSON.stringify(text)}`, () => assert.equal(historyIn(text), undefined));
});
