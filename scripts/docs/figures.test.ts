import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultsOf, figuresIn, withFigures } from './figures.ts';

const RESULT = `# Hits

- Machine: a machine, 2 cores, 24 GiB, Linux 6; Node v24.21.0
- Date: 2026-11-22T16:04:28.502Z; commit: ecbb7f0fd8ca

| \`other.figure\` | 3 |

## Figures that docs name

| key | figure |
| --- | --- |
| \`hits.per-cpu-second\` | 42,800 |
| \`hits.share\` | 0.8 |
`;

describe('figuresIn()', () => {
  it('reads only the last table of a result', () => {
    assert.deepEqual(figuresIn(RESULT), [
      ['hits.per-cpu-second', '42,800'],
      ['hits.share', '0.8'],
    ]);
  });

  it('finds no figures in a result without a table', () => assert.deepEqual(figuresIn('# Hits\n'), []));
});

describe('withFigures()', () => {
  const page = 'A core answers <!-- figure hits.per-cpu-second -->1<!-- /figure --> requests.';

  it('writes a figure into its place', () => {
    const written = withFigures(page, new Map(figuresIn(RESULT)));
    assert.equal(written, 'A core answers <!-- figure hits.per-cpu-second -->42,800<!-- /figure --> requests.');
  });

  it('rejects a figure that no result has', () => {
    assert.throws(() => withFigures(page, new Map()), /no result has the figure "hits.per-cpu-second"/);
  });
});

describe('faultsOf()', () => {
  const known = () => true;

  it('finds no error in a result with machine, date, and a commit of this branch', () => {
    assert.deepEqual(faultsOf(RESULT, known), []);
  });

  it('reports a commit that the branch does not contain', () => {
    assert.deepEqual(
      faultsOf(RESULT, () => false),
      ['has the commit ecbb7f0fd8ca, which this branch does not contain'],
    );
  });

  it('reports what is missing, and rejects a result with uncommitted changes', () => {
    assert.deepEqual(faultsOf('# Hits\n', known), [
      'does not say which machine was used',
      'has no date and commit, or was taken with uncommitted changes',
    ]);
    assert.equal(faultsOf(RESULT.replace('d8ca', 'd8ca with changes'), known).length, 1);
  });
});
