import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parseTokenKeys, TokenVerifier } from '@pulse-card/token';
import { ConfigError } from '../config.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { mintTokenFor } from './token.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keys = {
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'pair' }],
  secrets: [{ kid: 'a', secret: 'a-canary-secret-of-32-bytes-or-more' }],
};
const PULSE_PUBLIC_URL = 'https://pulse.test';

const keySet = await parseTokenKeys(JSON.stringify(keys));
const verifier = new TokenVerifier({ keySet, audience: PULSE_PUBLIC_URL, wallNow: Date.now });

describe('mintTokenFor()', () => {
  it('uses the first shared secret and the claims from the options', async () => {
    using folder = temporaryFolder();
    const environment = { PULSE_PUBLIC_URL, PULSE_TOKEN_KEYS_FILE: folder.file('keys.json', JSON.stringify(keys)) };
    const token = await mintTokenFor(environment, {
      source: ['src_1'],
      origin: ['https://a.test'],
      subject: 'u',
      lifetime: '60',
    });
    const result = await verifier.verify(token);
    assert.ok(result.ok);
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(exp - iat, 60);
    const granted = [result.access.sources, result.access.origins, result.access.reader];
    assert.deepEqual(granted, [new Set(['src_1']), ['https://a.test'], 'u']);
  });

  it('reads a private key from a pipe', async () => {
    using folder = temporaryFolder();
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const written = writeFile(pipe, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const token = await mintTokenFor({ PULSE_PUBLIC_URL }, { allSources: true, privateKey: pipe, kid: 'pair' });
    await written;
    assert.ok((await verifier.verify(token)).ok);
  });

  for (const [what, options, fault] of [
    ['no sources', {}, /--source or --all-sources/],
    ['no key', { allSources: true }, /^PULSE_TOKEN_KEYS_FILE: is required/],
    ['a private key without kid', { allSources: true, privateKey: '/nowhere' }, /needs --kid/],
    [
      'a missing private key',
      { allSources: true, privateKey: '/nowhere', kid: 'a' },
      /^--private-key: the file can’t be/,
    ],
  ] as const)
    it(`rejects ${what}`, () =>
      assert.rejects(mintTokenFor({}, options), (error) => error instanceof ConfigError && fault.test(error.message)));

  it('rejects a kid without a shared secret, an invalid source ID, and a lifetime that is too long', async () => {
    using folder = temporaryFolder();
    const environment = { PULSE_TOKEN_KEYS_FILE: folder.file('keys.json', JSON.stringify(keys)) };
    const withPair = mintTokenFor(environment, { allSources: true, kid: 'pair' });
    await assert.rejects(withPair, /contains no shared secret "pair"/);
    await assert.rejects(mintTokenFor(environment, { source: ['../x'] }), /sources must be/);
    await assert.rejects(
      mintTokenFor(environment, { allSources: true, lifetime: '601' }),
      / --lifetime must be .+ from 1 to 600, got 601$/,
    );
  });
});
