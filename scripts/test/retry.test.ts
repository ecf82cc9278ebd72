import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from './outcome.ts';
import { runWithRetry } from './retry.ts';

const FILES = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'];
const GREEN: Outcome = {
  passed: 9,
  failed: 0,
  skipped: 1,
  failedFiles: [],
  inOtherFiles: { passed: 9, failed: 0, skipped: 1 },
  report: '',
};
const RED: Outcome = {
  passed: 7,
  failed: 2,
  skipped: 1,
  failedFiles: ['b.test.ts'],
  inOtherFiles: { passed: 6, failed: 0, skipped: 1 },
  report: '✖ b fails',
};

/** Pretends to run files. Runs files with given outcomes: the first outcome for the first run, and so on. */
async function runThrough(...outcomes: Outcome[]) {
  const runs: (readonly string[])[] = [];
  const outcome = await runWithRetry(FILES, async (files) => {
    const next = outcomes[runs.length];
    runs.push(files);
    return next ?? assert.fail('ran too often');
  });
  const { passed, failed, skipped } = outcome;
  return { outcome, counts: { passed, failed, skipped }, runs };
}

describe('runWithRetry()', () => {
  it('runs passing files once', async () => {
    const { outcome, runs } = await runThrough(GREEN);
    assert.deepEqual([outcome, runs], [{ ...GREEN, retriedFiles: [] }, [FILES]]);
  });

  it('runs failed files again, and names the files whose tests then pass', async () => {
    const { outcome, counts, runs } = await runThrough(RED, { ...GREEN, passed: 3, skipped: 0 });
    assert.deepEqual(runs[1], ['b.test.ts']);
    assert.deepEqual(counts, { passed: 9, failed: 0, skipped: 1 });
    assert.deepEqual(outcome.retriedFiles, ['b.test.ts']);
    assert.match(outcome.report, /Failed at first, and ran once more:\n✖ b fails/);
  });

  it('fails if a file fails twice', async () => {
    const { outcome, counts } = await runThrough(RED, {
      ...RED,
      passed: 2,
      failed: 1,
      skipped: 0,
      report: '✖ b fails again',
    });
    assert.deepEqual(counts, { passed: 8, failed: 1, skipped: 1 });
    assert.match(outcome.report, /^✖ b fails again/);
  });

  it('counts every test in a file that couldn’t be loaded at first', async () => {
    const unloaded = { ...RED, passed: 6, failed: 1 };
    const { counts } = await runThrough(unloaded, { ...GREEN, passed: 20, skipped: 0 });
    assert.deepEqual(counts, { passed: 26, failed: 0, skipped: 1 });
  });

  it('fails if the second run has fewer tests than failed in the first run', async () => {
    for (const again of [
      { ...GREEN, passed: 0, skipped: 2 },
      { ...GREEN, passed: 1, skipped: 0 },
    ]) {
      const { outcome, counts } = await runThrough(RED, again);
      assert.deepEqual(counts, { passed: 7, failed: 2, skipped: 1 });
      assert.match(outcome.report, /✖ b fails\n.*fewer tests/s);
    }
  });

  it('counts the tests that the second run skipped', async () => {
    const { counts } = await runThrough(RED, { ...GREEN, passed: 2, skipped: 1 });
    assert.deepEqual(counts, { passed: 8, failed: 0, skipped: 2 });
  });

  it('runs nothing again if more than three files failed', async () => {
    const { outcome, runs } = await runThrough({ ...RED, failed: 4, failedFiles: FILES });
    assert.equal(outcome.failed, 4);
    assert.deepEqual([runs.length, outcome.retriedFiles], [1, []]);
  });
});
