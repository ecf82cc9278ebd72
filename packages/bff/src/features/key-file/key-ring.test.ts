import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import { type VirtualClock, createVirtualClock, settled } from '../../testing/virtual-clock.ts';
import type { KeyFile } from './key-file-reader.ts';
import { KeyRing } from './key-ring.ts';
import { ApiKey } from '../../lib/api-key.ts';

const OLD = 'old_key_0123456789';
const NEW = 'new_key_0123456789';

function openRing(file: KeyFile): KeyRing {
  return new KeyRing(ApiKey.from(OLD)!, file);
}

function valueOf(key: ApiKey): string | undefined {
  return Object.values(key.header())[0];
}

describe('KeyRing', () => {
  /** The content of the file; undefined if the file is missing. */
  let text: string | Promise<string> | undefined;
  /** Why the file can't be read. */
  let code: string;
  let clock: VirtualClock;
  let keyRing: KeyRing;
  /** The key in use at startup, which the service has accepted. */
  let old: ApiKey;
  let warnings: string[];

  const read = async (): Promise<string> => text ?? Promise.reject(Object.assign(new Error('none'), { code }));
  const inUse = (): string | undefined => valueOf(keyRing.current());

  beforeEach(async () => {
    [text, code, clock, warnings] = [`${OLD}\n`, 'ENOENT', createVirtualClock(), []];
    keyRing = openRing({ clock, reloadMs: 5_000, warn: (message) => warnings.push(message), read });
    old = keyRing.current();
    keyRing.accepted(old);
  });

  afterEach(() => keyRing.close());

  /** Changes the content of the file, and waits until it has been read. */
  async function write(content: string | undefined): Promise<void> {
    text = content;
    await clock.advance(5_000);
  }

  for (const [state, content, reason] of [
    ['missing', undefined, 'ENOENT'],
    ['unreadable', undefined, 'EACCES'],
    ['empty', ' \n', ''],
    ['invalid', 'with blanks in it', ''],
  ] as const)
    it(`has the state "${state}" if the file is ${state}`, async () => {
      code = reason;
      await write(content);
      assert.equal(keyRing.status()?.state, state);
      await write(OLD);
      assert.equal(keyRing.status()?.state, 'in_use');
    });

  it('logs one line when the service accepts a new key, and counts accepted keys', async () => {
    await write(NEW);
    assert.deepEqual([keyRing.status(), warnings], [{ state: 'untried', takenOver: 0 }, []]);
    keyRing.accepted(keyRing.current());
    keyRing.accepted(keyRing.current());
    assert.deepEqual(keyRing.status(), { state: 'in_use', takenOver: 1 });
    assert.deepEqual(warnings, ['The service accepts the new key: you can now revoke the previous key']);
  });

  for (const content of ['', 'short', 'two\nlines_of_key', 'with blanks in it', 'ключ_из_букв', undefined])
    it(`keeps the key if the file contains ${JSON.stringify(content) ?? 'nothing'}, and doesn’t log the content`, async () => {
      await write(content);
      assert.equal(inUse(), OLD);
      assert.doesNotMatch(warnings.join(), /old_key|with blanks|two/);
    });

  it('reads the file again if the key is rejected during a read', async () => {
    const slow = Promise.withResolvers<string>();
    const reads = [slow.promise, Promise.resolve(NEW)];
    const file = { clock, reloadMs: 5_000, warn: () => {}, read: () => reads.shift() ?? Promise.resolve(NEW) };
    const ring = openRing(file);
    ring.accepted(ring.current());
    await clock.advance(5_000);
    const isReplaced = ring.refused(ring.current());
    slow.resolve(OLD);
    assert.equal(await isReplaced, true);
    assert.equal(valueOf(ring.current()), NEW);
    ring.close();
  });

  it('waits at most one second for the file when the key is rejected', async () => {
    text = new Promise<never>(() => {});
    const isReplaced = keyRing.refused(old);
    await clock.advance(1_000);
    assert.equal(await Promise.race([isReplaced, settled().then(() => 'still waiting')]), false);
  });

  it('doesn’t offer another key if the file contains the rejected key', async () => {
    assert.equal(await keyRing.refused(old), false);
  });

  it('allows a retry of a call that used the previous key', async () => {
    await write(NEW);
    assert.equal(await keyRing.refused(old), true);
    assert.equal(inUse(), NEW);
  });

  describe('when the new key is rejected and the old key worked', () => {
    beforeEach(async () => {
      await write(NEW);
      assert.equal(await keyRing.refused(keyRing.current()), true);
    });

    it('stays in the "refused" state until the file contains another key', async () => {
      assert.equal(keyRing.status()?.state, 'refused');
      await write(OLD);
      assert.equal(keyRing.status()?.state, 'in_use');
      await clock.advance(60_000);
      assert.equal(inUse(), OLD);
    });

    it('retries the new key after a minute', async () => {
      await clock.advance(55_000);
      assert.equal(inUse(), OLD);
      await clock.advance(5_000);
      assert.equal(inUse(), NEW);
    });

    it('drops the old key once the new key is accepted', async () => {
      await clock.advance(60_000);
      const key = keyRing.current();
      keyRing.accepted(key);
      assert.equal(await keyRing.refused(key), false);
      assert.equal(inUse(), NEW);
    });

    it('uses a third key from the file immediately', async () => {
      await write('third_key_0123456789');
      assert.equal(inUse(), 'third_key_0123456789');
    });
  });
});

const VALUE = 'CANARYk3y_0123456789';

describe('ApiKey (T-01, T-10)', () => {
  it('reveals its value only in a header', () => {
    const key = ApiKey.from(VALUE);
    assert.ok(key);
    assert.deepEqual(key.header(), { 'X-API-Key': VALUE });
    const displayed = [
      String(key),
      JSON.stringify({ key }),
      inspect({ key }, { depth: 9, showHidden: true }),
      format('%s %o %j', key, key, key),
      Object.entries(key).join(),
      inspect(new Error('x', { cause: key })),
    ];
    for (const text of displayed) assert.doesNotMatch(text, /CANARY/);
  });

  it('accepts one line break after the key', () => {
    for (const text of [`${VALUE}\n`, `${VALUE}\r\n`])
      assert.ok(ApiKey.from(text)?.equals(ApiKey.from(VALUE) as ApiKey));
  });

  it('accepts only one line of visible ASCII', () => {
    const bad = ['', 'short', `${VALUE}\n\n`, `${VALUE}\r\nX: y`, `${VALUE} é`, 'x'.repeat(257), `\u0000${VALUE}`];
    for (const text of bad) assert.equal(ApiKey.from(text), undefined);
  });
});
