import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusDocument } from '@pulse-card/bff';
import { isIdle, type SourceLine, sourceLines, whyWords, wordsOf } from './source-row.ts';

/** The facts in a `/status` response other than its sources. */
interface Around {
  readonly problems?: object[];
  readonly hosts?: object[];
  readonly withheld?: object;
}

/** The line for `source` in a `/status` response that has no other sources. */
function lineFor(source: object, { problems = [], hosts = [{ state: 'closed' }], withheld }: Around = {}): SourceLine {
  const status = { sources: [{ sourceId: 'src_1', ...source }], problems, hosts, withheld };
  return sourceLines(status as unknown as StatusDocument)[0] as SourceLine;
}

function wordsFor(readersSee: string, around?: Around, status = 'ACTIVE') {
  return wordsOf(lineFor({ readersSee, status }, around))[0];
}

const OVERDUE = { problems: [{ code: 'source_overdue', sourceId: 'src_1' }] };
const WITHHELD = { withheld: { isWritable: false, runs: ['run_1'], latestRuns: { src_1: 'run_1' } } };

describe('wordsOf()', () => {
  it('is "Overdue" for an overdue source', () => assert.equal(wordsFor('fresh', OVERDUE), 'Overdue'));

  it('is "Earlier version" for stale content, even if the source is overdue', () =>
    assert.equal(wordsFor('earlier-version', OVERDUE), 'Earlier version'));

  it('is "Text withheld" for withheld text, but "Overdue" if the source is also overdue', () => {
    assert.equal(wordsFor('fresh', WITHHELD), 'Text withheld');
    assert.equal(wordsFor('fresh', { ...OVERDUE, ...WITHHELD }), 'Overdue');
  });

  it('is "Fresh" if only an earlier run’s text is withheld', () =>
    assert.equal(wordsFor('fresh', { withheld: { ...WITHHELD.withheld, latestRuns: { src_1: 'run_2' } } }), 'Fresh'));
});

describe('wordsOf() for a source of each status', () => {
  for (const [status, words] of [
    ['BROKEN', 'Needs reconnection'],
    ['DEGRADED', 'Updates delayed'],
    ['DRAFT', 'Fresh'],
  ] as const)
    it(`is "${words}" for ${status}`, () => assert.equal(wordsFor('fresh', {}, status), words));

  it('is "Needs reconnection" or "Overdue" if no reader has requested the source yet', () => {
    assert.equal(wordsFor('unknown', {}, 'BROKEN'), 'Needs reconnection');
    assert.equal(wordsFor('unknown', OVERDUE), 'Overdue');
    assert.equal(wordsFor('unknown'), 'Not requested yet');
  });

  it('is "Earlier version" for stale content, even if the source is broken', () =>
    assert.equal(wordsFor('earlier-version', {}, 'BROKEN'), 'Earlier version'));
});

describe('isIdle()', () => {
  const unread = { status: 'ACTIVE', nextRefreshInMs: null, viewsPerMinute: 0 };

  it('collapses a source that has no readers, unless it needs attention', () => {
    assert.equal(isIdle(lineFor(unread)), true);
    assert.equal(isIdle(lineFor({ ...unread, status: 'BROKEN' })), false);
    assert.equal(isIdle(lineFor(unread, OVERDUE)), false);
  });

  it('shows a source that has readers', () => assert.equal(isIdle(lineFor({ ...unread, viewsPerMinute: 0.1 })), false));
});

describe('whyWords()', () => {
  const READ = { lastFailure: null, nextRefreshInMs: 9_000 };
  const timedOut = (forMs: number) => ({ code: 'timeout', forMs });
  for (const [words, source, around] of [
    ['Most viewed, so refreshed first', { ...READ, viewsPerMinute: 20 }, {}],
    ['Many readers', { ...READ, viewsPerMinute: 6 }, {}],
    ['Few readers', { ...READ, viewsPerMinute: 2 }, {}],
    ['Hardly any readers', { ...READ, viewsPerMinute: 0.4 }, {}],
    ['Not viewed since its last refresh', { ...READ, nextRefreshInMs: null, viewsPerMinute: 2 }, {}],
    ['No readers', { ...READ, nextRefreshInMs: null, viewsPerMinute: 0 }, {}],
    ['Service not responding', { ...READ, viewsPerMinute: 20 }, { hosts: [{ state: 'open' }, { state: 'half-open' }] }],
    ['Timed out once', { ...READ, viewsPerMinute: 20, lastFailure: timedOut(5_000) }, {}],
    ['Timed out for 3 min', { ...READ, viewsPerMinute: 20, lastFailure: timedOut(180_000) }, {}],
  ] as const)
    it(`shows "${words}"`, () => assert.equal(whyWords(lineFor(source, around as unknown as Around), 20), words));

  it('shows how many readers the source has if one host still responds', () => {
    const hosts = [{ state: 'open' }, { state: 'closed' }];
    assert.equal(whyWords(lineFor({ ...READ, viewsPerMinute: 6 }, { hosts }), 20), 'Many readers');
  });
});
