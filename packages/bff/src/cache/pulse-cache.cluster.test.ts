import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallLedger } from '../budget/call-ledger.ts';
import { createMemoryLedger } from '../budget/memory-ledger.ts';
import { type CacheStory, openCacheStory } from '../testing/cache-story.ts';
import { createFakeSharedAnswers, type FakeSharedAnswers } from '../testing/fake-shared-answers.ts';
import { pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

const FRESH_MS = 15_000;
const LIST_AGE_MS = 120_000;

/** A cache among other instances, and what it asked its budget for. */
async function openClusterStory(): Promise<{
  readonly story: CacheStory;
  readonly shared: FakeSharedAnswers;
  /** Subjects that another instance asks about at the moment. */
  readonly elsewhere: Set<string>;
}> {
  const clock = createVirtualClock();
  const [shared, elsewhere] = [createFakeSharedAnswers(), new Set<string>()];
  const startedAt = clock.now() - 600_000;
  const own = createMemoryLedger({ clock, limit: 60, reserve: 15, windowMs: 60_000, callMs: 5_000, startedAt });
  const ledger: CallLedger = {
    acquire: async (request) =>
      elsewhere.has(request.subject) ? { kind: 'wait', retryInMs: 250 } : own.acquire(request),
    settle: (grant, result) => own.settle(grant, result),
    status: () => own.status(),
  };
  return { story: await openCacheStory({ clock, ledger, shared, freshForMs: FRESH_MS }), shared, elsewhere };
}

describe('openPulseCache() with other instances', () => {
  it('refreshes by plan what another instance is not asking about', async () => {
    const { story, elsewhere } = await openClusterStory();
    await using _ = story;
    await story.readers(['src_1', 'src_2'], 5_000);
    elsewhere.add('src_1');
    const before = story.upstream.callsAbout('src_2');
    await story.clock.advance(FRESH_MS + 5_000);
    assert.ok(story.upstream.callsAbout('src_2') > before);
  });

  it('refreshes the list while all readers are live streams of other instances', async () => {
    const { story, shared } = await openClusterStory();
    await using _ = story;
    for (let passedMs = 0; passedMs < 3 * LIST_AGE_MS; passedMs += 1_000) {
      shared.listener?.onDemand({ instance: 'other', views: {}, readers: { src_1: 1 } });
      await story.clock.advance(1_000);
    }
    assert.ok(story.upstream.callsAbout('sources') >= 3, `${story.upstream.callsAbout('sources')} calls`);
  });

  it('refreshes the list while all readers are live streams that were opened long ago', async () => {
    const { story } = await openClusterStory();
    await using _ = story;
    story.cache.watched('src_1', 1);
    await story.clock.advance(4 * LIST_AGE_MS);
    assert.ok(story.upstream.callsAbout('sources') >= 4, `${story.upstream.callsAbout('sources')} calls`);
  });

  it('publishes no failure of the calls that its own stop aborts', async () => {
    const { story, shared } = await openClusterStory();
    story.upstream.failure = () => 'hangs';
    void story.cache.readCard('src_1');
    await story.clock.advance(10);
    assert.equal(story.cache.status().callsInFlight, 1);
    await story.close();
    assert.deepEqual([...shared.failures.keys()], []);
  });

  it('looks again for news that comes while it looks', async () => {
    const { story, shared } = await openClusterStory();
    await using _ = story;
    await story.read('src_1');
    const askedAt = story.clock.now();
    const owner = { account: story.upstream.account, keyName: story.upstream.keyName };
    const answers = ['run_2', 'run_3'].map((run, index) => ({
      pulse: { pulse: pulseOf('src_1', run), askedAt, requestedAtMs: askedAt, fence: 100 + index, owner },
    }));
    const looks: (() => void)[] = [];
    shared.look = () => new Promise((resolve) => void looks.push(() => resolve(answers.shift() ?? {})));
    shared.listener?.onNews('src_1');
    shared.listener?.onNews('src_1');
    for (let look = 0; look < 2; look += 1) {
      looks.shift()?.();
      await story.clock.advance(1);
    }
    assert.equal(story.cache.glance('src_1')?.known.pulse?.jobRunId, 'run_3');
  });

  it('compares all it knows once at a time, and once more where that was asked for meanwhile', async () => {
    const { story, shared } = await openClusterStory();
    await using _ = story;
    await story.read('src_1');
    const looks: string[] = [];
    shared.look = async (subject) => (looks.push(subject), {});
    for (let call = 0; call < 5; call += 1) shared.listener?.onJoined();
    await story.clock.advance(10);
    assert.equal(looks.filter((subject) => subject === 'src_1').length, 2);
  });
});
