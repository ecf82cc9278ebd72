import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheHarness, TEN } from '../testing/cache-harness.ts';
import { maxInAnyWindow } from '../testing/arrivals.ts';

const REFUSED = { kind: 'key-refused', status: 401 } as const;

describe('PulseCache', () => {
  describe('when the key is rejected (T-29)', () => {
    it('serves its stored answers for ten minutes, and then responds with upstream_auth', async () => {
      await using harness = await openCacheHarness();
      await harness.readers(TEN, 20_000);
      harness.upstream.failure = () => REFUSED;
      const lookups = await harness.readers(TEN, 600_000);
      assert.equal(lookups.filter((lookup) => !lookup.ok).length, 0);
      await harness.clock.advance(20_000);
      assert.equal(await harness.see('src_1'), 'upstream_auth');
    });

    it('tries the key at most twice a minute, regardless of how many requests arrive', async () => {
      await using harness = await openCacheHarness();
      await harness.readers(TEN, 20_000);
      harness.upstream.failure = () => REFUSED;
      await harness.clock.advance(20_000);
      await harness.read('src_1');
      const before = harness.upstream.calls.length;
      await harness.readers(TEN, 900_000);
      const asked = harness.upstream.calls.slice(before).map(({ at }) => at);
      assert.ok(asked.length >= 20, `${asked.length} calls in a quarter of an hour`);
      assert.equal(maxInAnyWindow(asked, 60_000), 2);
    });

    it('reports that the key is rejected, and for how long', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.failure = () => REFUSED;
      await harness.read('src_1');
      await harness.clock.advance(30_000);
      const { key } = harness.state();
      assert.deepEqual(key, { state: 'refused', refusedForMs: 30_000 });
    });

    it('recovers as soon as the key is accepted', async () => {
      await using harness = await openCacheHarness();
      await harness.readers(TEN, 20_000);
      harness.upstream.failure = () => REFUSED;
      await harness.readers(TEN, 700_000);
      harness.upstream.failure = () => undefined;
      await harness.readers(TEN, 61_000);
      assert.equal(harness.state().key.state, 'accepted');
      assert.ok((await harness.readers(TEN, 1_000)).every((lookup) => lookup.ok));
    });

    it('tries a new key immediately, even for requests that failed with the previous one', async () => {
      await using harness = await openCacheHarness();
      await harness.readers(['src_1'], 20_000);
      harness.upstream.failure = () => REFUSED;
      await harness.readers(['src_1'], 30_000);
      assert.equal((await harness.read('src_2')).ok, false);
      harness.upstream.failure = () => undefined;
      harness.changeKey('key 2');
      await harness.clock.advance(100);
      assert.equal(harness.state().key.state, 'accepted');
      for (const id of ['src_1', 'src_2']) {
        const lookup = await harness.read(id);
        assert.ok(lookup.ok && lookup.ageMs < 1_000, id);
      }
    });

    it('requests the list again if a new key arrives during a call for the list', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.latencyMs = 3_000;
      await harness.clock.advance(120_000);
      const before = harness.upstream.callsAbout('sources');
      harness.changeKey('key 2');
      await harness.clock.advance(4_000);
      assert.equal(harness.upstream.callsAbout('sources'), before + 1);
    });
  });

  describe('when the key is replaced during each request', () => {
    it('tries the newest key within seconds', async () => {
      await using harness = await openCacheHarness();
      await harness.clock.advance(5_000);
      harness.upstream.failure = () => ({ ...REFUSED, otherKeyAtHand: true });
      assert.equal((await harness.read('src_1')).ok, false);
      harness.upstream.failure = () => undefined;
      await harness.clock.advance(2_000);
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });

  it('continues the calls that the scopes of the key allow, and names the missing scope', async () => {
    await using harness = await openCacheHarness();
    harness.upstream.failure = ({ about }) => (about === 'sources' ? undefined : { kind: 'key-refused', status: 403 });
    assert.equal(await harness.see('src_1'), 'upstream_auth');
    assert.equal(harness.state().key.missingScope, 'pulses:read');
    await harness.clock.advance(20_000);
    const before = harness.upstream.callsAbout('sources');
    const list = harness.cache.reader.readList({});
    await harness.clock.advance(200);
    assert.deepEqual([(await list).ok, harness.upstream.callsAbout('sources')], [true, before + 1]);
  });
});
