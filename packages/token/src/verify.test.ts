import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseTokenKeys } from './keys.ts';
import { AUDIENCE, forge, forgedTokens, goodTokens, KEYS_FILE, tokenAt } from './testing/forged-tokens.ts';
import { AccessGrant, TokenVerifier } from './verify.ts';

const NOW_SECONDS = 1_780_000_000;
const tokenOf = (claims?: object): string => tokenAt(NOW_SECONDS, claims);

const keySet = await parseTokenKeys(KEYS_FILE);
const revoking = await parseTokenKeys(KEYS_FILE.replace('taken-back', 'jti-1'));

/** A verifier whose clock and keys a test can change. */
function openVerifier() {
  const world = { nowMs: NOW_SECONDS * 1_000, keySet };
  const verifier = new TokenVerifier({ keySet: () => world.keySet, audience: AUDIENCE, wallNow: () => world.nowMs });
  return { world, verifier };
}

const verify = (token: string) => openVerifier().verifier.verify(token);

describe('TokenVerifier (T-33, T-34)', () => {
  it('grants the sources and origins that the token lists, and no others', async () => {
    const grant = await verify(tokenOf({ origins: ['https://a.test', 'https://b.test'] }));
    assert.ok(grant instanceof AccessGrant);
    assert.deepEqual(
      ['src_1', 'src_2', '*'].map((id) => grant.allowsSource(id)),
      [true, false, false],
    );
    assert.deepEqual(
      [['https://b.test'], ['https://c.test'], []].map((origins) => grant.allowsOrigin(origins)),
      [true, false, false],
    );
  });

  for (const [name, token] of Object.entries(goodTokens(NOW_SECONDS)))
    it(`accepts ${name}`, async () => assert.ok((await verify(token)) instanceof AccessGrant));

  for (const [name, token] of Object.entries(forgedTokens(NOW_SECONDS)))
    it(`rejects ${name}`, async () => assert.equal(typeof (await verify(token)), 'string'));

  // The tests of `explainToken()` cover the other reasons.
  for (const [name, reason] of Object.entries({
    'HS256 with the public key for a secret': 'algorithm',
    'another secret': 'signature',
    'a crit that is not known': 'header',
    'no jti': 'claims',
    'a life of ten years': 'life',
    'an nbf still to come': 'times',
    padding: 'malformed',
    'more than 4,096 characters': 'too_long',
  }))
    it(`returns the reason for ${name}: ${reason}`, async () =>
      assert.equal(await verify(forgedTokens(NOW_SECONDS)[name] ?? ''), reason));

  it('remembers a verified token until 30 s after its expiry', async () => {
    const { verifier, world } = openVerifier();
    const token = tokenOf();
    assert.equal(verifier.known(token), undefined);
    const grant = await verifier.verify(token);
    world.nowMs = (NOW_SECONDS + 330) * 1_000 - 1;
    assert.equal(verifier.known(token), grant);
    world.nowMs += 1;
    assert.equal(verifier.known(token), undefined);
    assert.equal(await verifier.verify(token), 'times');
  });

  it('remembers at most 10,000 tokens', async () => {
    const { verifier } = openVerifier();
    const tokens = Array.from({ length: 10_001 }, (_, at) => tokenOf({ jti: `jti-${at}` }));
    for (const token of tokens) await verifier.verify(token);
    assert.equal(verifier.known(tokens[0] ?? ''), undefined);
    assert.ok(verifier.known(tokens[1] ?? '') && verifier.known(tokens[10_000] ?? ''));
  });

  it('forgets all verified tokens when the keys change', async () => {
    const { verifier, world } = openVerifier();
    assert.ok((await verifier.verify(tokenOf())) instanceof AccessGrant);
    world.keySet = revoking;
    assert.equal(verifier.known(tokenOf()), undefined);
    assert.equal(await verifier.verify(tokenOf()), 'revoked');
  });

  it('doesn’t remember a token that was verified while the keys changed', async () => {
    const { verifier, world } = openVerifier();
    const verified = verifier.verify(tokenOf());
    world.keySet = revoking;
    await verified;
    assert.equal(verifier.known(tokenOf()), undefined);
  });

  it('rejects a token if any character is changed', async () => {
    const { verifier } = openVerifier();
    const good = tokenOf();
    const characters = 'ABCXYZabcxyz0189-_.=+/ \n'.split('');
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.constantFrom(...characters), async (at, character) => {
        fc.pre(good[at] !== character);
        assert.equal(typeof (await verifier.verify(good.slice(0, at) + character + good.slice(at + 1))), 'string');
      }),
    );
  });

  it('rejects everything else, and never throws', async () => {
    const { verifier } = openVerifier();
    const anything = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((json) => forge(json, json)),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        assert.equal(typeof (await verifier.verify(text)), 'string');
      }),
    );
  });

  it('accepts lifetimes up to 600 s, and clocks that differ by up to 30 s', async () => {
    const { verifier } = openVerifier();
    const issuedIn = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(29, 30, 31, 119));
    const lifeOf = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(0, 1, 599, 600, 601));
    await fc.assert(
      fc.asyncProperty(issuedIn, lifeOf, async (issued, life) => {
        const times = { iat: NOW_SECONDS + issued, exp: NOW_SECONDS + issued + life };
        const result = await verifier.verify(tokenOf(times));
        const isGood = life > 0 && life <= 600 && issued <= 30 && issued + life > -30;
        assert.equal(result instanceof AccessGrant, isGood, `iat ${issued}, life ${life}: ${inspect(result)}`);
        assert.ok(!isGood || issued + life <= 630);
      }),
    );
  });
});
