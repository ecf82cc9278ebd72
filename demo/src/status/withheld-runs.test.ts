import assert from 'node:assert/strict';
import { it } from 'node:test';
import { otherRuns } from './withheld-runs.ts';

it('otherRuns() omits the withheld runs that sources currently show', () => {
  const withheld = {
    isWritable: true,
    fault: null,
    runs: ['run_1', 'run_2'],
    latestRuns: { src_1: 'run_2', src_2: 'run_3' },
  };
  assert.deepEqual(otherRuns(withheld), ['run_1']);
});
