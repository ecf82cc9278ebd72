import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusDocument } from '@pulse-card/bff';
import { sourceLines, wordsOf } from './source-row.ts';

/** The words of the one source of a status. */
function wordsFor(readersSee: string, { problems = [], withheld }: { problems?: object[]; withheld?: object } = {}) {
  const status = { sources: [{ sourceId: 'src_1', readersSee }], problems, withheld };
  const [line] = sourceLines(status as unknown as StatusDocument);
  return line && wordsOf(line)[0];
}

const OVERDUE = { problems: [{ code: 'source_overdue', sourceId: 'src_1' }] };
const WITHHELD = { withheld: { isWritable: false, runs: ['run_1'], latestRuns: { src_1: 'run_1' } } };

describe('wordsOf()', () => {
  it('names an overdue source', () => assert.equal(wordsFor('fresh', OVERDUE), 'Overdue'));

  it('names an outage first', () => assert.equal(wordsFor('earlier-version', OVERDUE), 'Earlier version'));

  it('names a withheld text if there is nothing more serious', () => {
    assert.equal(wordsFor('fresh', WITHHELD), 'Text withheld');
    assert.equal(wordsFor('fresh', { ...OVERDUE, ...WITHHELD }), 'Overdue');
  });

  it('says that a source is fresh if only an earlier run is withheld', () =>
    assert.equal(wordsFor('fresh', { withheld: { ...WITHHELD.withheld, latestRuns: { src_1: 'run_2' } } }), 'Fresh'));
});
