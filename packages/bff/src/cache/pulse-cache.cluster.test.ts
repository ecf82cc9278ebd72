import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallBudget } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { type CacheHarness, type CacheHarnessOptions, openCacheHarness } from '../testing/cache-harness.ts';
import { createFakeSharedCache, type FakeSharedCache } from '../testing/fake-shared-cache.ts';
import { pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

const FRESH_MS = 15_000;
const LIST_AGE_MS = 120_000;

/** A cache among other instances, and what it asked its budget for. */
async function openClusterHarness(options: CacheHarnessOptions = {}): Promise<{
  readonly harness: CacheHarness;
  readonly shared: FakeSharedCache;
  /** Subjects that another instance asks about at the moment. */
  readonly elsewhere: Set<string>;
}> {
  const clock = createVirtualClock();
  const [shared, elsewhere] = [createFakeSharedCache(), new Set<string>()];
  const startedAt = clock.now() - 600_000;
  const own = new LocalCallBudget({ clock, limit: 60, reserve: 15, windowMs: 60_000, callMs: 5_000, startedAt });
  const callBudget: CallBudget = {
    acquire: async (request) =>
      elsewhere.has(request.subject) ? { kind: 'in-flight-elsewhere', retryInMs: 250 } : own.acquire(request),
    settle: (permit, result) => own.settle(permit, result),
    status: () => own.status(),
  };
  const harness = await openCacheHarness({ clock, callBudget, shared, freshForMs: FRESH_MS, ...options });
  return { harness, shared, elsewhere };
}

describe('OpenPulseCache with other instances', () => {
  it('refreshes by plan what another instance is not asking about', async () => {
    const { harness, elsewhere } = await openClusterHarness();
    await using _ = harness;
    await harness.readers(['src_1', 'src_2'], 5_000);
    elsewhere.add('src_1');
    const before = harness.upstream.callsAbout('src_2');
    await harness.clock.advance(FRESH_MS + 5_000);
    assert.ok(harness.upstream.callsAbout('src_2') > before);
  });

  it('refreshes the list while all readers are live streams of other instances', async () => {
    const { harness, shared } = await openClusterHarness();
    await using _ = harness;
    for (let passedMs = 0; passedMs < 3 * LIST_AGE_MS; passedMs += 1_000) {
      shared.listener?.onDemand({ instance: 'other', views: {}, readers: { src_1: 1 } });
      await harness.clock.advance(1_000);
    }
    assert.ok(harness.upstream.callsAbout('sources') >= 3, `${harness.upstream.callsAbout('sources')} calls`);
  });

  it('refreshes the list while all readers are live streams that were opened long ago', async () => {
    const { harness } = await openClusterHarness();
    await using _ = harness;
    harness.cache.setWatchers('src_1', 1);
    await harness.clock.advance(4 * LIST_AGE_MS);
    assert.ok(harness.upstream.callsAbout('sources') >= 4, `${harness.upstream.callsAbout('sources')} calls`);
  });

  it('publishes no failure of the calls that its own stop aborts', async () => {
    const { harness, shared } = await openClusterHarness();
    harness.upstream.failure = () => 'hangs';
    void harness.cache.getOrFetch('src_1');
    await harness.clock.advance(10);
    assert.equal(harness.cache.status().callsInFlight, 1);
    await harness.close();
    assert.deepEqual([...shared.failures.keys()], []);
  });

  it('looks again for news that comes while it looks', async () => {
    const { harness, shared } = await openClusterHarness();
    await using _ = harness;
    await harness.read('src_1');
    const requestedAt = harness.clock.now();
    const owner = { account: harness.upstream.account, keyName: harness.upstream.keyName };
    const answers = ['run_2', 'run_3'].map((run, index) => ({
      pulse: {
        pulse: pulseOf('src_1', run),
        requestedAt,
        requestedAtMs: requestedAt,
        fencingToken: 100 + index,
        owner,
      },
    }));
    const looks: (() => void)[] = [];
    shared.get = () => new Promise((resolve) => void looks.push(() => resolve(answers.shift() ?? {})));
    shared.listener?.onInvalidated('src_1');
    shared.listener?.onInvalidated('src_1');
    for (let look = 0; look < 2; look += 1) {
      looks.shift()?.();
      await harness.clock.advance(1);
    }
    assert.equal(harness.cache.peek('src_1')?.value.pulse?.jobRunId, 'run_3');
  });

  it('compares all it knows once at a time, and once more where that was asked for meanwhile', async () => {
    const { harness, shared } = await openClusterHarness();
    await using _ = harness;
    await harness.read('src_1');
    const looks: string[] = [];
    shared.get = async (subject) => (looks.push(subject), {});
    for (let call = 0; call < 5; call += 1) shared.listener?.onJoined();
    await harness.clock.advance(10);
    assert.equal(looks.filter((subject) => subject === 'src_1').length, 2);
  });
});
