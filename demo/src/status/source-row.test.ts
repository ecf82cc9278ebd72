import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusDocument } from '@pulse-card/bff';
import { type SourceLine, sourceLines, whyWords, wordsOf } from './source-row.ts';

/** The facts of a status that don't belong to the source. */
interface Around {
  readonly problems?: object[];
  readonly hosts?: object[];
  readonly withheld?: object;
}

/** The only source of a status. */
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
  it('names an overdue source', () => assert.equal(wordsFor('fresh', OVERDUE), 'Overdue'));

  it('names an outage first', () => assert.equal(wordsFor('earlier-version', OVERDUE), 'Earlier version'));

  it('names a withheld text if there is no more serious fact', () => {
    assert.equal(wordsFor('fresh', WITHHELD), 'Text withheld');
    assert.equal(wordsFor('fresh', { ...OVERDUE, ...WITHHELD }), 'Overdue');
  });

  it('says that a source is fresh if only an earlier run is withheld', () =>
    assert.equal(wordsFor('fresh', { withheld: { ...WITHHELD.withheld, latestRuns: { src_1: 'run_2' } } }), 'Fresh'));
});

describe('wordsOf() a source with a status', () => {
  for (const [status, words] of [
    ['BROKEN', 'Updates paused'],
    ['DEGRADED', 'Updates delayed'],
    ['DRAFT', 'Fresh'],
  ] as const)
    it(`are the text of the badge: ${status}`, () => assert.equal(wordsFor('fresh', {}, status), words));

  it('name an earlier version first', () => assert.equal(wordsFor('earlier-version', {}, 'BROKEN'), 'Earlier version'));
});

describe('whyWords()', () => {
  const READ = { lastFailure: null, nextRefreshInMs: 9_000 };
  const timedOut = (forMs: number) => ({ detail: 'upstream-timeout', forMs });
  for (const [words, source, around] of [
    ['Most readers, refreshed first', { ...READ, viewsPerMinute: 20 }, {}],
    ['Many readers', { ...READ, viewsPerMinute: 6 }, {}],
    ['Few readers', { ...READ, viewsPerMinute: 2 }, {}],
    ['Hardly any readers', { ...READ, viewsPerMinute: 0.4 }, {}],
    ['No readers', { ...READ, nextRefreshInMs: null, viewsPerMinute: 0 }, {}],
    ['Service not answering', { ...READ, viewsPerMinute: 20 }, { hosts: [{ state: 'open' }, { state: 'half-open' }] }],
    ['Timed out once', { ...READ, viewsPerMinute: 20, lastFailure: timedOut(5_000) }, {}],
    ['Timed out for 3 min', { ...READ, viewsPerMinute: 20, lastFailure: timedOut(180_000) }, {}],
  ] as const)
    it(`says "${words}"`, () => assert.equal(whyWords(lineFor(source, around as unknown as Around), 20), words));

  it('names the readers while one host answers', () => {
    const hosts = [{ state: 'open' }, { state: 'closed' }];
    assert.equal(whyWords(lineFor({ ...READ, viewsPerMinute: 6 }, { hosts }), 20), 'Many readers');
  });
});
