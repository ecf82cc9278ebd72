import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheStory } from '../testing/cache-story.ts';
import { pulseOf } from '../testing/fake-upstream.ts';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { createSlidingLedger } from '../testing/sliding-ledger.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { UpstreamFailure } from '../upstream/port.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `src_${index + 1}`);
const HOUR_MS = 3_600_000;

describe('openPulseCache()', () => {
  describe('when the upstream is down', () => {
    const failures: Record<string, UpstreamFailure | 'hangs'> = {
      'cannot be reached': { kind: 'unreachable' },
      'answers 503': { kind: 'server-error', status: 503 },
      'answers what nobody can read': { kind: 'invalid', reason: 'schema' },
      'takes calls and does not answer': 'hangs',
    };
    for (const [what, failure] of Object.entries(failures))
      it(`serves an hour long what it has, and tries a little: the upstream ${what}`, async () => {
        await using story = await openCacheStory();
        await story.readers(TEN, 10_000);
        const before = story.upstream.calls.length;
        story.upstream.failure = () => failure;
        const readings = await story.readers(TEN, HOUR_MS);
        assert.equal(readings.filter((reading) => !reading.ok).length, 0);
        const calls = story.upstream.calls.length - before;
        assert.ok(calls <= 12 * 60, `${calls} calls in the hour`);
        assert.ok(calls >= 60, `${calls} calls in the hour`);

        story.upstream.failure = () => undefined;
        for (const id of TEN) story.upstream.pulses.set(id, pulseOf(id, 'run_2'));
        const back = await story.readers(TEN, 20_000);
        const lateOnes = back.slice(-10).filter((reading) => !reading.ok || reading.known.pulse?.jobRunId !== 'run_2');
        assert.equal(lateOnes.length, 0, 'all is new within 20 s');
        const firstNew = back.findIndex((reading) => reading.ok && reading.known.pulse?.jobRunId === 'run_2');
        // A call that hangs when the upstream is back ends with its deadline.
        const withinSeconds = failure === 'hangs' ? 10 + 5 : 10;
        assert.ok(firstNew < 10 * withinSeconds, `the first after ${firstNew / 10} s`);
      });

    for (const outageMs of [20_000, 60_000, 600_000])
      it(`is back within ten seconds of the upstream, with one source and one reader a second: ${outageMs / 1_000} s`, async () => {
        await using story = await openCacheStory();
        await story.readers(['src_1'], 10_000);
        story.upstream.failure = () => ({ kind: 'unreachable' });
        await story.readers(['src_1'], outageMs);
        story.upstream.failure = () => undefined;
        story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
        const readings = await story.readers(['src_1'], 11_000);
        const last = readings.at(-1);
        assert.equal(last?.ok && last.known.pulse?.jobRunId, 'run_2');
      });

    it('finds back for live readers alone, with nobody else to look', async () => {
      await using story = await openCacheStory();
      await story.readers(['src_1'], 10_000);
      const heard: string[] = [];
      story.cache.onNewPulse(({ pulse }) => void heard.push(pulse?.jobRunId ?? ''));
      story.upstream.failure = () => ({ kind: 'unreachable' });
      for (let minute = 0; minute < 10; minute += 1) {
        story.cache.watched('src_1', 3);
        await story.clock.advance(60_000);
      }
      story.upstream.failure = () => undefined;
      story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      for (let second = 0; second < 40; second += 1) await story.clock.advance(1_000);
      assert.deepEqual(heard, ['run_2']);
    });

    it('keeps no reader waiting who has something to read, though the upstream takes calls and is silent', async () => {
      await using story = await openCacheStory();
      await story.readers(TEN, 10_000);
      story.upstream.failure = () => 'hangs';
      await story.readers(TEN, 30_000);
      for (let tenth = 0; tenth < 600; tenth += 1) {
        for (const id of TEN) assert.ok(story.cache.peekCard(id)?.ok, `${id} after ${tenth / 10} s`);
        await story.clock.advance(100);
      }
    });

    it('says why the answer is stale', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      story.upstream.failure = () => ({ kind: 'unreachable' });
      await story.clock.advance(20_000);
      await story.readers(['src_1'], 5_000);
      const reading = await story.read('src_1');
      assert.ok(reading.ok && reading.stale);
      assert.equal(reading.facts.detail, 'upstream-unavailable');
      assert.ok(reading.facts.ttlSeconds < 0);
    });

    for (const [what, failure] of Object.entries(failures))
      it(`says stale from the first failure on until it is over, between the tries too: the upstream ${what}`, async () => {
        await using story = await openCacheStory();
        await story.readers(['src_1', 'src_2'], 10_000);
        story.upstream.failure = () => failure;
        const readings = await story.readers(['src_1', 'src_2'], 120_000, 2_500);
        const isStale = readings.map((reading) => reading.ok && reading.stale);
        for (const about of [0, 1]) {
          const ofOne = isStale.filter((_, index) => index % 2 === about);
          assert.ok(ofOne.includes(true));
          assert.ok(!ofOne.slice(ofOne.indexOf(true)).includes(false), ofOne.map(Number).join(''));
        }
        story.upstream.failure = () => undefined;
        const back = await story.readers(['src_1', 'src_2'], 30_000);
        assert.ok(back.slice(-2).every((reading) => reading.ok && !reading.stale));
      });

    it('serves it no longer than it may', async () => {
      await using story = await openCacheStory({ staleForMs: 60_000 });
      await story.read('src_1');
      story.upstream.failure = () => ({ kind: 'unreachable' });
      await story.clock.advance(74_000);
      assert.equal((await story.read('src_1')).ok, true);
      await story.clock.advance(2_000);
      const reading = await story.read('src_1');
      assert.equal(!reading.ok && reading.code, 'upstream_unavailable');
    });

    const codes: [UpstreamFailure | 'hangs', string][] = [
      [{ kind: 'unreachable' }, 'upstream_unavailable'],
      ['hangs', 'upstream_unavailable'],
      [{ kind: 'server-error', status: 500 }, 'upstream_unavailable'],
      [{ kind: 'invalid', reason: 'schema' }, 'upstream_invalid'],
      [{ kind: 'rate-limited', retryAfterMs: 7_000 }, 'upstream_rate_limited'],
      [{ kind: 'key-refused', status: 401 }, 'upstream_auth'],
    ];
    for (const [failure, code] of codes)
      it(`says ${code} where nothing is cached and the upstream ${failure === 'hangs' ? failure : `is ${failure.kind}`}`, async () => {
        await using story = await openCacheStory();
        story.upstream.failure = () => failure;
        const reading = await story.read('src_1');
        assert.equal(!reading.ok && reading.code, code);
        assert.ok(!reading.ok && (reading.retryAfterSeconds ?? 0) >= 1 && (reading.retryAfterSeconds ?? 0) <= 300);
      });

    it('lets all who wait share the failure, and those who come after it, too', async () => {
      await using story = await openCacheStory();
      story.upstream.failure = () => ({ kind: 'server-error', status: 500 });
      const waiting = Promise.all(Array.from({ length: 500 }, () => story.cache.readCard('src_1')));
      await story.clock.advance(100);
      for (const reading of await waiting) assert.equal(!reading.ok && reading.code, 'upstream_unavailable');
      await story.readers(['src_1'], 900, 10);
      assert.equal(story.upstream.callsAbout('src_1'), 1);
    });

    it('leaves a source alone for longer and longer, a minute at most', async () => {
      await using story = await openCacheStory({ random: () => 0.999 });
      story.upstream.failure = ({ about }) =>
        about === 'src_1' ? { kind: 'invalid', reason: 'another source' } : undefined;
      await story.readers(['src_1', 'src_2'], 600_000, 500);
      const asked = story.upstream.calls.filter(({ about }) => about === 'src_1').map(({ at }) => at);
      const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
      assert.ok(asked.length < 25, `${asked.length} calls`);
      assert.ok((gaps[0] ?? 0) < 3_000 && (gaps.at(-1) ?? 0) >= 30_000, gaps.join());
    });

    it('T-26: keeps the last good answer over one that is not valid', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      story.upstream.failure = () => ({ kind: 'invalid', reason: 'schema' });
      const readings = await story.readers(['src_1'], 120_000);
      assert.ok(readings.every((reading) => reading.ok && reading.known.pulse?.jobRunId === 'run_1'));
    });
  });

  describe('when the main host is down', () => {
    it('answers from the other at once', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      story.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'unreachable' } : undefined);
      const from = story.clock.now();
      assert.equal((await story.read('src_1')).ok, true);
      assert.ok(story.clock.now() - from <= 250);
    });

    it('makes a reader who has nothing wait for a silent host no longer than its answers ever take', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      await story.readers(TEN.slice(1), 10_000);
      story.upstream.failure = ({ host }) => (host === 'main' ? 'hangs' : undefined);
      const from = story.clock.now();
      assert.equal((await story.read('src_1')).ok, true);
      assert.ok(story.clock.now() - from <= 1_000, `${story.clock.now() - from} ms`);
    });

    it('asks the other from there on, and the main one to see whether it is back', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      await story.readers(TEN, 10_000);
      story.upstream.failure = ({ host }) => (host === 'main' ? 'hangs' : undefined);
      await story.readers(TEN, 10_000);
      const before = story.upstream.calls.length;
      const readings = await story.readers(TEN, 300_000);
      assert.equal(readings.filter((reading) => !reading.ok).length, 0);
      const toMain = story.upstream.calls.slice(before).filter(({ host }) => host === 'main').length;
      assert.ok(toMain >= 5 && toMain <= 5 * 4, `${toMain} tries in five minutes`);
    });

    it('goes back to it after three good tries', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      await story.readers(TEN, 10_000);
      story.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'unreachable' } : undefined);
      await story.readers(TEN, 120_000);
      assert.equal(preferred(story), 'alt');
      story.upstream.failure = () => undefined;
      await story.readers(TEN, 45_000);
      assert.equal(preferred(story), 'main');
    });

    it('does not follow a host that comes and goes', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      await story.readers(TEN, 10_000);
      story.upstream.failure = ({ host, at }) =>
        host === 'main' && Math.floor(at / 5_000) % 2 === 0 ? { kind: 'unreachable' } : undefined;
      const switches: number[] = [];
      let last = preferred(story);
      for (let second = 0; second < 600; second += 1) {
        const readings = await story.readers(TEN, 1_000);
        assert.ok(readings.every((reading) => reading.ok));
        if (preferred(story) !== last) switches.push(second * 1_000);
        last = preferred(story);
      }
      assert.ok(mostInAnyWindow(switches, 60_000) <= 2, switches.join());
    });

    it('never asks the other host what the first has refused', async () => {
      for (const failure of [
        { kind: 'key-refused', status: 401 },
        { kind: 'key-refused', status: 403 },
        { kind: 'rate-limited', retryAfterMs: 5_000 },
      ] as const) {
        await using story = await openCacheStory({ hasAltHost: true });
        story.upstream.failure = ({ host }) => (host === 'main' ? failure : undefined);
        await story.readers(TEN, 30_000);
        assert.equal(story.upstream.calls.filter(({ host }) => host === 'alt').length, 0);
      }
    });

    it('takes an absence for an answer, not for a failure', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      story.upstream.pulses.clear();
      await story.readers(TEN, 30_000);
      assert.equal(story.upstream.calls.filter(({ host }) => host === 'alt').length, 0);
    });
  });

  describe('when both hosts are down', () => {
    it('tries no more often than with one', async () => {
      await using story = await openCacheStory({ hasAltHost: true });
      await story.readers(TEN, 10_000);
      story.upstream.failure = () => ({ kind: 'unreachable' });
      const before = story.upstream.calls.length;
      const readings = await story.readers(TEN, 600_000);
      assert.equal(readings.filter((reading) => !reading.ok).length, 0);
      const calls = story.upstream.calls.length - before;
      assert.ok(calls <= 120, `${calls} calls in ten minutes`);
    });

    it('uses whichever comes back first', async () => {
      for (const back of ['main', 'alt'] as const) {
        await using story = await openCacheStory({ hasAltHost: true });
        await story.readers(TEN, 10_000);
        story.upstream.failure = () => ({ kind: 'unreachable' });
        await story.readers(TEN, 120_000);
        story.upstream.failure = ({ host }) => (host === back ? undefined : { kind: 'unreachable' });
        for (const id of TEN) story.upstream.pulses.set(id, pulseOf(id, 'run_2'));
        const readings = await story.readers(TEN, 40_000);
        const last = readings.slice(-10).map((reading) => reading.ok && reading.known.pulse?.jobRunId);
        assert.deepEqual(new Set(last), new Set(['run_2']), back);
      }
    });
  });

  describe('when the upstream says 429', () => {
    it('asks nothing until the wait is over, and shows no reader a failure', async () => {
      await using story = await openCacheStory();
      await story.readers(TEN, 10_000);
      story.upstream.failure = () => ({ kind: 'rate-limited', retryAfterMs: 7_000 });
      const from = story.clock.now();
      const before = story.upstream.calls.length;
      const readings = await story.readers(TEN, 30_000);
      assert.ok(readings.every((reading) => reading.ok));
      const asked = story.upstream.calls.slice(before).map(({ at }) => at - from);
      const firstAnswer = (asked[0] ?? 0) + story.upstream.latencyMs;
      const later = [firstAnswer, ...asked.filter((at) => at > firstAnswer)];
      assert.ok(later.length <= 1 + Math.ceil(30 / 7), later.join());
      for (const [index, at] of later.slice(1).entries()) assert.ok(at - (later[index] ?? 0) >= 7_000, later.join());
    });

    it('backs off by itself where the wait is not said', async () => {
      await using story = await openCacheStory();
      await story.readers(TEN, 10_000);
      story.upstream.failure = () => ({ kind: 'rate-limited', retryAfterMs: undefined });
      await story.readers(TEN, 6_000);
      const before = story.upstream.calls.length;
      await story.readers(TEN, 30_000);
      assert.ok(story.upstream.calls.length - before <= 6);
    });
  });

  describe('when the window is spent', () => {
    it('serves what it has, and tells those for whom there is nothing when to come back', async () => {
      const clock = createVirtualClock();
      const ledger = createSlidingLedger(clock, { calls: 6, windowMs: 60_000 });
      await using story = await openCacheStory({ clock, ledger });
      const readings = await story.readers(TEN, 1_000);
      const failed = readings.filter((reading) => !reading.ok);
      assert.equal(failed.length, 5);
      for (const reading of failed) {
        assert.equal(!reading.ok && reading.code, 'upstream_rate_limited');
        assert.ok(!reading.ok && (reading.retryAfterSeconds ?? 0) >= 50);
      }
      assert.equal((await story.read('src_1')).ok, true);
    });
  });
});

function preferred(story: Awaited<ReturnType<typeof openCacheStory>>): string | undefined {
  return story.cache.status().hosts.find((host) => host.preferred)?.host;
}
