import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import type { SharedCache } from '../cache/port.ts';
import { createFakeSharedCache } from '../testing/fake-shared-cache.ts';
import { createFakeUpstream, type FakeUpstream, pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock, overTime, type VirtualClock } from '../testing/virtual-clock.ts';
import { type ExportFetcher, createExportFetcher } from './export-fetcher.ts';

const WINDOW_MS = 60_000;

/** A fetcher, its service and its clock, with 5 calls to spend in a window. */
function harness(
  ids: readonly string[] = ['src_1'],
  shared?: SharedCache,
  signal: AbortSignal = new AbortController().signal,
): { clock: VirtualClock; upstream: FakeUpstream; exportFetcher: ExportFetcher } {
  const clock = createVirtualClock();
  const upstream = createFakeUpstream(clock, ids);
  const callBudget = new LocalCallBudget({ clock, limit: 6, windowMs: WINDOW_MS, reserve: 1, callMs: 5_000 });
  const exportFetcher = createExportFetcher({
    upstream,
    callBudget,
    clock,
    hasAltHost: false,
    upstreamTimeoutMs: 5_000,
    windowMs: WINDOW_MS,
    freshForMs: 15_000,
    signal,
    shared,
  });
  return { clock, upstream, exportFetcher };
}

describe('createExportFetcher()', () => {
  it('spends no more than the budget in any window, and waits for the rest', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `src_${at}`);
    const { clock, upstream, exportFetcher } = harness(ids);
    for (const id of ids) assert.equal((await overTime(clock, exportFetcher.pulse(id), 3 * WINDOW_MS)).ok, true);
    const times = upstream.calls.map(({ at }) => at);
    assert.equal(times.length, 12);
    for (const from of times) assert.ok(times.filter((at) => at >= from && at < from + WINDOW_MS).length <= 5);
  });

  it('gives up at once on a key that is refused', async () => {
    const { clock, upstream, exportFetcher } = harness();
    upstream.failure = () => ({ kind: 'key-refused', status: 401 });
    const asked = await overTime(clock, exportFetcher.sources());
    assert.deepEqual([asked.ok, !asked.ok && asked.code, upstream.calls.length], [false, 'upstream_auth', 1]);
  });

  it('gives up on a window that stays used up', async () => {
    const { clock, upstream, exportFetcher } = harness();
    upstream.failure = () => ({ kind: 'rate-limited', retryAfterMs: WINDOW_MS });
    const asked = await overTime(clock, exportFetcher.pulse('src_1'), 10 * WINDOW_MS);
    assert.deepEqual([asked.ok, !asked.ok && asked.code], [false, 'upstream_rate_limited']);
    assert.ok(upstream.calls.length <= 4);
  });

  it('makes no call where it is stopped before it begins', async () => {
    const { clock, upstream, exportFetcher } = harness(['src_1'], undefined, AbortSignal.abort());
    await clock.advance(WINDOW_MS);
    await assert.rejects(overTime(clock, exportFetcher.sources()));
    await assert.rejects(overTime(clock, exportFetcher.pulse('src_1')));
    assert.equal(upstream.calls.length, 0);
  });

  describe('beside running instances', () => {
    const pulse = pulseOf('src_1', 'run_9');
    const answerOf = (requestedAt: number) => ({
      pulse,
      requestedAt,
      requestedAtMs: 1,
      fencingToken: 7,
      keyName: 'key 1',
    });

    it('takes over what they were answered lately, with no call', async () => {
      const shared = createFakeSharedCache();
      const { clock, upstream, exportFetcher } = harness(['src_1'], shared);
      shared.found.set('src_1', { pulse: answerOf(clock.now() - 14_999) });
      const asked = await overTime(clock, exportFetcher.pulse('src_1'));
      assert.equal(asked.ok && asked.value.kind === 'found' && asked.value.pulse.jobRunId, 'run_9');
      assert.deepEqual(upstream.calls, []);
    });

    it('asks anew where that is too old', async () => {
      const shared = createFakeSharedCache();
      const { clock, upstream, exportFetcher } = harness(['src_1'], shared);
      shared.found.set('src_1', { pulse: answerOf(clock.now() - 15_000) });
      const asked = await overTime(clock, exportFetcher.pulse('src_1'), 90_000);
      assert.equal(asked.ok && asked.value.kind === 'found' && asked.value.pulse.jobRunId, 'run_1');
      assert.equal(upstream.callsAbout('src_1'), 1);
    });

    it('respects a failure that one of them had', async () => {
      const shared = createFakeSharedCache();
      const { clock, upstream, exportFetcher } = harness(['src_1'], shared);
      const failure = {
        code: 'upstream_invalid',
        detail: 'upstream-invalid',
        status: undefined,
        retryInMs: 2_000,
      } as const;
      shared.found.set('src_1', { failure });
      const asked = await overTime(clock, exportFetcher.pulse('src_1'));
      assert.equal(!asked.ok && asked.code, 'upstream_invalid');
      assert.deepEqual(upstream.calls, []);
    });
  });
});
