import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ANY_READER, type CacheHarnessOptions, openCacheHarness } from '../testing/cache-harness.ts';
import { type FakeUpstream, pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { temporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';

const IDS = ['src_1', 'src_2', 'src_3'];
const DOWN = { kind: 'unreachable' } as const;

/** A cache whose key can be replaced by another account's key. */
async function openHarness(options: CacheHarnessOptions = {}) {
  const harness = await openCacheHarness({ sourceIds: IDS, ...options });
  const changeKey = (keyName: string, account: string | undefined): void => {
    if (account !== 'account A') anotherAccount(harness.upstream);
    harness.upstream.account = account;
    harness.changeKey(keyName);
  };
  return { ...harness, changeKey };
}

/** The service has different pulses under the same ids. */
function anotherAccount(upstream: FakeUpstream): void {
  for (const id of IDS) upstream.pulses.set(id, pulseOf(id, 'run_of_B'));
}

type Harness = Awaited<ReturnType<typeof openHarness>>;

const runs = (harness: Harness) => Promise.all(IDS.map((id) => harness.see(id)));

const OF_A = ['run_1', 'run_1', 'run_1'];
const OF_B = ['run_of_B', 'run_of_B', 'run_of_B'];

describe('PulseCache (T-31)', () => {
  describe('when the key is replaced by another key for the same account', () => {
    it('drops nothing, and requests only the list', async () => {
      await using harness = await openHarness();
      assert.deepEqual(await runs(harness), OF_A);
      const before = harness.upstream.calls.length;
      harness.changeKey('key 2', 'account A');
      assert.deepEqual(await runs(harness), OF_A);
      await harness.clock.advance(200);
      assert.deepEqual(
        harness.upstream.calls.slice(before).map(({ about }) => about),
        ['sources'],
      );
      assert.deepEqual(await runs(harness), OF_A);
    });

    it('doesn’t trust a 404 for a pulse before the service has confirmed the account', async () => {
      await using harness = await openHarness();
      await runs(harness);
      harness.upstream.failure = ({ about }) => (about === 'sources' ? DOWN : undefined);
      harness.changeKey('key 2', 'account A');
      harness.upstream.pulses.clear();
      await harness.readers(IDS, 60_000);
      assert.deepEqual(await runs(harness), OF_A);
      harness.upstream.failure = () => undefined;
      await harness.readers(IDS, 60_000);
      assert.equal(await harness.see('src_1'), null);
    });
  });

  describe('when the key is replaced by another account’s key', () => {
    it('ignores answers to calls with the previous key', async () => {
      await using harness = await openHarness();
      await harness.clock.advance(20_000);
      harness.upstream.latencyMs = 3_000;
      const slow = harness.cache.reader.read('src_1', ANY_READER);
      await harness.clock.advance(100);
      harness.upstream.latencyMs = 100;
      harness.changeKey('key 2', 'account B');
      await harness.clock.advance(3_500);
      assert.equal((await slow).ok, false);
      await harness.clock.advance(2_000);
      assert.deepEqual(await runs(harness), OF_B);
    });

    it('ignores a 404 for a call with the previous key', async () => {
      await using harness = await openHarness();
      await harness.clock.advance(20_000);
      harness.upstream.pulses.delete('src_1');
      harness.upstream.latencyMs = 3_000;
      const slow = harness.cache.reader.read('src_1', ANY_READER);
      await harness.clock.advance(100);
      harness.upstream.latencyMs = 100;
      harness.changeKey('key 2', 'account B');
      harness.upstream.pulses.delete('src_1');
      await harness.clock.advance(3_500);
      assert.equal((await slow).ok, false);
      anotherAccount(harness.upstream);
      await harness.clock.advance(2_000);
      assert.deepEqual(await runs(harness), OF_B);
    });
  });

  it('drops everything and logs a warning if a key now belongs to another account', async () => {
    const warnings: string[] = [];
    await using harness = await openHarness({ warn: (message) => warnings.push(message) });
    await runs(harness);
    harness.upstream.account = 'account B';
    anotherAccount(harness.upstream);
    await harness.readers(['src_1'], 60_000);
    assert.deepEqual(await runs(harness), OF_B);
    assert.deepEqual(warnings, ['The key belongs to a different account than before: all cached answers are dropped']);
  });

  it('no longer requests sources that the other account doesn’t have', async () => {
    await using harness = await openHarness();
    await runs(harness);
    Object.assign(harness.upstream, { account: 'account B', sources: [rowOf('src_1')] });
    await harness.readers(['src_1'], 60_000);
    const before = harness.upstream.calls.length;
    await harness.readers(['src_1'], 60_000);
    const asked = new Set(harness.upstream.calls.slice(before).map(({ about }) => about));
    assert.deepEqual(asked, new Set(['src_1']));
  });

  describe('when the service doesn’t say which account its answers belong to', () => {
    it('keeps its answers as long as the key stays the same', async () => {
      await using harness = await openHarness({ prepare: (upstream) => (upstream.account = undefined) });
      assert.deepEqual(await runs(harness), OF_A);
      await harness.readers(IDS, 60_000);
      harness.upstream.account = 'account A';
      await harness.readers(IDS, 60_000);
      harness.upstream.failure = () => DOWN;
      assert.deepEqual(await runs(harness), OF_A);
    });

    it('treats a different key as a different account’s key', async () => {
      await using harness = await openHarness({ prepare: (upstream) => (upstream.account = undefined) });
      await runs(harness);
      harness.changeKey('key 2', undefined);
      await harness.clock.advance(100);
      assert.deepEqual(await runs(harness), OF_B);
    });
  });

  describe('after a restart, with a state folder', () => {
    let folder: TemporaryFolder;
    beforeEach(() => (folder = temporaryFolder()));
    afterEach(() => folder.remove());

    async function firstLife() {
      const harness = await openHarness({ stateDir: folder.path });
      assert.deepEqual(await runs(harness), OF_A);
      await harness.close();
      return { stateDir: folder.path, clock: harness.clock, settled: false };
    }

    it('serves nothing with an unknown key while the service is down', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) =>
        void Object.assign(upstream, { keyName: 'key 2', failure: () => DOWN });
      await using harness = await openHarness({ ...left, prepare });
      assert.ok((await runs(harness)).every((run) => run === 'upstream_unavailable'));
      const { ready, sources } = harness.state();
      assert.deepEqual([ready, sources.length], [false, 0]);
      harness.upstream.failure = () => undefined;
      await harness.clock.advance(30_000);
      assert.deepEqual(await runs(harness), OF_A);
    });

    it('accepts the account’s last four keys, but no older keys', async () => {
      const harness = await openHarness({ stateDir: folder.path });
      for (const key of ['key 1', 'key 2', 'key 3', 'key 4', 'key 5']) {
        harness.changeKey(key, 'account A');
        await harness.clock.advance(1_000);
        await runs(harness);
      }
      await harness.close();
      const readWith = async (keyName: string) => {
        const prepare = (upstream: FakeUpstream) => void Object.assign(upstream, { keyName, failure: () => DOWN });
        const later = await openHarness({ stateDir: folder.path, clock: harness.clock, settled: false, prepare });
        const read = await runs(later);
        await later.close();
        return read;
      };
      assert.deepEqual(await readWith('key 2'), OF_A);
      assert.ok((await readWith('key 1')).every((run) => run === 'upstream_unavailable'));
    });

    it('keeps its saved answers if the key is rejected before the account is known', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) =>
        void Object.assign(upstream, { keyName: 'key 2', failure: () => ({ kind: 'key-refused', status: 401 }) });
      const harness = await openHarness({ ...left, prepare });
      await harness.clock.advance(1_000);
      await harness.close();
      await using later = await openHarness({ ...left, prepare: (upstream) => (upstream.failure = () => DOWN) });
      assert.deepEqual(await runs(later), OF_A);
    });
  });
});
