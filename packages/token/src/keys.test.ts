import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseTokenKeys, TokenKeysError } from './keys.ts';

const pair = generateKeyPairSync('ed25519');
const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'pair', alg: 'EdDSA', use: 'sig' };
const secret = 'canary-secret-of-32-bytes-and-more';
const octets = { kty: 'oct', kid: 'octets', k: Buffer.alloc(32, 7).toString('base64url') };
const read = (document: unknown) => parseTokenKeys(JSON.stringify(document));

describe('parseTokenKeys()', () => {
  for (const [name, document, algorithms] of [
    ['a JWKS', { keys: [jwk, octets] }, { pair: 'EdDSA', octets: 'HS256' }],
    ['a list of shared secrets', [{ kid: 'a', secret }], { a: 'HS256' }],
    ['both', { keys: [jwk], secrets: [{ kid: 'a', secret }], revoked: ['x'] }, { pair: 'EdDSA', a: 'HS256' }],
  ] as const)
    it(`accepts ${name}`, async () => {
      const { keys } = await read(document);
      assert.deepEqual(Object.fromEntries([...keys].map(([kid, { algorithm }]) => [kid, algorithm])), algorithms);
    });

  it('ignores a byte order mark', async () => {
    assert.equal((await parseTokenKeys(`\uFEFF${JSON.stringify([{ kid: 'a', secret }])}`)).keys.size, 1);
  });

  it('reads a secret’s text as UTF-8 bytes', async () => {
    assert.equal((await read([{ kid: 'a', secret: 'é'.repeat(16) }])).keys.size, 1);
    await assert.rejects(read([{ kid: 'a', secret: 'é'.repeat(15) }]), /at least 32 bytes/);
  });

  const pem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const pemBytes = { ...octets, k: Buffer.from(pem).toString('base64url') };
  const privateJwk = { ...pair.privateKey.export({ format: 'jwk' }), kid: 'a' };
  for (const [name, document, fault] of [
    ['no key', { keys: [] }, 'holds no key'],
    ['a string', 'secret', 'the document: must be an object or a list'],
    ['keys that are no list', { keys: {} }, 'keys: must be a list'],
    ['a key without kid', { keys: [{ ...jwk, kid: undefined }] }, 'keys[0].kid: must be 1 to 128'],
    ['a kid twice', { keys: [jwk], secrets: [{ kid: 'pair', secret }] }, 'secrets[0].kid: is also the kid of another'],
    ['a JWK of 31 bytes', { keys: [{ ...octets, k: octets.k.slice(0, -1) }] }, 'keys[0].k: must be at least'],
    ['no secret', [{ kid: 'a' }], 'secrets[0].secret: must be text'],
    ['a public key for a secret', [{ kid: 'a', secret: pem }], 'secrets[0].secret: must be a shared secret'],
    ['an SSH key for a secret', [{ kid: 'a', secret: `\nssh-ed25519 ${'A'.repeat(60)}` }], 'must be a shared secret'],
    ['a PEM in the bytes of a JWK', { keys: [pemBytes] }, 'keys[0].k: must be a shared secret'],
    ['bytes with padding', { keys: [{ ...octets, k: `${octets.k}=` }] }, 'keys[0].k: must be base64url'],
    ['a private JWK', { keys: [privateJwk] }, 'keys[0].d: must be omitted'],
    ['an RSA key', { keys: [{ kty: 'RSA', kid: 'a', n: 'AQAB', e: 'AQAB' }] }, 'keys[0].kty: must be OKP'],
    ['a key for agreement', { keys: [{ ...jwk, crv: 'X25519' }] }, 'keys[0].crv: must be Ed25519'],
    ['a point that is too short', { keys: [jwk, { ...jwk, kid: 'b', x: 'AAAA' }] }, 'keys[1].x: must be an Ed25519'],
    ['another algorithm', { keys: [{ ...octets, alg: 'HS512' }] }, 'keys[0].alg: must be HS256'],
    ['another algorithm for a pair', { keys: [{ ...jwk, alg: 'ES256' }] }, 'keys[0].alg: must be EdDSA'],
    ['a key for encryption', { keys: [{ ...jwk, use: 'enc' }] }, 'keys[0].use: must be sig'],
    ['a misspelled member', { keys: [jwk], revokd: ['canary'] }, 'the document: may contain only keys'],
    ['a revoked ID that isn’t text', { keys: [jwk], revoked: [1] }, 'revoked[0]: must be'],
  ] as const)
    it(`rejects ${name}, and names the location of the error`, async () => {
      await assert.rejects(read(document), (error: unknown) => {
        assert.ok(error instanceof TokenKeysError);
        assert.ok(error.message.includes(fault), error.message);
        assert.doesNotMatch(error.message, /canary|BEGIN|ssh-/);
        return true;
      });
    });

  it('rejects everything else with a specific error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        await assert.rejects(parseTokenKeys(text), TokenKeysError);
      }),
    );
  });
});
