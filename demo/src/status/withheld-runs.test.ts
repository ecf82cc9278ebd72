import assert from 'node:assert/strict';
import { it } from 'node:test';
import { otherRuns } from './withheld-runs.ts';

it('otherRuns() omits a withheld run while it is the latest run of its source', () => {
  const withheld = {
    isWritable: true,
    fault: null,
    runs: ['run_1', 'run_2'],
    latestRuns: { src_1: 'run_2', src_2: 'run_3' },
  };
  assert.deepEqual(otherRuns(withheld), ['run_1']);
});
