import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CacheParts } from '../../cache/cache-parts.ts';
import type { CallBudget } from '../../budget/call-budget.ts';
import {
  ANY_READER,
  type CacheHarness,
  type CacheHarnessOptions,
  openCacheHarness,
  seen,
} from '../../testing/cache-harness.ts';
import { pulseOf } from '../../testing/fake-upstream.ts';
import { createSlidingWindowBudget } from '../../testing/sliding-window-budget.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import type { Failure } from '../../upstream/failure.ts';
import type { Content } from '../../upstream/subject.ts';
import type { Answer } from '../../upstream/answer.ts';
import { RedisPeers } from './peers.ts';
import type { SharedCache, SharedEntry } from './shared-cache.ts';

const FRESH_MS = 15_000;

/**
 * Other instances, simulated by a test. Entries that other instances have already stored are in `found`. New entries go
 * through `announce`.
 */
interface FakeSharedCache extends SharedCache {
  readonly found: Map<string, SharedEntry>;
  /** Answers that this instance published, in order. */
  readonly stored: Answer<Content>[];
  /** Failures that this instance published, by subject. */
  readonly failures: Map<string, Failure>;
  /** Stores an entry like another instance. */
  announce(subject: string, entry: SharedEntry): Promise<void>;
}

function createFakeSharedCache(): FakeSharedCache {
  let listener: Parameters<SharedCache['listen']>[0] = () => {};
  const fake: FakeSharedCache = {
    found: new Map(),
    stored: [],
    failures: new Map(),
    announce: async (subject, entry) => {
      fake.found.set(subject, entry);
      await listener(subject);
    },
    listen: async (given) => {
      listener = given;
      for (const subject of fake.found.keys()) await listener(subject);
    },
    get: (subject) => Promise.resolve(fake.found.get(subject) ?? {}),
    store: (_subject, answer) => void fake.stored.push(answer),
    storeFailure: (subject, failure) => void fake.failures.set(subject, failure),
  };
  return fake;
}

/** A cache that shares its answers with other instances. */
async function openClusterHarness(options: CacheHarnessOptions = {}) {
  const shared = createFakeSharedCache();
  const openPeers = (parts: CacheParts) => new RedisPeers({ ...parts, shared, freshForMs: FRESH_MS });
  return { ...(await openCacheHarness({ openPeers, ...options })), shared };
}

describe('PulseCache with other instances', () => {
  it('continues with the other sources while another instance is refreshing a source', async () => {
    const clock = createVirtualClock();
    const own = createSlidingWindowBudget(clock, { calls: 45, windowMs: 60_000 });
    const elsewhere = new Set<string>();
    const callBudget: CallBudget = {
      ...own,
      acquire: async (subject) =>
        elsewhere.has(subject) ? { kind: 'in-flight-elsewhere', retryInMs: 250 } : own.acquire(subject),
    };
    await using harness = await openClusterHarness({ clock, callBudget });
    await harness.readers(['src_1', 'src_2'], 5_000);
    elsewhere.add('src_1');
    const before = harness.upstream.callsAbout('src_2');
    await harness.clock.advance(FRESH_MS + 5_000);
    assert.ok(harness.upstream.callsAbout('src_2') > before);
  });

  it('doesn’t publish its aborted calls as failures when it stops', async () => {
    const harness = await openClusterHarness();
    harness.upstream.failure = () => 'hangs';
    void harness.cache.reader.read('src_1', ANY_READER);
    await harness.clock.advance(10);
    assert.equal(harness.state().callsInFlight, 1);
    await harness.close();
    assert.deepEqual([...harness.shared.failures.keys()], []);
  });

  it('doesn’t share answers to calls with the previous key (T-31)', async () => {
    await using harness = await openClusterHarness();
    harness.upstream.latencyMs = 3_000;
    void harness.cache.reader.read('src_1', ANY_READER);
    await harness.clock.advance(100);
    Object.assign(harness.upstream, { keyName: 'key 2', account: 'account B' });
    harness.shared.stored.length = 0;
    await harness.clock.advance(3_000);
    assert.equal(harness.cache.peek('src_1')?.ok, true);
    assert.deepEqual(harness.shared.stored, []);
    await harness.readers(['src_1'], 30_000);
    assert.ok(harness.shared.stored.length > 0);
  });

  describe('when another instance stores an answer', () => {
    const entryOf = ({ clock }: CacheHarness, run: string, fencingToken: number, id = 'src_1') => ({
      answer: { value: pulseOf(id, run), requestedAt: clock.now(), requestedAtMs: clock.wallNow(), fencingToken },
    });

    it('keeps its own answer if its own call was made later', async () => {
      await using harness = await openClusterHarness();
      await harness.shared.announce('src_1', entryOf(harness, 'run_9', 100));
      await harness.shared.announce('src_1', entryOf(harness, 'run_8', 99));
      assert.equal(seen(harness.cache.peek('src_1')), 'run_9');
    });

    it('keeps the answers in its state folder across the next restart', async () => {
      using folder = temporaryFolder();
      const stateDir = folder.path;
      {
        await using harness = await openClusterHarness({ stateDir });
        await harness.read('src_1');
      }
      {
        await using harness = await openClusterHarness({ stateDir, settled: false });
        await harness.shared.announce('src_2', entryOf(harness, 'run_9', 100, 'src_2'));
      }
      await using harness = await openClusterHarness({ stateDir });
      assert.ok(harness.cache.peek('src_1'));
    });

    it('ignores the answer until the current key is known to belong to the same account (T-31)', async () => {
      await using harness = await openClusterHarness();
      await harness.read('src_1');
      harness.upstream.keyName = 'key 2';
      await harness.shared.announce('src_1', entryOf(harness, 'run_9', 100));
      assert.notEqual(seen(harness.cache.peek('src_1')), 'run_9');
    });
  });
});
