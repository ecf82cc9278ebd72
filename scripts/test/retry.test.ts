import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from './outcome.ts';
import { runWithRetry } from './retry.ts';

const GREEN: Outcome = { passed: 9, failed: 0, skipped: 1, failedFiles: [], report: '' };
const RED: Outcome = { passed: 7, failed: 2, skipped: 1, failedFiles: ['b.test.ts'], report: '✖ b fails' };

/** Runs two files, which end as told, one run after another. */
async function runThrough(...outcomes: Outcome[]) {
  const runs: (readonly string[])[] = [];
  const outcome = await runWithRetry(['a.test.ts', 'b.test.ts'], async (files) => {
    const next = outcomes[runs.length];
    runs.push(files);
    return next ?? assert.fail('ran too often');
  });
  return { outcome, runs };
}

describe('runWithRetry()', () => {
  it('runs once what passes', async () => {
    const { outcome, runs } = await runThrough(GREEN);
    assert.deepEqual([outcome, runs], [GREEN, [['a.test.ts', 'b.test.ts']]]);
  });

  it('runs the files that failed once more; what passes then counts as passed, and is named', async () => {
    const { outcome, runs } = await runThrough(RED, { ...GREEN, passed: 3 });
    assert.deepEqual(runs[1], ['b.test.ts']);
    assert.deepEqual([outcome.passed, outcome.failed, outcome.skipped], [9, 0, 1]);
    assert.match(outcome.report, /Failed at first, and ran once more:\n✖ b fails/);
  });

  it('fails what fails twice', async () => {
    const { outcome } = await runThrough(RED, { ...RED, passed: 2, failed: 1, report: '✖ b fails again' });
    assert.deepEqual([outcome.passed, outcome.failed], [8, 1]);
    assert.match(outcome.report, /^✖ b fails again/);
  });
});
