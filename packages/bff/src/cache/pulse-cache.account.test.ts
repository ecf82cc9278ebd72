import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type CacheStoryOptions, openCacheStory } from '../testing/cache-story.ts';
import { type FakeUpstream, pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

const IDS = ['src_1', 'src_2', 'src_3'];
const DOWN = { kind: 'unreachable' } as const;

/** A story in which the operator can change the key, and the key its account. */
async function openStory(options: CacheStoryOptions = {}) {
  const heard = new Set<() => void>();
  const story = await openCacheStory({
    sourceIds: IDS,
    onKeyChange: (hear) => {
      heard.add(hear);
      return () => void heard.delete(hear);
    },
    ...options,
  });
  const changeKey = (keyName: string, account: string | undefined): void => {
    Object.assign(story.upstream, { keyName, account });
    if (account !== 'account A') anotherAccount(story.upstream);
    for (const hear of heard) hear();
  };
  return Object.assign(story, { changeKey });
}

/** The service has other pulses under the same ids. */
function anotherAccount(upstream: FakeUpstream): void {
  for (const id of IDS) upstream.pulses.set(id, pulseOf(id, 'run_of_B'));
}

type Story = Awaited<ReturnType<typeof openStory>>;

async function runs(story: Story): Promise<(string | undefined)[]> {
  const readings = await Promise.all(IDS.map((id) => story.read(id)));
  return readings.map((reading) => (reading.ok ? reading.known.pulse?.jobRunId : reading.code));
}

const OF_A = ['run_1', 'run_1', 'run_1'];
const OF_B = ['run_of_B', 'run_of_B', 'run_of_B'];

describe('openPulseCache() (T-31)', () => {
  describe('when the key is replaced by one of the same account', () => {
    it('drops nothing, and makes no call but the one for the list', async () => {
      await using story = await openStory();
      assert.deepEqual(await runs(story), OF_A);
      const purges: number[] = [];
      story.cache.onPurge(() => purges.push(1));
      const before = story.upstream.calls.length;
      story.changeKey('key 2', 'account A');
      assert.deepEqual(await runs(story), OF_A);
      await story.clock.advance(200);
      assert.deepEqual(
        story.upstream.calls.slice(before).map(({ about }) => about),
        ['sources'],
      );
      assert.deepEqual([await runs(story), purges.length], [OF_A, 0]);
    });

    it('goes on serving in an outage, for the key before was good for these answers', async () => {
      await using story = await openStory();
      await runs(story);
      story.upstream.failure = () => DOWN;
      story.changeKey('key 2', 'account A');
      await story.clock.advance(60_000);
      assert.deepEqual(await runs(story), OF_A);
    });

    it('believes no absence before the service has said whose the key is', async () => {
      await using story = await openStory();
      await runs(story);
      story.upstream.failure = ({ about }) => (about === 'sources' ? DOWN : undefined);
      story.changeKey('key 2', 'account A');
      story.upstream.pulses.clear();
      await story.readers(IDS, 60_000);
      assert.deepEqual(await runs(story), OF_A);
      story.upstream.failure = () => undefined;
      await story.readers(IDS, 60_000);
      const reading = await story.read('src_1');
      assert.equal(reading.ok && reading.known.pulse, null);
    });
  });

  describe('when the key is replaced by one of another account', () => {
    it('serves nothing of the first once the service has answered', async () => {
      const warnings: string[] = [];
      await using story = await openStory({ warn: (message) => warnings.push(message) });
      await runs(story);
      const purges: number[] = [];
      story.cache.onPurge(() => purges.push(1));
      story.changeKey('key 2', 'account B');
      await story.clock.advance(100);
      assert.deepEqual(story.cache.glance('src_1'), undefined);
      assert.deepEqual(await runs(story), OF_B);
      assert.equal(purges.length, 1);
      assert.deepEqual(warnings, ['The key belongs to another account than before: all kept answers are dropped']);
    });

    it('uses no answer that the key before it still brings', async () => {
      await using story = await openStory();
      await story.clock.advance(20_000);
      const purges: number[] = [];
      story.cache.onPurge(() => purges.push(1));
      story.upstream.latencyMs = 3_000;
      const slow = story.cache.readCard('src_1');
      await story.clock.advance(100);
      story.upstream.latencyMs = 100;
      story.changeKey('key 2', 'account B');
      await story.clock.advance(3_500);
      const reading = await slow;
      assert.deepEqual([reading.ok, purges.length], [false, 1]);
      await story.clock.advance(2_000);
      assert.deepEqual(await runs(story), OF_B);
    });

    it('forgets ids that only the first account has', async () => {
      await using story = await openStory();
      await runs(story);
      story.upstream.sources = story.upstream.sources.slice(0, 1);
      story.changeKey('key 2', 'account B');
      await story.clock.advance(100);
      assert.deepEqual([story.cache.isKnown('src_1'), story.cache.isKnown('src_2')], [true, false]);
    });
  });

  it('drops all where one key comes to belong to another account', async () => {
    await using story = await openStory();
    await runs(story);
    story.upstream.account = 'account B';
    anotherAccount(story.upstream);
    await story.readers(['src_1'], 60_000);
    assert.deepEqual(await runs(story), OF_B);
  });

  describe('when the service does not say whose its answers are', () => {
    it('keeps them for as long as the key is the same', async () => {
      await using story = await openStory({ prepare: (upstream) => (upstream.account = undefined) });
      assert.deepEqual(await runs(story), OF_A);
      await story.readers(IDS, 60_000);
      story.upstream.account = 'account A';
      await story.readers(IDS, 60_000);
      story.upstream.failure = () => DOWN;
      assert.deepEqual(await runs(story), OF_A);
    });

    it('takes another key for that of another account', async () => {
      await using story = await openStory({ prepare: (upstream) => (upstream.account = undefined) });
      await runs(story);
      story.changeKey('key 2', undefined);
      await story.clock.advance(100);
      assert.deepEqual(await runs(story), OF_B);
    });
  });

  describe('after a restart, with a state folder', () => {
    let stateDir: string;
    beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'pulse-account-'))));
    afterEach(() => rmSync(stateDir, { recursive: true }));

    async function firstLife() {
      const story = await openStory({ stateDir });
      assert.deepEqual(await runs(story), OF_A);
      await story.close();
      return { stateDir, clock: story.clock, settled: false };
    }

    const filesText = (): string =>
      readdirSync(stateDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
        .join('\n');

    it('serves at once with the same key, though the service is down', async () => {
      const left = await firstLife();
      await using story = await openStory({ ...left, prepare: (upstream) => (upstream.failure = () => DOWN) });
      assert.deepEqual(await runs(story), OF_A);
    });

    it('serves with another key once the service has said that it is of the same account', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) => void Object.assign(upstream, { keyName: 'key 2' });
      await using story = await openStory({ ...left, prepare });
      assert.equal(story.cache.glance('src_1'), undefined);
      await story.clock.advance(100);
      assert.deepEqual(await runs(story), OF_A);
      assert.equal(story.upstream.calls.length, 1, 'the list alone was asked for');
      await story.close();
      const again = { ...left, prepare: (upstream: FakeUpstream) => (upstream.failure = () => DOWN) };
      for (const keyName of ['key 1', 'key 2']) {
        await using later = await openStory({ ...again, keyName: () => keyName });
        assert.deepEqual(await runs(later), OF_A, keyName);
      }
    });

    it('serves nothing with a key of which nothing is known, while the service is down', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) =>
        void Object.assign(upstream, { keyName: 'key 2', failure: () => DOWN });
      await using story = await openStory({ ...left, prepare });
      assert.ok((await runs(story)).every((run) => run === 'upstream_unavailable'));
      assert.equal(story.cache.status().ready && story.cache.status().sources.length > 0, false);
      story.upstream.failure = () => undefined;
      await story.clock.advance(30_000);
      assert.deepEqual(await runs(story), OF_A);
    });

    it('serves nothing of the first account with the key of another, and removes its files', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) => {
        Object.assign(upstream, { keyName: 'key 2', account: 'account B' });
        anotherAccount(upstream);
      };
      await using story = await openStory({ ...left, prepare });
      assert.equal(story.cache.glance('src_1'), undefined);
      await story.clock.advance(100);
      assert.doesNotMatch(filesText(), /run_1"/);
      assert.deepEqual(await runs(story), OF_B);
      assert.match(filesText(), /run_of_B/);
    });

    it('keeps what is saved where the key is refused before the service says whose it is', async () => {
      const left = await firstLife();
      const prepare = (upstream: FakeUpstream) =>
        void Object.assign(upstream, { keyName: 'key 2', failure: () => ({ kind: 'key-refused', status: 401 }) });
      const story = await openStory({ ...left, prepare });
      await story.clock.advance(1_000);
      await story.close();
      await using later = await openStory({ ...left, prepare: (upstream) => (upstream.failure = () => DOWN) });
      assert.deepEqual(await runs(later), OF_A);
    });

    it('reads no file that a process with another account wrote beside it', async () => {
      const left = await firstLife();
      const other = await openStory({
        ...left,
        prepare: (upstream) => void Object.assign(upstream, { keyName: 'key 2', account: 'account B' }),
      });
      const clock = createVirtualClock(left.clock.now(), left.clock.wallNow());
      const beside = await openStory({ ...left, clock });
      await other.clock.advance(100);
      beside.upstream.pulses.set('src_1', pulseOf('src_1', 'run_of_A_again'));
      await beside.readers(['src_1'], 30_000);
      await other.close();
      await beside.close();
      await using later = await openStory({
        ...left,
        keyName: () => 'key 2',
        prepare: (upstream) => (upstream.failure = () => DOWN),
      });
      assert.ok(!(await runs(later)).includes('run_of_A_again'));
    });

    it('holds neither the account nor the key, nor a digest that can be looked up', async () => {
      await firstLife();
      assert.doesNotMatch(filesText(), /account A|key 1/);
    });
  });
});
