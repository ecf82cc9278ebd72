import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CallBudget } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { type CacheHarness, type CacheHarnessOptions, openCacheHarness } from '../testing/cache-harness.ts';
import { pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { Failure } from '../upstream/gate.ts';
import type { Content } from '../upstream/response.ts';
import type { Answer } from '../upstream/upstream.ts';
import type { SharedCache, SharedEntry } from './peers.ts';

const FRESH_MS = 15_000;

/** Other instances, played by a test: what they have stored is put into `found`, what they store now goes through `announce`. */
interface FakeSharedCache extends SharedCache {
  readonly found: Map<string, SharedEntry>;
  /** Answers that this instance published, in order. */
  readonly stored: Answer<Content>[];
  /** Failures that this instance published, by subject. */
  readonly failures: Map<string, Failure>;
  /** Stores an entry, as another instance does. */
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

describe('PulseCache with other instances', () => {
  it('refreshes by plan what another instance is not asking about', async () => {
    const { harness, elsewhere } = await openClusterHarness();
    await using _ = harness;
    await harness.readers(['src_1', 'src_2'], 5_000);
    elsewhere.add('src_1');
    const before = harness.upstream.callsAbout('src_2');
    await harness.clock.advance(FRESH_MS + 5_000);
    assert.ok(harness.upstream.callsAbout('src_2') > before);
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

  it('shares no answer to the key before, and those of the new account once it is known (T-31)', async () => {
    const { harness, shared } = await openClusterHarness();
    await using _ = harness;
    harness.upstream.latencyMs = 3_000;
    void harness.cache.getOrFetch('src_1');
    await harness.clock.advance(100);
    Object.assign(harness.upstream, { keyName: 'key 2', account: 'account B' });
    shared.stored.length = 0;
    await harness.clock.advance(3_000);
    assert.equal(harness.cache.peek('src_1')?.ok, true);
    assert.deepEqual(shared.stored, []);
    await harness.readers(['src_1'], 30_000);
    assert.ok(shared.stored.length > 0);
  });

  describe('when another instance stores an answer', () => {
    const entryOf = ({ clock }: CacheHarness, run: string, fencingToken: number, id = 'src_1') => ({
      answer: { value: pulseOf(id, run), requestedAt: clock.now(), requestedAtMs: clock.wallNow(), fencingToken },
    });

    it('keeps its own where that is of a later call', async () => {
      const { harness, shared } = await openClusterHarness();
      await using _ = harness;
      await shared.announce('src_1', entryOf(harness, 'run_9', 100));
      await shared.announce('src_1', entryOf(harness, 'run_8', 99));
      assert.equal(harness.cache.peek('src_1')?.value.pulse?.jobRunId, 'run_9');
    });

    it('keeps what its folder holds, over the next restart, too', async () => {
      const stateDir = mkdtempSync(join(tmpdir(), 'shared-answers-'));
      {
        const { harness } = await openClusterHarness({ stateDir });
        await using _ = harness;
        await harness.read('src_1');
      }
      {
        const { harness, shared } = await openClusterHarness({ stateDir, settled: false });
        await using _ = harness;
        await shared.announce('src_2', entryOf(harness, 'run_9', 100, 'src_2'));
      }
      const { harness } = await openClusterHarness({ stateDir });
      await using _ = harness;
      assert.ok(harness.cache.peek('src_1'));
      rmSync(stateDir, { recursive: true });
    });

    it('uses none while the key in use is not known to be of the same account (T-31)', async () => {
      const { harness, shared } = await openClusterHarness();
      await using _ = harness;
      await harness.read('src_1');
      harness.upstream.keyName = 'key 2';
      await shared.announce('src_1', entryOf(harness, 'run_9', 100));
      assert.notEqual(harness.cache.peek('src_1')?.value.pulse?.jobRunId, 'run_9');
    });
  });
});
