import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheHarness, type CacheHarnessOptions, openCacheHarness } from '../testing/cache-harness.ts';
import { overTime, settled } from '../testing/virtual-clock.ts';
import { KEY_CHANGED, notAttempted } from '../upstream/failure.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { RefreshResult } from './flight.ts';
import type { Peers } from './peers.ts';

const PLANNED = { isAwaited: false };
const AWAITED = { isAwaited: true };
const DOWN = { kind: 'unreachable' } as const;

/** Refreshes a subject on schedule. */
function refresh({ clock, cache }: CacheHarness, subject = 'src_1'): Promise<RefreshResult> {
  return overTime(clock, cache.refresher.join(subject, PLANNED).flight.result);
}

/** Other instances that have no answers, and what this instance has sent them. */
function fakePeers(fetchOnce: Peers['fetchOnce'] = (_flight, fetch) => fetch()) {
  const sent: string[] = [];
  const peers: Peers = {
    start: async () => {},
    fetchOnce,
    publish: (subject) => void sent.push(`answer ${subject}`),
    publishFailure: (subject, { detail }) => void sent.push(`${detail} ${subject}`),
  };
  return { sent, openPeers: () => peers };
}

/** A cache whose list has been loaded and published. */
async function openWithPeers(peers: ReturnType<typeof fakePeers>, options: CacheHarnessOptions = {}) {
  const harness = await openCacheHarness({ openPeers: peers.openPeers, ...options });
  peers.sent.length = 0;
  return harness;
}

describe('Refresher', () => {
  describe('join()', () => {
    it('starts one refresh for all who join, until it ends', async () => {
      await using harness = await openCacheHarness();
      const { refresher } = harness.cache;
      const [first, second] = [refresher.join('src_1', PLANNED), refresher.join('src_1', PLANNED)];
      assert.deepEqual([first.isNew, second.isNew], [true, false]);
      assert.equal(second.flight, first.flight);
      assert.equal(refresher.flightOf('src_1'), first.flight);
      assert.equal(refresher.callsInFlight, 1);
      await overTime(harness.clock, first.flight.result);
      assert.equal(harness.upstream.callsAbout('src_1'), 1);
      assert.equal(refresher.flightOf('src_1'), undefined);
      assert.equal(refresher.callsInFlight, 0);
      assert.equal(refresher.join('src_1', PLANNED).isNew, true);
    });

    it('refreshes different subjects at the same time', async () => {
      await using harness = await openCacheHarness();
      const { refresher } = harness.cache;
      refresher.join('src_1', PLANNED);
      assert.equal(refresher.join('src_2', PLANNED).isNew, true);
      assert.equal(refresher.callsInFlight, 2);
    });

    it('turns a scheduled refresh into one that a reader waits for, but not back', async () => {
      await using harness = await openCacheHarness();
      const isAwaited = (how: typeof PLANNED) => harness.cache.refresher.join('src_1', how).flight.isAwaited;
      assert.deepEqual([isAwaited(PLANNED), isAwaited(AWAITED), isAwaited(PLANNED)], [false, true, true]);
    });

    it('updates the demand of the refresh, and gives the list the highest', async () => {
      await using harness = await openCacheHarness();
      const demand = (subject: string) => harness.cache.refresher.join(subject, PLANNED).flight.demand;
      assert.equal(demand('src_1'), 0);
      harness.planner.recordView('src_1', harness.clock.now());
      assert.equal(Math.round(demand('src_1')), 1);
      assert.equal(demand(LIST_ID), Infinity);
    });
  });

  describe('when the service answers', () => {
    it('stores the answer, and resolves with it', async () => {
      await using harness = await openCacheHarness();
      const result = await refresh(harness);
      assert.ok(result.ok);
      assert.equal(result.entry, harness.cache.parts.entries.of('src_1'));
      assert.equal(result.status, 200);
    });

    it('resolves with the status 404 if the source has no pulse', async () => {
      await using harness = await openCacheHarness({ prepare: (upstream) => upstream.pulses.delete('src_1') });
      const result = await refresh(harness);
      assert.equal(result.ok && result.status, 404);
    });

    it('publishes the answer', async () => {
      const peers = fakePeers();
      await using harness = await openWithPeers(peers);
      await refresh(harness);
      assert.deepEqual(peers.sent, ['answer src_1']);
    });
  });

  describe('when the call fails', () => {
    it('resolves with the failure', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.failure = () => DOWN;
      const result = await refresh(harness);
      assert.deepEqual(!result.ok && [result.detail, result.attempted], ['upstream-unavailable', true]);
    });

    it('publishes the failure', async () => {
      const peers = fakePeers();
      await using harness = await openWithPeers(peers);
      harness.upstream.failure = () => DOWN;
      await refresh(harness);
      assert.deepEqual(peers.sent, ['upstream-unavailable src_1']);
    });

    it('lets the source wait behind sources that failed earlier', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.failure = () => DOWN;
      for (const id of ['src_1', 'src_2']) harness.planner.recordView(id, harness.clock.now());
      await refresh(harness, 'src_2');
      await refresh(harness, 'src_1');
      assert.equal(harness.planner.next(harness.clock.now(), { left: 9, maxLeft: 9 }), 'src_2');
    });
  });

  describe('when no call is made', () => {
    it('resolves with the reason, and publishes nothing', async () => {
      const peers = fakePeers();
      await using harness = await openWithPeers(peers);
      harness.cache.parts.upstream.backoffs.recordFailure('src_1', KEY_CHANGED, harness.clock.now());
      const result = await refresh(harness);
      assert.deepEqual([result.ok, !result.ok && result.attempted], [false, false]);
      assert.deepEqual(peers.sent, []);
    });

    it('leaves the source in the plan', async () => {
      await using harness = await openCacheHarness();
      harness.planner.recordView('src_1', harness.clock.now());
      harness.cache.parts.upstream.backoffs.recordFailure('src_1', KEY_CHANGED, harness.clock.now());
      await refresh(harness);
      assert.equal(harness.planner.next(harness.clock.now(), { left: 9, maxLeft: 9 }), 'src_1');
    });
  });

  it('takes the source out of the plan while the call is under way', async () => {
    await using harness = await openCacheHarness();
    harness.planner.recordView('src_1', harness.clock.now());
    harness.cache.refresher.join('src_1', PLANNED);
    await settled();
    assert.equal(harness.upstream.callsAbout('src_1'), 1);
    assert.equal(harness.planner.next(harness.clock.now(), { left: 9, maxLeft: 9 }), undefined);
  });

  it('counts an answer to a replaced key as a failure, and publishes that', async () => {
    const peers = fakePeers();
    await using harness = await openWithPeers(peers);
    harness.upstream.latencyMs = 3_000;
    const { flight } = harness.cache.refresher.join('src_1', PLANNED);
    await settled();
    Object.assign(harness.upstream, { latencyMs: 100, keyName: 'key 2', account: 'account B' });
    await overTime(harness.clock, harness.cache.refresher.join(LIST_ID, PLANNED).flight.result);
    const result = await overTime(harness.clock, flight.result);
    assert.equal(!result.ok && result.detail, 'key-changed');
    assert.equal(harness.cache.parts.upstream.lastFailure('src_1')?.detail, 'key-changed');
    assert.deepEqual(peers.sent, ['answer *list', 'key-changed src_1']);
  });

  it('accepts a pulse of the same account with a new key, but not a 404', async () => {
    await using harness = await openCacheHarness();
    harness.upstream.keyName = 'key 2';
    harness.upstream.pulses.delete('src_1');
    const absence = await refresh(harness, 'src_1');
    assert.equal(!absence.ok && absence.detail, 'key-changed');
    assert.equal((await refresh(harness, 'src_2')).ok, true);
  });

  it('makes no call if another instance supplies the answer', async () => {
    const answered = notAttempted('upstream_unavailable', 'elsewhere', 100);
    const peers = fakePeers(async ({ subject }, fetch) => (subject === 'src_1' ? answered : fetch()));
    await using harness = await openWithPeers(peers);
    assert.equal(await refresh(harness), answered);
    assert.equal(harness.upstream.callsAbout('src_1'), 0);
  });

  it('reports an unexpected error, and can refresh the source again', async () => {
    const faults: unknown[] = [];
    const fault = new Error('an internal error');
    const peers = fakePeers(async ({ subject }, fetch) => {
      if (subject === 'src_1' && faults.length === 0) throw fault;
      return fetch();
    });
    await using harness = await openWithPeers(peers, { onFault: (thrown) => faults.push(thrown) });
    assert.deepEqual(await refresh(harness), notAttempted('internal', 'fault', 5_000));
    assert.deepEqual(faults, [fault]);
    assert.equal((await refresh(harness)).ok, true);
  });

  describe('allSettled()', () => {
    it('resolves when the last refresh has ended', async () => {
      await using harness = await openCacheHarness();
      const { refresher } = harness.cache;
      for (const id of ['src_1', 'src_2']) refresher.join(id, PLANNED);
      const settledAt = refresher.allSettled().then(() => refresher.callsInFlight);
      assert.equal(await overTime(harness.clock, settledAt), 0);
    });
  });
});
