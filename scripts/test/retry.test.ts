import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Outcome, runWithRetry } from './retry.ts';

const FILES = ['a.test.ts', 'b.test.ts'];
const GREEN: Outcome = { passed: 9, failed: 0, skipped: 1, failedFiles: [], report: '' };
const RED: Outcome = { ...GREEN, passed: 7, failed: 2, failedFiles: ['b.test.ts'], report: '✖ b fails' };

/** Pretends to run files with these outcomes: the first for the first run, and so on. */
async function outcomeOf(...outcomes: Outcome[]) {
  const runs: (readonly string[])[] = [];
  const run = async (files: readonly string[]) => outcomes[runs.push(files) - 1] ?? assert.fail('ran too often');
  return { ...(await runWithRetry(FILES, run)), runs };
}

describe('runWithRetry()', () => {
  it('runs passing files once', async () => assert.deepEqual(await outcomeOf(GREEN), { ...GREEN, runs: [FILES] }));

  it('reruns failed files and lists the files whose tests then pass', async () => {
    const { passed, failed, retriedFiles, report, runs } = await outcomeOf(RED, { ...GREEN, passed: 3 });
    assert.deepEqual(runs, [FILES, ['b.test.ts']]);
    assert.deepEqual([passed, failed, retriedFiles], [9, 0, ['b.test.ts']]);
    assert.match(report, /ran once more:\n✖ b fails/);
  });

  for (const [what, again] of [
    ['a file fails twice', { ...RED, passed: 2, failed: 1, report: '✖ b fails again' }],
    ['the second run has fewer tests than had failed', { ...GREEN, passed: 1 }],
  ] as const)
    it(`fails if ${what}`, async () => {
      const { failed, retriedFiles, report } = await outcomeOf(RED, again);
      assert.deepEqual([failed, retriedFiles], [2, undefined]);
      assert.ok(report.endsWith(again.report), report);
    });

  it('doesn’t rerun anything if more than three tests failed', async () =>
    assert.deepEqual((await outcomeOf({ ...RED, failed: 4 })).runs, [FILES]));
});
