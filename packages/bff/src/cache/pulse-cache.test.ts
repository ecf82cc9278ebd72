import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallLedger } from '../budget/call-ledger.ts';
import { createMemoryLedger } from '../budget/memory-ledger.ts';
import { openCacheStory } from '../testing/cache-story.ts';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { createVirtualClock, elapsed, overTime } from '../testing/virtual-clock.ts';
import type { Card, Reading } from './port.ts';

function runIn(reading: Reading<Card> | undefined): string | null | undefined {
  return reading?.ok ? (reading.known.pulse?.jobRunId ?? null) : undefined;
}

describe('openPulseCache()', () => {
  describe('when nothing is cached', () => {
    it('asks the upstream once for all who wait', async () => {
      await using story = await openCacheStory();
      const readings = Promise.all(Array.from({ length: 500 }, () => story.cache.readCard('src_1')));
      await story.clock.advance(200);
      for (const reading of await readings) assert.equal(runIn(reading), 'run_1');
      assert.equal(story.upstream.callsAbout('src_1'), 1);
    });

    it('waits with a reader who finds a refresh by plan under way, where the plan had no leave to call', async () => {
      const clock = createVirtualClock();
      const allowance = { clock, limit: 60, reserve: 15, windowMs: 60_000, callMs: 5_000 };
      const account = createMemoryLedger({ ...allowance, startedAt: clock.now() - 600_000 });
      const asked: string[] = [];
      const ledger: CallLedger = {
        settle: account.settle.bind(account),
        status: account.status.bind(account),
        async acquire(request) {
          asked.push(request.subject);
          await elapsed(clock, 50);
          const isFirst = asked.filter((subject) => subject === request.subject).length === 1;
          if (request.subject === 'src_1' && isFirst) return { kind: 'refused', reason: 'ledger-lost', retryInMs: 20 };
          return account.acquire(request);
        },
      };
      await using story = await openCacheStory({ clock, ledger });
      await clock.advance(1_000);
      story.cache.watched('src_1', 3);
      while (!asked.includes('src_1')) await clock.advance(10);
      assert.equal(runIn(await story.read('src_1')), 'run_1');
    });

    it('says what it did: a miss for the first, collapsed for the rest', async () => {
      await using story = await openCacheStory();
      const readings = [story.cache.readCard('src_1'), story.cache.readCard('src_1')];
      await story.clock.advance(200);
      const facts = (await Promise.all(readings)).map((reading) => reading.ok && reading.facts);
      const miss = { hit: false, fwd: 'miss', fwdStatus: 200, stored: true, ttlSeconds: 14 };
      assert.deepEqual(facts, [
        { ...miss, collapsed: false },
        { ...miss, collapsed: true },
      ]);
    });

    it('puts the pulse together with the source’s row in the list', async () => {
      await using story = await openCacheStory();
      const reading = await story.read('src_1');
      assert.ok(reading.ok);
      assert.deepEqual(reading.known.pulse, pulseOf('src_1'));
      assert.deepEqual(reading.known.source, rowOf('src_1'));
    });

    it('waits for the second host within the one deadline', async () => {
      await using story = await openCacheStory({
        hasAltHost: true,
        prepare: (upstream) => (upstream.failure = ({ host }) => (host === 'main' ? 'hangs' : undefined)),
        settled: false,
      });
      const from = story.clock.now();
      assert.equal(runIn(await story.read('src_1')), 'run_1');
      assert.ok(story.clock.now() - from < 5_000);
    });
  });

  describe('when the answer is fresh', () => {
    it('answers at once, with no call', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      const calls = story.upstream.calls.length;
      for (let reader = 0; reader < 1_000; reader += 1) assert.equal(runIn(story.cache.peekCard('src_1')), 'run_1');
      assert.equal(story.upstream.calls.length, calls);
    });

    it('tells its age from the moment the upstream was asked', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      await story.clock.advance(4_900);
      const reading = story.cache.peekCard('src_1');
      assert.ok(reading?.ok);
      assert.equal(reading.ageMs, 5_000);
      assert.deepEqual(reading.facts, { hit: true, ttlSeconds: 10 });
      assert.equal(reading.stale, false);
    });

    it('hands out the same card, so that what is made of it can be kept', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      const [first, second] = [story.cache.peekCard('src_1'), story.cache.peekCard('src_1')];
      assert.ok(first?.ok && second?.ok);
      assert.equal(first.known, second.known);
    });
  });

  describe('when the answer is older than it should be', () => {
    it('lets the reader wait a moment and answers afresh, where calls are plentiful', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      await story.clock.advance(1_900_000);
      story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      const reading = await story.read('src_1');
      assert.equal(runIn(reading), 'run_2');
      assert.equal(reading.ok && reading.stale, false);
      assert.equal(reading.ok && reading.facts.fwd, 'stale');
    });

    it('answers with what it has after half a second, and refreshes all the same', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      await story.clock.advance(1_900_000);
      story.upstream.latencyMs = 700;
      story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      const from = story.clock.now();
      const reading = await story.read('src_1');
      assert.equal(runIn(reading), 'run_1');
      assert.equal(reading.ok && reading.stale, true);
      assert.ok(story.clock.now() - from <= 510);
      await story.clock.advance(300);
      assert.equal(runIn(story.cache.peekCard('src_1')), 'run_2');
    });

    it('keeps no second reader waiting for a refresh that is slow', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      await story.clock.advance(1_900_000);
      story.upstream.latencyMs = 3_000;
      await story.read('src_1');
      const reading = story.cache.peekCard('src_1');
      assert.equal(reading?.ok && reading.stale, true);
    });

    it('refreshes by itself what has readers, and leaves alone what has none', async () => {
      await using story = await openCacheStory();
      await story.read('src_2');
      await story.clock.advance(1_900_000);
      const before = story.upstream.callsAbout('src_2');
      await story.readers(['src_1'], 120_000);
      assert.ok(story.upstream.callsAbout('src_1') >= 6);
      await story.clock.advance(600_000);
      assert.equal(story.upstream.callsAbout('src_2'), before);
    });
  });

  describe('when more is wanted than the key can pay for', () => {
    for (const limit of [60, 600])
      it(`spends nine tenths and more of what it may, and no more: ${limit} a minute`, async () => {
        const sourceIds = Array.from({ length: 250 }, (_, index) => `src_${index + 1}`);
        await using story = await openCacheStory({ sourceIds, limit, reserve: limit / 4 });
        await story.readers(sourceIds, 120_000, 5_000);
        const from = story.clock.now();
        await story.readers(sourceIds, 120_000, 5_000);
        const arrivals = story.upstream.calls.map(({ at }) => at);
        const spent = arrivals.filter((at) => at >= from).length / 2 / (0.75 * limit);
        assert.ok(spent >= 0.9, `${spent}`);
        assert.ok(mostInAnyWindow(arrivals, 60_000) <= 0.75 * limit);
      });

    it('keeps refreshing the others while one source fails again and again', async () => {
      await using story = await openCacheStory({ random: () => 0.999 });
      await story.readers(['src_1', 'src_2'], 5_000);
      story.upstream.failure = ({ about }) => (about === 'src_1' ? { kind: 'server-error', status: 500 } : undefined);
      story.cache.watched('src_1', 1_000);
      story.cache.watched('src_2', 1);
      const before = story.upstream.callsAbout('src_2');
      await story.clock.advance(600_000);
      assert.ok(story.upstream.callsAbout('src_2') - before >= 20);
    });
  });

  describe('when the upstream says that there is no pulse (T-29)', () => {
    it('answers with a card that has none', async () => {
      await using story = await openCacheStory({ prepare: (upstream) => upstream.pulses.delete('src_1') });
      const reading = await story.read('src_1');
      assert.equal(runIn(reading), null);
      assert.equal(reading.ok && reading.known.source?.id, 'src_1');
      assert.equal(reading.ok && reading.facts.fwdStatus, 404);
    });

    it('asks no more often for it than for a pulse', async () => {
      await using story = await openCacheStory({ prepare: (upstream) => upstream.pulses.delete('src_1') });
      await story.readers(['src_1'], 14_000, 100);
      assert.equal(story.upstream.callsAbout('src_1'), 1);
    });

    it('takes the pulse away from readers who had it', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      story.upstream.pulses.delete('src_1');
      await story.readers(['src_1'], 20_000);
      assert.equal(runIn(await story.read('src_1')), null);
    });
  });

  describe('when the list changes', () => {
    it('hands out a new card where the row is another, and the old one where it is not', async () => {
      await using story = await openCacheStory();
      const [before1, before2] = [await story.read('src_1'), await story.read('src_2')];
      story.upstream.sources[0] = rowOf('src_1', { status: 'BROKEN' });
      await story.clock.advance(16_000);
      story.upstream.failure = ({ about }) => (about === 'sources' ? undefined : { kind: 'unreachable' });
      await overTime(story.clock, story.cache.readSources());
      const [after1, after2] = [await story.read('src_1'), await story.read('src_2')];
      assert.ok(before1.ok && before2.ok && after1.ok && after2.ok);
      assert.equal(after1.known.source?.status, 'BROKEN');
      assert.notEqual(after1.known, before1.known);
      assert.equal(after2.known, before2.known);
    });

    it('follows it while cards are read, though nobody reads the list', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      story.upstream.sources[0] = rowOf('src_1', { status: 'DEGRADED' });
      await story.readers(['src_1'], 150_000);
      const reading = await story.read('src_1');
      assert.equal(reading.ok && reading.known.source?.status, 'DEGRADED');
    });
  });

  describe('onNewPulse()', () => {
    it('tells of each pulse that is another than before, and of nothing else', async () => {
      await using story = await openCacheStory();
      const heard: (string | undefined)[] = [];
      const end = story.cache.onNewPulse((card) => heard.push(card.pulse?.jobRunId));
      await story.readers(['src_1'], 60_000);
      story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      await story.readers(['src_1'], 60_000);
      assert.deepEqual(heard, ['run_1', 'run_2']);
      end();
      story.upstream.pulses.set('src_1', pulseOf('src_1', 'run_3'));
      await story.readers(['src_1'], 60_000);
      assert.equal(heard.length, 2);
    });
  });

  describe('glance()', () => {
    it('gives what is kept, however old, as no view and with no call', async () => {
      await using story = await openCacheStory();
      assert.equal(story.cache.glance('src_1'), undefined);
      await story.read('src_1');
      const calls = story.upstream.calls.length;
      const views = story.cache.status().sources.find(({ sourceId }) => sourceId === 'src_1')?.viewsPerMinute;
      await story.clock.advance(100);
      for (let at = 0; at < 100; at += 1) assert.equal(story.cache.glance('src_1')?.known.pulse?.jobRunId, 'run_1');
      const after = story.cache.status().sources.find(({ sourceId }) => sourceId === 'src_1')?.viewsPerMinute;
      assert.ok((after ?? 0) <= (views ?? 0));
      assert.equal(story.upstream.calls.length, calls);
    });

    it('gives nothing that may not be shown any more', async () => {
      await using story = await openCacheStory({ staleForMs: 60_000 });
      await story.read('src_1');
      story.upstream.failure = () => ({ kind: 'unreachable' });
      await story.clock.advance(80_000);
      assert.equal(story.cache.glance('src_1'), undefined);
    });

    it('gives nothing of strangers', async () => {
      await using story = await openCacheStory();
      await story.read('nobody');
      assert.equal(story.cache.glance('nobody'), undefined);
      assert.equal(story.cache.isKnown('nobody'), false);
    });
  });

  describe('watched()', () => {
    it('refreshes what live streams show, though nobody asks', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      story.cache.watched('src_1', 20);
      await story.clock.advance(120_000);
      assert.ok(story.upstream.callsAbout('src_1') >= 5);
    });
  });

  describe('readSources()', () => {
    it('answers with the list', async () => {
      await using story = await openCacheStory();
      const reading = await story.cache.readSources();
      assert.equal(reading.ok && reading.known.sources.length, 10);
    });

    it('shows only the ids that the operator names, where no more is asked for', async () => {
      await using story = await openCacheStory({ sources: { listed: false, any: false, ids: ['src_2', 'src_99'] } });
      const reading = await story.cache.readSources();
      assert.deepEqual(reading.ok && reading.known.sources.map(({ id }) => id), ['src_2']);
    });
  });

  describe('its status', () => {
    it('gives moments as ISO 8601, by the wall clock', async () => {
      await using story = await openCacheStory();
      await story.read('src_1');
      const answeredAt = new Date(story.clock.wallNow()).toISOString();
      await story.clock.advance(5_000);
      const { hosts, sources, list } = story.cache.status();
      assert.equal(hosts[0]?.lastAnswerAt, answeredAt);
      for (const { requestedAt } of [list, ...sources.filter(({ sourceId }) => sourceId === 'src_1')])
        assert.match(requestedAt ?? '', /^2026-05-08T09:00:0\d\.\d{3}Z$/);
      assert.equal(sources.find(({ sourceId }) => sourceId === 'src_2')?.requestedAt, null);
    });
  });
});
