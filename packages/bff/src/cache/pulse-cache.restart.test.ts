import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { withChecksum } from '../lib/checksum.ts';
import { ANY_READER, openCacheHarness, seen, TEN } from '../testing/cache-harness.ts';
import { type FakeUpstream, pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { temporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createVirtualClock, overTime } from '../testing/virtual-clock.ts';

describe('PulseCache', () => {
  let folder: TemporaryFolder;
  let stateDir: string;
  beforeEach(() => {
    folder = temporaryFolder();
    stateDir = folder.path;
  });
  afterEach(() => folder.remove());

  const isDown = (upstream: FakeUpstream) => (upstream.failure = () => ({ kind: 'unreachable' }) as const);

  /** A process that has read some cards and has ended. */
  async function firstLife(during?: (upstream: FakeUpstream) => void) {
    const harness = await openCacheHarness({ stateDir });
    await harness.readers(['src_1', 'src_2'], 2_000);
    during?.(harness.upstream);
    await harness.readers(['src_1', 'src_2'], 40_000);
    await harness.close();
    return harness;
  }

  describe('after a restart, with a state folder', () => {
    it('serves its saved answers immediately, even though the upstream is down', async () => {
      const { clock } = await firstLife();
      await clock.advance(3_000);
      await using harness = await openCacheHarness({ stateDir, clock, prepare: isDown, settled: false });
      const from = clock.now();
      const lookup = await harness.read('src_1');
      assert.ok(lookup.ok && clock.now() - from <= 500);
      assert.deepEqual(lookup.value.pulse, pulseOf('src_1'));
      assert.deepEqual(lookup.value.source, rowOf('src_1'));
      assert.equal(harness.cache.health().ready, true);
    });

    it('serves everything that readers saw, even if the previous process was killed', async () => {
      const first = await openCacheHarness({ stateDir });
      assert.equal((await first.read('src_3')).ok, true);
      const clock = createVirtualClock(first.clock.now(), first.clock.wallNow());
      await using harness = await openCacheHarness({ stateDir, clock, prepare: isDown, settled: false });
      assert.equal((await harness.read('src_3')).ok, true);
      await first.close();
    });

    it('counts an answer’s age across the restart', async () => {
      const { clock, upstream } = await firstLife();
      await clock.advance(100_000);
      const requestedAt = upstream.calls.filter(({ about }) => about === 'src_1').at(-1)?.at ?? 0;
      await using harness = await openCacheHarness({ stateDir, clock, prepare: isDown });
      const lookup = await harness.read('src_1');
      assert.equal(lookup.ok && lookup.isEarlierVersion, true);
      assert.equal(lookup.ok && lookup.ageMs, clock.now() - requestedAt);
    });

    it('remembers that a source has no pulse', async () => {
      const { clock } = await firstLife((upstream) => upstream.pulses.delete('src_1'));
      await using harness = await openCacheHarness({ stateDir, clock, prepare: isDown, settled: false });
      assert.equal(await harness.see('src_1'), null);
    });

    it('doesn’t restart the grace period while the key is rejected', async () => {
      const refuse = (upstream: FakeUpstream) => (upstream.failure = () => ({ kind: 'key-refused', status: 401 }));
      const { clock } = await firstLife(refuse);
      await clock.advance(590_000);
      await using harness = await openCacheHarness({ stateDir, clock, prepare: refuse });
      assert.equal(await harness.see('src_1'), 'upstream_auth');
    });

    it('doesn’t serve pulses from a source that is no longer allowed', async () => {
      const { clock } = await firstLife();
      const sources = { listed: false, ids: ['src_2'] };
      await using harness = await openCacheHarness({ stateDir, clock, sources, prepare: isDown });
      assert.equal(await harness.see('src_1'), 'source_unknown');
    });

    it('keeps the known ids, even if one of them is malformed', async () => {
      const { clock } = await firstLife();
      const { checksum: _, ...state } = JSON.parse(readFileSync(join(stateDir, 'state.json'), 'utf8')) as {
        checksum: string;
        discovered: unknown[];
      };
      const discovered = [...state.discovered, '../x', 7, null];
      folder.file('state.json', withChecksum(JSON.stringify({ ...state, discovered })));
      await using harness = await openCacheHarness({ stateDir, clock, prepare: isDown });
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });

  describe('if the state folder isn’t writable', () => {
    it('reports why, and serves answers anyway', async () => {
      const file = folder.file('file', '');
      await using harness = await openCacheHarness({ stateDir: join(file, 'folder') });
      assert.equal((await harness.read('src_1')).ok, true);
      assert.equal(harness.folder?.fault, 'ENOTDIR');
    });
  });

  describe('without a state folder', () => {
    it('loads all ten cards of a first page, each within the deadline', async () => {
      const clock = createVirtualClock();
      const callBudget = new LocalCallBudget({ clock, limit: 60, reserve: 15, windowMs: 60_000, callMs: 5_000 });
      const prepare = (upstream: FakeUpstream) =>
        void (upstream.rate = () => ({ limit: 60, remaining: 59, resetInMs: 60_000 }));
      await using harness = await openCacheHarness({ clock, callBudget, prepare, settled: false });
      const asked = TEN.map(async (id) => harness.cache.reader.read(id, ANY_READER));
      const lookups = await overTime(clock, Promise.all(asked), 7_000);
      assert.deepEqual(new Set(lookups.map(seen)), new Set(['run_1']));
    });
  });
});
