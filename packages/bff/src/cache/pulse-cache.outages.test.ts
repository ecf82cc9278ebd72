import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ANY_READER,
  type CacheHarness,
  type CacheHarnessOptions,
  immediately,
  openCacheHarness,
  seen,
  TEN,
} from '../testing/cache-harness.ts';
import { type FakeFailure, pulseOf } from '../testing/fake-upstream.ts';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

const HOUR_MS = 3_600_000;

/** A cache after ten seconds of reads. */
async function openWarm(options?: CacheHarnessOptions): Promise<CacheHarness> {
  const harness = await openCacheHarness(options);
  await harness.readers(TEN, 10_000);
  return harness;
}

describe('PulseCache', () => {
  it('doesn’t count the wait for a permit as a failure of the host', async () => {
    const sourceIds = [...TEN, 'src_11', 'src_12'];
    await using harness = await openCacheHarness({ hasAltHost: true, sourceIds });
    harness.upstream.latencyMs = 1_300;
    await harness.clock.advance(20_000);
    const lookups = sourceIds.map(async (id) => harness.cache.reader.read(id, ANY_READER));
    await harness.clock.advance(5_000);
    await Promise.all(lookups);
    assert.deepEqual(
      harness.state().hosts.map(({ state }) => state),
      ['closed', 'closed'],
    );
  });

  describe('when the upstream is down', () => {
    const failures: Record<string, FakeFailure> = {
      'cannot be reached': { kind: 'unreachable' },
      'returns 503': { kind: 'server-error', status: 503 },
      'sends unreadable answers': { kind: 'invalid', reason: 'schema' },
      'accepts calls but never answers': 'hangs',
    };
    for (const [what, failure] of Object.entries(failures))
      it(`serves stored answers for an hour and makes few calls if the upstream ${what}`, async () => {
        await using harness = await openWarm();
        const before = harness.upstream.calls.length;
        harness.upstream.failure = () => failure;
        const lookups = await harness.readers(TEN, HOUR_MS);
        assert.equal(lookups.filter((lookup) => !lookup.ok).length, 0);
        const calls = harness.upstream.calls.length - before;
        assert.ok(calls <= 12 * 60, `${calls} calls in the hour`);
        assert.ok(calls >= 60, `${calls} calls in the hour`);

        harness.upstream.failure = () => undefined;
        for (const id of TEN) harness.upstream.pulses.set(id, pulseOf(id, 'run_2'));
        const back = await harness.readers(TEN, 20_000);
        assert.deepEqual(new Set(back.slice(-10).map(seen)), new Set(['run_2']), 'all is new within 20 s');
        const firstNew = back.map(seen).indexOf('run_2');
        // If a call hangs when the upstream recovers, the call ends at its deadline.
        const withinSeconds = failure === 'hangs' ? 10 + 5 : 10;
        assert.ok(firstNew < 10 * withinSeconds, `the first after ${firstNew / 10} s`);
      });

    for (const broken of ['src_1', 'sources'])
      it(`recovers within 20 s, even if ${broken} fails permanently and readers keep requesting it`, async () => {
        const failure = { kind: 'server-error', status: 500 } as const;
        await using harness = await openCacheHarness();
        await harness.readers(TEN.slice(1), 10_000);
        for (let outage = 0; outage < 8; outage += 1) {
          harness.upstream.failure = () => failure;
          await harness.readers(TEN, 20_000 + outage * 2_000);
          harness.upstream.failure = ({ about }) => (about === broken ? failure : undefined);
          const before = harness.upstream.calls.length;
          await harness.readers(['src_1', 'src_2'], 20_000);
          const others = harness.upstream.calls
            .slice(before)
            .filter(({ about }) => !['src_1', 'sources'].includes(about));
          assert.ok(others.length > 3, `${others.length} calls for other sources after outage ${outage}`);
        }
      });

    it('returns a stored answer immediately, even if the upstream accepts calls but never answers', async () => {
      await using harness = await openWarm();
      harness.upstream.failure = () => 'hangs';
      await harness.readers(TEN, 30_000);
      for (let tenth = 0; tenth < 600; tenth += 1) {
        for (const id of TEN)
          assert.ok(immediately(harness.cache.reader.read(id, ANY_READER))?.ok, `${id} after ${tenth / 10} s`);
        await harness.clock.advance(100);
      }
    });

    for (const [what, failure] of Object.entries(failures))
      it(`marks answers as earlier versions from the first failure until recovery: the upstream ${what}`, async () => {
        await using harness = await openCacheHarness();
        await harness.readers(['src_1', 'src_2'], 10_000);
        harness.upstream.failure = () => failure;
        const lookups = await harness.readers(['src_1', 'src_2'], 120_000, 2_500);
        const isStale = lookups.map((lookup) => lookup.ok && lookup.isEarlierVersion);
        for (const about of [0, 1]) {
          const ofOne = isStale.filter((_, index) => index % 2 === about);
          assert.ok(ofOne.includes(true));
          assert.ok(!ofOne.slice(ofOne.indexOf(true)).includes(false), ofOne.map(Number).join(''));
        }
        harness.upstream.failure = () => undefined;
        const back = await harness.readers(['src_1', 'src_2'], 30_000);
        assert.ok(back.slice(-2).every((lookup) => lookup.ok && !lookup.isEarlierVersion));
      });

    it('stops serving when the answer is too old', async () => {
      await using harness = await openCacheHarness({ staleForMs: 60_000 });
      await harness.read('src_1');
      harness.upstream.failure = () => ({ kind: 'unreachable' });
      await harness.clock.advance(74_000);
      assert.equal((await harness.read('src_1')).ok, true);
      await harness.clock.advance(2_000);
      assert.equal(await harness.see('src_1'), 'upstream_unavailable');
    });

    it('returns the failure to all waiting readers, and to readers who arrive later', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.failure = () => ({ kind: 'server-error', status: 500 });
      const waiting = Promise.all(
        Array.from({ length: 500 }, async () => harness.cache.reader.read('src_1', ANY_READER)),
      );
      await harness.clock.advance(100);
      for (const lookup of await waiting) {
        assert.equal(!lookup.ok && lookup.code, 'upstream_unavailable');
        assert.ok(!lookup.ok && (lookup.retryInMs ?? 0) > 0);
      }
      await harness.readers(['src_1'], 900, 10);
      assert.equal(harness.upstream.callsAbout('src_1'), 1);
    });
  });

  describe('when the main host is down', () => {
    for (const [failure, withinMs] of [
      [{ kind: 'unreachable' }, 250],
      ['hangs', 4_999],
    ] as const)
      it(`gets the answer from the other host within the same deadline: ${JSON.stringify(failure)}`, async () => {
        await using harness = await openCacheHarness({ hasAltHost: true });
        harness.upstream.failure = ({ host }) => (host === 'main' ? failure : undefined);
        const from = harness.clock.now();
        assert.equal((await harness.read('src_1')).ok, true);
        assert.ok(harness.clock.now() - from <= withinMs);
      });

    it('switches to the other host, and keeps checking whether the main host has recovered', async () => {
      await using harness = await openWarm({ hasAltHost: true });
      harness.upstream.failure = ({ host }) => (host === 'main' ? 'hangs' : undefined);
      await harness.readers(TEN, 10_000);
      const before = harness.upstream.calls.length;
      const lookups = await harness.readers(TEN, 300_000);
      assert.equal(lookups.filter((lookup) => !lookup.ok).length, 0);
      const toMain = harness.upstream.calls.slice(before).filter(({ host }) => host === 'main').length;
      assert.ok(toMain >= 5 && toMain <= 5 * 4, `${toMain} tries in five minutes`);
    });

    it('returns to the main host after one success', async () => {
      await using harness = await openWarm({ hasAltHost: true });
      harness.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'unreachable' } : undefined);
      await harness.readers(TEN, 120_000);
      assert.equal(preferred(harness), 'alt');
      harness.upstream.failure = () => undefined;
      await harness.readers(TEN, 16_000);
      assert.equal(preferred(harness), 'main');
    });

    it('tries the other host next if there was no permit for it', async () => {
      const clock = createVirtualClock();
      const callBudget = createSlidingWindowBudget(clock, { calls: 2, windowMs: 60_000 });
      await using harness = await openCacheHarness({ clock, callBudget, hasAltHost: true, sourceIds: ['src_1'] });
      harness.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'server-error', status: 500 } : undefined);
      const lookup = await harness.read('src_1');
      assert.equal(seen(lookup), 'upstream_unavailable');
      assert.ok(!lookup.ok && (lookup.retryInMs ?? 0) <= 10_000);
      await harness.readers(['src_1'], 120_000);
      const hosts = harness.upstream.calls.filter(({ about }) => about === 'src_1').map(({ host }) => host);
      assert.deepEqual(hosts.slice(0, 2), ['main', 'alt']);
      assert.equal((await harness.read('src_1')).ok, true);
    });

    for (const answer of [
      { kind: 'key-refused', status: 401 },
      { kind: 'key-refused', status: 403 },
      { kind: 'rate-limited', retryAfterMs: 5_000 },
      'no pulse',
    ] as const)
      it(`never repeats a request on the other host after the first host has answered: ${JSON.stringify(answer)}`, async () => {
        await using harness = await openCacheHarness({ hasAltHost: true });
        if (answer === 'no pulse') harness.upstream.pulses.clear();
        else harness.upstream.failure = ({ host }) => (host === 'main' ? answer : undefined);
        await harness.readers(TEN, 30_000);
        assert.equal(harness.upstream.calls.filter(({ host }) => host === 'alt').length, 0);
      });
  });

  describe('when both hosts are down', () => {
    for (const back of ['main', 'alt'] as const)
      it(`makes few attempts, and uses the host that recovers first: ${back}`, async () => {
        await using harness = await openWarm({ hasAltHost: true });
        harness.upstream.failure = () => ({ kind: 'unreachable' });
        const before = harness.upstream.calls.length;
        await harness.readers(TEN, 600_000);
        const calls = harness.upstream.calls.length - before;
        assert.ok(calls <= 160, `${calls} calls in ten minutes`);
        harness.upstream.failure = ({ host }) => (host === back ? undefined : { kind: 'unreachable' });
        for (const id of TEN) harness.upstream.pulses.set(id, pulseOf(id, 'run_2'));
        const lookups = await harness.readers(TEN, 40_000);
        assert.deepEqual(new Set(lookups.slice(-10).map(seen)), new Set(['run_2']));
      });
  });

  describe('when the upstream responds with 429', () => {
    it('makes no calls until the wait is over, and no reader sees a failure', async () => {
      await using harness = await openWarm();
      harness.upstream.failure = () => ({ kind: 'rate-limited', retryAfterMs: 7_000 });
      const from = harness.clock.now();
      const before = harness.upstream.calls.length;
      const lookups = await harness.readers(TEN, 30_000);
      assert.ok(lookups.every((lookup) => lookup.ok));
      const asked = harness.upstream.calls.slice(before).map(({ at }) => at - from);
      const firstAnswer = (asked[0] ?? 0) + harness.upstream.latencyMs;
      const later = [firstAnswer, ...asked.filter((at) => at > firstAnswer)];
      assert.ok(later.length <= 1 + Math.ceil(30 / 7), later.join());
      for (const [index, at] of later.slice(1).entries()) assert.ok(at - (later[index] ?? 0) >= 7_000, later.join());
    });
  });

  describe('when the calls in the window are used up', () => {
    it('serves stored answers, and tells readers without an answer when to retry', async () => {
      const clock = createVirtualClock();
      const callBudget = createSlidingWindowBudget(clock, { calls: 6, windowMs: 60_000 });
      await using harness = await openCacheHarness({ clock, callBudget });
      const lookups = await harness.readers(TEN, 1_000);
      const failed = lookups.filter((lookup) => !lookup.ok);
      assert.equal(failed.length, 5);
      for (const lookup of failed) {
        assert.equal(!lookup.ok && lookup.code, 'upstream_rate_limited');
        assert.ok(!lookup.ok && (lookup.retryInMs ?? 0) > 49_000);
      }
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });
});

function preferred(harness: CacheHarness): string | undefined {
  return harness.state().hosts.find((host) => host.preferred)?.host;
}
