import assert from 'node:assert/strict';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ConfigError } from '../../config/config.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { openKeyFile } from './key-file.ts';

const KEY = 'canary-key-0123456789';

async function openAt(path: string) {
  const [clock, warnings] = [createVirtualClock(), [] as string[]];
  const warn = (message: string) => warnings.push(message);
  const keyRing = await openKeyFile(path, { clock, reloadMs: 5_000, warn });
  return { keyRing, clock, warnings };
}

const faultAt = (path: string): Promise<string> =>
  openAt(path).then(
    () => assert.fail('it was read'),
    (error: unknown) => (error instanceof ConfigError ? error.faults.join() : assert.fail(String(error))),
  );

describe('openKeyFile()', () => {
  for (const [what, text, fault] of [
    ['an empty file', '\n', 'the file is empty'],
    ['two lines', `${KEY}\n${KEY}\n`, 'the file must have only one line'],
    ['a short key', 'canary\n', 'the key is too short; it must have at least 8 characters'],
    ['a long key', 'canary'.repeat(50), 'the key is too long; it must have at most 256 characters'],
    ['a space in the key', 'canary key\n', 'the key contains a space or another character that is not visible ASCII'],
    [
      'quotes from a word processor',
      '“canary-key”',
      'the key contains a space or another character that is not visible ASCII',
    ],
  ] as const)
    it(`T-10: says what is wrong with ${what}, without quoting the file`, async () => {
      using folder = temporaryFolder();
      assert.equal(await faultAt(folder.file('key', text)), `PULSE_API_KEY_FILE: ${fault}`);
    });

  it('reports a missing file, and a folder instead of a file', async () => {
    using folder = temporaryFolder();
    assert.equal(
      await faultAt(`${folder.path}/none`),
      `PULSE_API_KEY_FILE: there is no such file: ${folder.path}/none`,
    );
    assert.equal(await faultAt(folder.path), 'PULSE_API_KEY_FILE: this is a folder; give the path of a file');
  });

  it('warns once if a container’s mount still shows the old file after it was replaced', async () => {
    using folder = temporaryFolder();
    const path = folder.file('key', KEY);
    // This path still refers to the old file after the file was replaced, like a path in a container.
    const mounted = openSync(path, 'r');
    try {
      const { keyRing, clock, warnings } = await openAt(`/proc/self/fd/${mounted}`);
      await clock.advance(5_000);
      assert.deepEqual(warnings, []);
      unlinkSync(path);
      await clock.advance(5_000);
      await keyRing.refused(keyRing.current());
      await clock.advance(5_000);
      await keyRing.refused(keyRing.current());
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', /^PULSE_API_KEY_FILE: the file was replaced, .+ Mount its folder/);
      keyRing.close();
    } finally {
      closeSync(mounted);
    }
  });
});
