import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ConfigError } from '../config/config.ts';
import { readSecretLine } from '../config/secret-file.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const faultAt = (path: string): Promise<string> =>
  readSecretLine('REDIS_URL_FILE', path).then(
    () => assert.fail('it was read'),
    (error: unknown) => (error instanceof ConfigError ? error.faults.join() : assert.fail(String(error))),
  );

describe('readSecretLine()', () => {
  it('returns the only line without its line break', async () => {
    using folder = temporaryFolder();
    for (const text of ['canary', 'canary\n', 'canary\r\n'])
      assert.equal(await readSecretLine('REDIS_URL_FILE', folder.file('secret', text)), 'canary');
  });

  for (const [text, fault] of [
    ['', 'the file is empty'],
    [' \n', 'the file is empty'],
    ['canary\ncanary\n', 'the file must have only one line'],
  ] as const)
    it(`reports for the text ${JSON.stringify(text)}: ${fault}`, async () => {
      using folder = temporaryFolder();
      assert.equal(await faultAt(folder.file('secret', text)), `REDIS_URL_FILE: ${fault}`);
    });

  it('distinguishes between a missing file, a folder, and a file that can’t be read', async () => {
    using folder = temporaryFolder();
    assert.equal(await faultAt(`${folder.path}/none`), `REDIS_URL_FILE: there is no such file: ${folder.path}/none`);
    assert.equal(await faultAt(folder.path), 'REDIS_URL_FILE: this is a folder; give the path of a file');
    const secret = folder.file('secret', 'canary');
    chmodSync(secret, 0);
    // Root may read any file.
    if (process.getuid?.() !== 0)
      assert.match(await faultAt(secret), /this process is not allowed to read the file \(user \d+\)/);
  });

  it('doesn’t repeat a relative path, which could be the secret itself', async () =>
    assert.equal(
      await faultAt('rediss://:canary@redis.test'),
      `REDIS_URL_FILE: there is no such file; the path is relative to ${process.cwd()}`,
    ));
});
