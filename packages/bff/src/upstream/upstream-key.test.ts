import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchFrom, openCore, openFailing } from '../testing/core.ts';
import { KEY_A } from '../testing/fake-service.ts';
import { LIST } from './target.ts';

const KEY_B = 'key-of-account-a-too';

describe('Upstream when the key is rejected', () => {
  it('retries a rejected operation every 30 s and keeps calling the other one', async () => {
    const core = await openCore();
    core.service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['sources'] as const) });
    for (let second = 0; second < 70; second += 1) {
      void core.upstream.fetch(LIST, { isAwaited: false });
      await core.clock.advance(1_000);
    }
    assert.equal(core.service.callsAbout('list'), 3);
    assert.ok((await fetchFrom(core)).ok);
    assert.deepEqual(core.upstream.status().key.missingScope, 'sources:read');
    core.service.keys.set(KEY_A, { account: 'account A' });
    await core.clock.advance(30_000);
    assert.ok((await fetchFrom(core, LIST)).ok);
    assert.equal(core.upstream.status().key.state, 'accepted');
  });

  it('waits 30 s after a 401 before it makes another call', async () => {
    const core = await openFailing({ status: 401 });
    const rejected = await fetchFrom(core);
    assert.equal(!rejected.ok && rejected.retryInMs, 30_000);
    for (const target of ['src_2', LIST]) {
      const blocked = await fetchFrom(core, target);
      assert.ok(!blocked.ok && blocked.code === 'key_rejected');
    }
    assert.equal(core.service.calls.length, 1);
  });

  it('tests a rejected operation with one call at a time', async () => {
    const core = await openCore();
    core.service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['pulse'] as const) });
    await fetchFrom(core);
    await core.clock.advance(30_000);
    await fetchFrom(core, LIST);
    void core.upstream.fetch('src_2', { isAwaited: true });
    await core.clock.advance(10);
    assert.ok(!(await fetchFrom(core, 'src_3')).ok);
    assert.equal(core.service.callsAbout('src_3'), 0);
  });

  it('tries the other operation immediately when a 403 shows that the key is valid again', async () => {
    const core = await openFailing({ status: 401 });
    await fetchFrom(core, LIST);
    await core.clock.advance(30_000);
    core.service.ending = ({ about }) => (about === 'list' ? { status: 403 } : undefined);
    await fetchFrom(core, LIST);
    assert.equal(core.key.refusedForMs('pulse'), undefined);
    assert.ok((await fetchFrom(core)).ok);
  });

  it('tries a new key immediately for every operation', async () => {
    const keyFile = { text: KEY_A };
    const core = await openCore({ keyFile });
    core.service.keys.set(KEY_A, { account: 'account A', isRevoked: true });
    for (const target of [LIST, 'src_1']) assert.ok(!(await fetchFrom(core, target)).ok);
    core.service.keys.set(KEY_B, { account: 'account A' });
    keyFile.text = KEY_B;
    await core.clock.advance(5_000);
    for (const target of [LIST, 'src_1']) assert.ok((await fetchFrom(core, target)).ok);
  });

  it('tries the other key immediately if both were rejected before', async () => {
    const keyFile = { text: KEY_A };
    const core = await openCore({ keyFile });
    assert.ok((await fetchFrom(core)).ok);
    core.service.keys.clear();
    for (const text of [KEY_A, KEY_B]) {
      keyFile.text = text;
      await core.key.reload();
      assert.ok(!(await fetchFrom(core)).ok);
      await core.clock.advance(30_000);
    }
    core.service.keys.set(KEY_B, { account: 'account A' });
    assert.ok((await fetchFrom(core)).ok);
    const keys = core.service.calls.map(({ key }) => key);
    assert.deepEqual(keys, [KEY_A, KEY_A, KEY_B, KEY_A, KEY_B]);
  });

  it('rereads the key file immediately and retries the call with the new key', async () => {
    const keyFile = { text: KEY_A };
    const core = await openCore({ keyFile });
    core.service.keys.set(KEY_A, { account: 'account A', isRevoked: true });
    core.service.keys.set(KEY_B, { account: 'account A' });
    keyFile.text = KEY_B;
    assert.ok((await fetchFrom(core)).ok);
    const keys = core.service.calls.map(({ key }) => key);
    assert.deepEqual(keys, [KEY_A, KEY_B]);
  });
});
