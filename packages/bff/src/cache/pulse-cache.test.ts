import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallBudget } from '../budget/call-budget.ts';
import { ANY_READER, type CacheHarness, immediately, openCacheHarness, seen } from '../testing/cache-harness.ts';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { createVirtualClock, elapsed, overTime } from '../testing/virtual-clock.ts';

function viewsPerMinute(harness: CacheHarness, id: string): number {
  return harness.state().sources.find(({ sourceId }) => sourceId === id)?.viewsPerMinute ?? 0;
}

describe('PulseCache', () => {
  describe('when nothing is cached', () => {
    it('lets a reader join a scheduled refresh that is still waiting for a permit', async () => {
      const clock = createVirtualClock();
      const budget = createSlidingWindowBudget(clock, { calls: 9, windowMs: 60_000 });
      const asked: string[] = [];
      const callBudget: CallBudget = {
        ...budget,
        async acquire(subject) {
          asked.push(subject);
          await elapsed(clock, 50);
          const isByPlan = asked.filter((each) => each === 'src_1').length === 1;
          return isByPlan ? { kind: 'denied', reason: 'budget-store-lost', retryInMs: 20 } : budget.acquire(subject);
        },
      };
      await using harness = await openCacheHarness({ clock, callBudget });
      await clock.advance(1_000);
      harness.planner.recordView('src_1', clock.now());
      while (!asked.includes('src_1')) await clock.advance(10);
      assert.equal(await harness.see('src_1'), 'run_1');
    });

    it('makes one call for all waiting readers, and marks the other lookups as collapsed', async () => {
      await using harness = await openCacheHarness();
      const lookups = Promise.all(
        Array.from({ length: 500 }, async () => harness.cache.reader.read('src_1', ANY_READER)),
      );
      await harness.clock.advance(200);
      const [first, ...rest] = (await lookups).map((lookup) => lookup.ok && lookup.facts);
      const miss = { hit: false, fwd: 'miss', fwdStatus: 200, stored: true, ttlSeconds: 14 };
      assert.deepEqual(first, { ...miss, collapsed: false });
      for (const facts of rest) assert.deepEqual(facts, { ...miss, collapsed: true });
      assert.equal(harness.upstream.callsAbout('src_1'), 1);
    });
  });

  it('returns an internal error to waiting readers if a refresh throws', async () => {
    const faults: unknown[] = [];
    const clock = createVirtualClock();
    const fault = new Error('an internal error');
    const callBudget: CallBudget = {
      ...createSlidingWindowBudget(clock, { calls: 9, windowMs: 60_000 }),
      acquire: (subject) => (subject === 'src_1' ? Promise.reject(fault) : new Promise(() => {})),
    };
    const sources = { listed: false, ids: ['src_1'] };
    const harness = await openCacheHarness({ clock, callBudget, sources, onFault: (thrown) => faults.push(thrown) });
    assert.equal(await harness.see('src_1'), 'internal');
    assert.deepEqual(faults, [fault]);
  });

  describe('when the answer is fresh', () => {
    it('counts the answer’s age from the moment of the call', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      await harness.clock.advance(4_900);
      const lookup = immediately(harness.cache.reader.read('src_1', ANY_READER));
      assert.ok(lookup?.ok);
      assert.equal(lookup.ageMs, 5_000);
      assert.deepEqual(lookup.facts, { hit: true, ttlSeconds: 10 });
      assert.equal(lookup.isEarlierVersion, false);
    });
  });

  describe('when the answer is stale', () => {
    it('lets the reader wait briefly for a fresh answer if enough calls are left', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      await harness.clock.advance(1_900_000);
      harness.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      const lookup = await harness.read('src_1');
      assert.equal(seen(lookup), 'run_2');
      assert.equal(lookup.ok && lookup.isEarlierVersion, false);
      assert.equal(lookup.ok && lookup.facts.fwd, 'stale');
    });

    it('returns the stale answer after half a second, and still refreshes', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      await harness.clock.advance(1_900_000);
      harness.upstream.latencyMs = 700;
      harness.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      const from = harness.clock.now();
      const lookup = await harness.read('src_1');
      assert.equal(seen(lookup), 'run_1');
      assert.equal(lookup.ok && lookup.isEarlierVersion, true);
      assert.ok(harness.clock.now() - from <= 510);
      await harness.clock.advance(300);
      assert.equal(seen(immediately(harness.cache.reader.read('src_1', ANY_READER))), 'run_2');
    });

    it('makes only one reader wait for a slow refresh', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      await harness.clock.advance(1_900_000);
      harness.upstream.latencyMs = 3_000;
      await harness.read('src_1');
      const lookup = immediately(harness.cache.reader.read('src_1', ANY_READER));
      assert.equal(lookup?.ok && lookup.isEarlierVersion, true);
    });

    it('automatically refreshes only sources that have readers', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_2');
      await harness.clock.advance(1_900_000);
      const before = harness.upstream.callsAbout('src_2');
      await harness.readers(['src_1'], 120_000);
      assert.ok(harness.upstream.callsAbout('src_1') >= 6);
      await harness.clock.advance(600_000);
      assert.equal(harness.upstream.callsAbout('src_2'), before);
    });
  });

  describe('when the upstream responds that there is no pulse (T-29)', () => {
    it('returns no pulse, and doesn’t make more calls than for other sources', async () => {
      await using harness = await openCacheHarness({ prepare: (upstream) => upstream.pulses.delete('src_1') });
      const [lookup] = await harness.readers(['src_1'], 14_000, 100);
      assert.ok(lookup?.ok);
      assert.deepEqual([lookup.value.pulse, lookup.value.source?.id, lookup.facts.fwdStatus], [null, 'src_1', 404]);
      assert.equal(harness.upstream.callsAbout('src_1'), 1);
    });

    it('stops serving the pulse, even to readers who have already seen it', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      harness.upstream.pulses.delete('src_1');
      await harness.readers(['src_1'], 20_000);
      assert.equal(await harness.see('src_1'), null);
    });
  });

  describe('when the list changes', () => {
    it('returns a new answer only for a source whose row has changed', async () => {
      await using harness = await openCacheHarness();
      const [before1, before2] = [await harness.read('src_1'), await harness.read('src_2')];
      harness.upstream.sources[0] = rowOf('src_1', { status: 'BROKEN' });
      harness.upstream.failure = ({ about }) => (about === 'sources' ? undefined : { kind: 'unreachable' });
      await harness.clock.advance(16_000);
      await overTime(harness.clock, Promise.resolve(harness.cache.reader.readList({})));
      const [after1, after2] = [await harness.read('src_1'), await harness.read('src_2')];
      assert.ok(before1.ok && before2.ok && after1.ok && after2.ok);
      assert.equal(after1.value.source?.status, 'BROKEN');
      assert.notEqual(after1.value, before1.value);
      assert.equal(after2.value, before2.value);
    });
  });

  it('counts unreadable rows and serves the other sources', async () => {
    await using harness = await openCacheHarness({ prepare: (upstream) => void (upstream.unreadableRows = 2) });
    assert.equal((await harness.read('src_1')).ok, true);
    assert.equal(harness.state().unreadableRows, 2);
    harness.upstream.unreadableRows = 0;
    await harness.readers(['src_1'], 300_000, 5_000);
    assert.equal(harness.state().unreadableRows, 0);
  });

  describe('views (T-82)', () => {
    it('count once per client and source in each freshness period', async () => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      await harness.read('src_2');
      for (let at = 0; at < 600; at += 1) {
        for (let ask = 0; ask < 10; ask += 1)
          void harness.cache.reader.read('src_1', { ...ANY_READER, viewer: 'busy' });
        if (at % 10 === 0) void harness.cache.reader.read('src_2', { ...ANY_READER, viewer: `reader-${at}` });
        await harness.clock.advance(100);
      }
      // One view in 15 seconds, compared with one per second.
      assert.ok(viewsPerMinute(harness, 'src_1') < viewsPerMinute(harness, 'src_2') / 4);
    });
  });

  it('counts views of the list once per client, but not the operator’s views (T-82)', async () => {
    const viewsOf = async (asks: number, viewerOf: (ask: number) => string | null) => {
      await using harness = await openCacheHarness();
      await harness.read('src_1');
      const before = harness.state().list.viewsPerMinute;
      for (let ask = 0; ask < asks; ask += 1) await harness.cache.reader.readList({ viewer: viewerOf(ask) });
      return harness.state().list.viewsPerMinute - before;
    };
    assert.equal(await viewsOf(100, () => null), 0);
    const ofOne = await viewsOf(1, () => 'busy');
    assert.equal(await viewsOf(100, () => 'busy'), ofOne);
    assert.ok((await viewsOf(100, (ask) => `reader-${ask}`)) > 50 * ofOne);
  });

  describe('peek()', () => {
    it('returns a stored answer of any age, without counting a view or making a call', async () => {
      await using harness = await openCacheHarness();
      assert.equal(harness.cache.peek('src_1'), undefined);
      await harness.read('src_1');
      const [calls, views] = [harness.upstream.calls.length, viewsPerMinute(harness, 'src_1')];
      await harness.clock.advance(100);
      for (let at = 0; at < 100; at += 1) assert.equal(seen(harness.cache.peek('src_1')), 'run_1');
      assert.ok(viewsPerMinute(harness, 'src_1') <= views);
      assert.equal(harness.upstream.calls.length, calls);
    });
  });

  it('reports wall-clock times in its status', async () => {
    await using harness = await openCacheHarness();
    await harness.read('src_1');
    const answeredAt = new Date(harness.clock.wallNow()).toISOString();
    await harness.clock.advance(5_000);
    assert.equal(harness.state().hosts[0]?.lastAnswerAt, answeredAt);
  });
});
