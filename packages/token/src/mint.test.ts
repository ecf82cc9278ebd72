import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseTokenKeys } from './keys.ts';
import { type MintingKey, mintToken } from './mint.ts';
import { TokenVerifier } from './verify.ts';

const secret = 'canary-secret-of-32-bytes-and-more';
const { privateKey } = generateKeyPairSync('ed25519');
const audience = 'https://pulse.test/cards';
const keySet = await parseTokenKeys(
  JSON.stringify({
    keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'pair' }],
    secrets: [{ kid: 'shared', secret }],
  }),
);
const verifier = new TokenVerifier({ keySet, audience, wallNow: Date.now });
const shared: MintingKey = { kid: 'shared', secret };
const use = { audience, sources: ['src_1'] };

describe('mintToken()', () => {
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  for (const [name, key] of [
    ['a private key', privateKey],
    ['a private key as PEM', pem],
  ] as const)
    it(`mints a token with ${name} that the BFF accepts`, async () => {
      const result = await verifier.verify(await mintToken({ kid: 'pair', privateKey: key }, use));
      assert.ok(result.ok, inspect(result));
    });

  it('mints a token that the BFF accepts, with exactly the given claims', async () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[\w~-][\w.~-]{0,20}$/), { maxLength: 20 });
    const life = fc.integer({ min: 1, max: 600 });
    await fc.assert(
      fc.asyncProperty(ids, life, async (sources, lifeSeconds) => {
        const origins = ['https://portal.test'];
        const token = await mintToken(shared, { audience: `${audience}/`, sources, origins, lifeSeconds });
        const result = await verifier.verify(token);
        assert.ok(result.ok, inspect(result));
        assert.deepEqual([result.access.sources, result.access.origins], [new Set(sources), origins]);
        const { iat, exp } = claimsOf(token);
        assert.equal(Number(exp) - Number(iat), lifeSeconds);
      }),
    );
  });

  it('includes the reader if one is given', async () => {
    assert.equal(claimsOf(await mintToken(shared, { ...use, subject: 'user-7' }))['sub'], 'user-7');
    assert.ok(!('sub' in claimsOf(await mintToken(shared, use))));
  });

  it('mints tokens that are valid for 300 s unless a lifetime is given', async () => {
    const { iat, exp } = claimsOf(await mintToken(shared, use));
    assert.equal(Number(exp) - Number(iat), 300);
  });

  it('gives each token a different ID if no ID is set', async () => {
    const jtiOf = async (more = {}) => claimsOf(await mintToken(shared, { ...use, ...more }))['jti'];
    assert.notEqual(await jtiOf(), await jtiOf());
    assert.equal(await jtiOf({ jti: 'session-7' }), 'session-7');
  });

  const publicKey = createPublicKey(privateKey);
  const ids = Array.from({ length: 200 }, (_, at) => `src_01JZ8R2M00000000000000${at}`);
  for (const [name, key, fault] of [
    ['no key', undefined, /kid must be/],
    ['no kid', { kid: '', secret }, /kid must be/],
    ['no secret', { kid: 'a' }, /secret must be/],
    ['a short secret', { kid: 'a', secret: 'canary' }, /at least 32 bytes/],
    ['a number for a secret', { kid: 'a', secret: 7_777_777 }, /secret must be text or bytes$/],
    ['a public key', { kid: 'a', privateKey: publicKey }, /Ed25519/],
    ['text that isn’t a key', { kid: 'a', privateKey: secret }, /Ed25519/],
  ] as const)
    it(`rejects ${name} without revealing the secret`, async () => {
      const isFault = ({ message }: Error) => fault.test(message) && !message.includes('canary');
      await assert.rejects(mintToken(key as never, use), isFault);
    });

  for (const [name, more, fault] of [
    ['no URL', { audience: 'pulse' }, /audience/],
    ['what isn’t a source', { sources: ['..'] }, /sources must be/],
    ['an empty subject', { subject: '' }, /subject must be/],
    ['an origin with a path', { origins: ['https://a.test/'] }, /origins must be/],
    ['an empty list of origins', { origins: [] }, /origins must be/],
    ['a number as jti', { jti: 7 }, /jti must be/],
    ['a life of 0 s', { lifeSeconds: 0 }, /got 0/],
    ['a life of 601 s', { lifeSeconds: 601 }, /got 601/],
    ['a life of no whole seconds', { lifeSeconds: 1.5 }, /got 1.5/],
    ['more than a header holds', { sources: ids }, /too many/],
  ] as const)
    it(`rejects ${name}`, () => assert.rejects(mintToken(shared, { ...use, ...more } as never), fault));
});

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
