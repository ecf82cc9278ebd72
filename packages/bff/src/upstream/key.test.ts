import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiKey } from '../lib/api-key.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createVirtualClock, settled } from '../testing/virtual-clock.ts';
import { Key, openKey } from './key.ts';
import type { Operation } from './target.ts';

const [A, B, C] = ['key-number-a', 'key-number-b', 'key-number-c'];

function keyOf(text: string): ApiKey {
  return ApiKey.from(text) ?? assert.fail('not a key');
}

/** A key file with key A, which the service has accepted for these operations. */
function openFile(operations: readonly Operation[] = ['sources', 'pulse']) {
  const clock = createVirtualClock();
  const file = { text: A as string | Error };
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) > 0 };
  /** What the next reads return, instead of the file's text. */
  const reads: Promise<string>[] = [];
  const read = async (): Promise<Buffer> => {
    const text = (await reads.shift()) ?? file.text;
    if (text instanceof Error) throw text;
    return Buffer.from(text);
  };
  const key = new Key(keyOf(A), { clock, log, read }, { path: '/nowhere/key', reloadMs: 5_000 });
  for (const operation of operations) key.accepted(keyOf(A), operation);
  const used = () => (['sources', 'pulse'] as const).map((operation) => key.current(operation).reveal());
  return { clock, file, key, warnings, used, reads };
}

describe('Key', () => {
  it('uses a new key in the file for the next call and reports when the previous one can be revoked', async () => {
    const { clock, file, key, warnings, used } = openFile();
    let changes = 0;
    key.onChange(() => (changes += 1));
    file.text = `\uFEFF${B}\r\n`;
    await clock.advance(5_000);
    assert.deepEqual([used(), changes, key.status()?.state], [[B, B], 1, 'untried']);
    assert.deepEqual(warnings, []);
    for (const accepted of [B, A]) key.accepted(keyOf(accepted), 'pulse');
    assert.deepEqual(key.status(), { state: 'in_use', takenOver: 1 });
    assert.match(warnings.join(), /revoke the previous key/);
  });

  it('falls back to the working key if the new one is rejected, and tries the new one again after a minute', async () => {
    const { clock, file, key, used } = openFile();
    file.text = B;
    await clock.advance(5_000);
    assert.equal(await key.rejected(keyOf(B), 'pulse', 401), true);
    assert.deepEqual([used(), key.status()?.state], [[A, A], 'refused']);
    await clock.advance(59_999);
    assert.deepEqual(used(), [A, A]);
    await clock.advance(1);
    assert.deepEqual(used(), [B, B]);
  });

  it('doesn’t block pulses, for which an earlier key works, if a new key is rejected for the list', async () => {
    const { clock, file, key } = openFile(['pulse']);
    file.text = B;
    await clock.advance(5_000);
    assert.equal(await key.rejected(keyOf(B), 'sources', 401), false);
    assert.deepEqual([key.blocks('sources')?.code, key.blocks('pulse')], ['key_rejected', undefined]);
    key.accepted(keyOf(A), 'pulse');
    assert.deepEqual([key.acceptance().state, key.acceptance().missingScope], ['refused', 'sources:read']);
  });

  it('chooses the key for each operation separately', async () => {
    const { clock, file, key, used } = openFile();
    file.text = B;
    await clock.advance(5_000);
    await key.rejected(keyOf(B), 'sources', 403);
    key.accepted(keyOf(B), 'pulse');
    assert.deepEqual([used(), key.status()?.state], [[A, B], 'refused']);
    assert.equal(await key.rejected(keyOf(A), 'sources', 401), true);
    assert.deepEqual(used(), [B, B]);
    assert.equal(await key.rejected(keyOf(B), 'sources', 403), false);
    assert.equal(key.rejectedSince, undefined, 'pulses can still be read');
  });

  it('never replaces newer content with the result of an older read', async () => {
    const { key, used, reads } = openFile();
    reads.push(
      settled().then(() => B),
      Promise.resolve(C),
    );
    await Promise.all([key.reload(), key.reload()]);
    assert.deepEqual(used(), [C, C]);
  });

  it('waits at most a second for a file that can’t be read in time', async () => {
    const { clock, key, reads } = openFile();
    reads.push(new Promise(() => {}));
    const reloaded = key.reload().then(() => clock.now());
    const startedAt = clock.now();
    await clock.advance(1_000);
    assert.equal(await reloaded, startedAt + 1_000);
  });

  it('uses a key for everything again once the service accepts it', async () => {
    const { file, key, used } = openFile();
    await key.rejected(keyOf(A), 'pulse', 401);
    key.accepted(keyOf(A), 'sources');
    assert.equal(key.blocks('pulse'), undefined);
    key.accepted(keyOf(A), 'pulse');
    file.text = B;
    await key.reload();
    await key.rejected(keyOf(B), 'pulse', 401);
    assert.deepEqual(used(), [A, A]);
  });

  it('counts from the first rejection if both operations are rejected', async () => {
    const { clock, key } = openFile();
    const rejectedAt = clock.now();
    await key.rejected(keyOf(A), 'sources', 403);
    await clock.advance(1_000);
    await key.rejected(keyOf(A), 'pulse', 403);
    assert.equal(key.rejectedSince, rejectedAt);
  });

  for (const [state, text] of [
    ['missing', Object.assign(new Error('gone'), { code: 'ENOENT' })],
    ['unreadable', Object.assign(new Error('no'), { code: 'EACCES' })],
    ['empty', ' \n'],
    ['invalid', 'two words'],
  ] as const)
    it(`keeps the last key while the file is ${state}`, async () => {
      const { clock, file, key, used } = openFile();
      file.text = text;
      await clock.advance(5_000);
      assert.deepEqual([used(), key.status()?.state], [[A, A], state]);
      file.text = C;
      await key.reload();
      assert.deepEqual(used(), [C, C]);
    });

  it('has a name that doesn’t reveal the key', () => {
    const { key } = openFile();
    assert.ok(!key.name.includes(A) && key.name.length === 22);
    assert.equal(key.name, keyOf(A).name);
  });
});

describe('openKey()', () => {
  const options = { clock: createVirtualClock(), log: { warn: () => true } };

  it('reports what’s wrong with a file without revealing its contents', async () => {
    using folder = temporaryFolder();
    const open = (text: string) =>
      openKey({ apiKey: undefined, apiKeyFile: folder.file('key', text), keyReloadMs: 5_000 }, options);
    for (const [text, reason] of [
      ['seven-7', /8 to 256 visible ASCII/],
      ['x'.repeat(300), /8 to 256 visible ASCII/],
      ['secret words', /8 to 256 visible ASCII/],
      ['', /empty/],
      ['two-lines\nof-a-key', /one line/],
    ] as const) {
      await assert.rejects(open(text), (error: Error) => {
        assert.match(error.message, reason);
        return text === '' || !error.message.includes(text);
      });
    }
    const key = await open(`\uFEFF${B}\n`);
    assert.deepEqual([key.current().reveal(), key.status()?.state], [B, 'untried']);
    key.close();
  });
});
