import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseTokenKeys } from './keys.ts';
import { type MintingKey, mintToken } from './mint.ts';
import { AccessGrant, TokenVerifier } from './verify.ts';

const secret = 'canary-secret-of-32-bytes-and-more';
const { privateKey } = generateKeyPairSync('ed25519');
const audience = 'https://pulse.test/cards';
const keySet = await parseTokenKeys(
  JSON.stringify({
    keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'pair' }],
    secrets: [{ kid: 'shared', secret }],
  }),
);
const verifier = new TokenVerifier({ keySet: () => keySet, audience, wallNow: Date.now });
const shared: MintingKey = { kid: 'shared', secret };

describe('mintToken()', () => {
  const keys: Record<string, MintingKey> = {
    'a shared secret': shared,
    'a private key': { kid: 'pair', privateKey },
    'a private key as PEM': { kid: 'pair', privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() },
  };
  for (const [name, key] of Object.entries(keys)) {
    it(`mints with ${name} what the BFF takes`, async () => {
      const accessGrant = await verifier.verify(await mintToken(key, { audience, sources: ['src_1'] }));
      assert.ok(accessGrant instanceof AccessGrant, inspect(accessGrant));
      assert.deepEqual([accessGrant.allowsSource('src_1'), accessGrant.allowsSource('src_2')], [true, false]);
    });
  }

  it('mints, for whatever it is asked, a token that the BFF takes, with just that in it', async () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[\w~-][\w.~-]{0,20}$/), { maxLength: 20 });
    const life = fc.integer({ min: 1, max: 600 });
    await fc.assert(
      fc.asyncProperty(ids, life, async (sources, lifeSeconds) => {
        const origins = ['https://portal.test'];
        const token = await mintToken(shared, { audience: `${audience}/`, sources, origins, lifeSeconds });
        const accessGrant = await verifier.verify(token);
        assert.ok(accessGrant instanceof AccessGrant, inspect(accessGrant));
        assert.ok(sources.every((id) => accessGrant.allowsSource(id)) && !accessGrant.allowsSource('another-one'));
        assert.ok(accessGrant.allowsOrigin(origins) && !accessGrant.allowsOrigin(['https://evil.test']));
      }),
    );
  });

  it('names who reads, where it is told', async () => {
    const use = { audience, sources: ['src_1'] };
    assert.equal(claimsOf(await mintToken(shared, { ...use, subject: 'user-7' }))['sub'], 'user-7');
    assert.ok(!('sub' in claimsOf(await mintToken(shared, use))));
  });

  it('names each token differently, unless told', async () => {
    const jtiOf = (token: string): unknown => claimsOf(token)['jti'];
    const use = { audience, sources: ['src_1'] };
    assert.notEqual(jtiOf(await mintToken(shared, use)), jtiOf(await mintToken(shared, use)));
    assert.equal(jtiOf(await mintToken(shared, { ...use, jti: 'session-7' })), 'session-7');
  });

  const use = { audience, sources: ['src_1'] };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const refused: readonly (readonly [name: string, mint: () => Promise<string>, fault: RegExp])[] = [
    ['a short secret', () => mintToken({ kid: 'a', secret: 'canary' }, use), /at least 32 bytes/],
    ['no kid', () => mintToken({ kid: '', secret }, use), /kid/],
    ['an RSA key', () => mintToken({ kid: 'a', privateKey: rsa }, use), /Ed25519/],
    ['a public key', () => mintToken({ kid: 'a', privateKey: createPublicKey(privateKey) }, use), /Ed25519/],
    ['a text that is no key', () => mintToken({ kid: 'a', privateKey: secret }, use), /Ed25519/],
    ['no address', () => mintToken(shared, { ...use, audience: 'pulse' }), /audience/],
    ['what is no source', () => mintToken(shared, { ...use, sources: ['..'] }), /sources/],
    ['no sources at all', () => mintToken(shared, { audience } as never), /sources must be/],
    [
      'sources in a Set',
      () => mintToken(shared, { audience, sources: new Set(['src_1']) as never }),
      /sources must be/,
    ],
    ['an empty subject', () => mintToken(shared, { ...use, subject: '' }), /subject must be/],
    ['a number as subject', () => mintToken(shared, { ...use, subject: 7 as never }), /subject must be/],
    ['an origin with a path', () => mintToken(shared, { ...use, origins: ['https://a.test/'] }), /origins/],
    ['a wildcard', () => mintToken(shared, { ...use, origins: ['https://*.a.test'] }), /origins/],
    ['no origin', () => mintToken(shared, { ...use, origins: [] }), /origins/],
    ['null for origins', () => mintToken(shared, { ...use, origins: null as never }), /origins must be/],
    [
      'one origin in place of a list',
      () => mintToken(shared, { ...use, origins: 'https://a.test' as never }),
      /origins/,
    ],
    ['a number as jti', () => mintToken(shared, { ...use, jti: 7 as never }), /jti must be/],
    [
      'a number as secret',
      () => mintToken({ kid: 'a', secret: 7_777_777 as never }, use),
      /secret must be text or bytes$/,
    ],
    ['no secret', () => mintToken({ kid: 'a' } as never, use), /secret must be/],
    ['no key', () => mintToken(undefined as never, use), /kid must be/],
    ['a life of 601 s', () => mintToken(shared, { ...use, lifeSeconds: 601 }), /got 601/],
    ['a life of no whole seconds', () => mintToken(shared, { ...use, lifeSeconds: 1.5 }), /got 1.5/],
    ['more than a header holds', () => mintToken(shared, { ...use, sources: ids(200) }), /too many/],
  ];
  for (const [name, mint, fault] of refused) {
    it(`refuses ${name}, and shows no secret`, async () => {
      await assert.rejects(mint(), (error: Error) => fault.test(error.message) && !error.message.includes('canary'));
    });
  }
});

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `src_01JZ8R2M00000000000000${at}`);
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
