import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnoseInThread } from './diagnose-in-thread.ts';
import { fetched, settings } from './testing/facts.ts';

const page = fetched('<pulse-card source-id="src_1"></pulse-card>');

describe('diagnoseInThread() (T-69)', { timeout: 120_000 }, () => {
  it('returns the diagnosis of the page', async () => {
    const { page: read } = await diagnoseInThread([page, settings], { timeoutMs: 60_000, heapMb: 128 });
    assert.deepEqual([read.wasRead, read.cards], [true, 1]);
  });

  // On the main thread, neither limit could stop the work.
  for (const [what, limits] of [
    ['time', { timeoutMs: 1, heapMb: 128 }],
    ['memory', { timeoutMs: 60_000, heapMb: 10 }],
  ] as const)
    it(`stops at its ${what} limit and reports that it has stopped`, async () => {
      const { ok, page: read, findings } = await diagnoseInThread([page, settings], limits);
      assert.deepEqual([ok, read.wasRead], [false, false]);
      assert.match(
        findings[0]?.title ?? '',
        /couldn’t be checked: the check took longer than 10 seconds or used more than 128 MB\.$/,
      );
    });
});
