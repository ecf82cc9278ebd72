import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { AUDIENCE, forge, forgedTokens, goodParts, goodTokens, KEYS_FILE } from '../testing/forged-tokens.ts';
import { AccessGrant, TokenVerifier, hasDuplicateKeys } from './token-verifier.ts';
import { parseTokenKeys } from './token-key-set.ts';

const NOW_SECONDS = 1_780_000_000;

/** A verifier whose clock and ring a test can move. */
function openVerifier() {
  const world = { nowMs: NOW_SECONDS * 1_000, keySet: parseTokenKeys(KEYS_FILE) };
  const verifier = new TokenVerifier({ keySet: () => world.keySet, audience: AUDIENCE, wallNow: () => world.nowMs });
  return { world, verifier };
}

describe('TokenVerifier (T-33, T-34)', () => {
  describe('takes a token with', () => {
    for (const [name, token] of Object.entries(goodTokens(NOW_SECONDS))) {
      it(name, async () => {
        const accessGrant = await openVerifier().verifier.verify(token);
        assert.ok(accessGrant instanceof AccessGrant && accessGrant.allowsSource('src_1'), inspect(accessGrant));
      });
    }
  });

  describe('refuses a token with', () => {
    for (const [name, token] of Object.entries(forgedTokens(NOW_SECONDS))) {
      it(name, async () => {
        const { verifier } = openVerifier();
        assert.equal(typeof (await verifier.verify(token)), 'string');
        assert.equal(verifier.known(token), undefined);
      });
    }
  });

  const good = goodTokens(NOW_SECONDS)['a shared secret'] ?? '';

  it('grants the sources and origins that the token names, and no others', async () => {
    const { shared, claims } = goodParts(NOW_SECONDS);
    const origins = ['https://a.test', 'https://b.test'];
    const accessGrant = await openVerifier().verifier.verify(forge(shared, { ...claims, origins }));
    assert.ok(accessGrant instanceof AccessGrant);
    assert.deepEqual(
      [accessGrant.allowsSource('src_1'), accessGrant.allowsSource('src_2'), accessGrant.allowsSource('*')],
      [true, false, false],
    );
    assert.deepEqual(
      [accessGrant.allowsOrigin(['https://b.test']), accessGrant.allowsOrigin(['https://c.test'])],
      [true, false],
    );
    assert.equal(accessGrant.allowsOrigin([]), false);
  });

  it('remembers a token that it verified, until 120 s after its end', async () => {
    const { verifier, world } = openVerifier();
    assert.equal(verifier.known(good), undefined);
    const accessGrant = await verifier.verify(good);
    assert.equal(verifier.known(good), accessGrant);
    world.nowMs = (NOW_SECONDS + 300 + 120) * 1_000 - 1;
    assert.equal(verifier.known(good), accessGrant);
    world.nowMs += 1;
    assert.equal(verifier.known(good), undefined);
    assert.equal(await verifier.verify(good), 'times');
  });

  it('forgets all that it verified when the keys change', async () => {
    const { verifier, world } = openVerifier();
    await verifier.verify(good);
    world.keySet = parseTokenKeys(KEYS_FILE.replace('taken-back', 'jti-1'));
    assert.equal(verifier.known(good), undefined);
    assert.equal(await verifier.verify(good), 'revoked');
  });

  it('grants for as long as the token is not taken back and its key is there', async () => {
    const { verifier, world } = openVerifier();
    const accessGrant = await verifier.verify(good);
    assert.ok(accessGrant instanceof AccessGrant && accessGrant.holds());
    world.keySet = parseTokenKeys(KEYS_FILE.replace('taken-back', 'jti-1'));
    assert.equal(accessGrant.holds(), false);
    world.keySet = { keys: new Map(), revoked: new Set() };
    assert.equal(accessGrant.holds(), false);
  });

  it('does not remember what it verified under keys that changed meanwhile', async () => {
    const { verifier, world } = openVerifier();
    const verified = verifier.verify(good);
    world.keySet = parseTokenKeys(KEYS_FILE.replace('taken-back', 'jti-1'));
    await verified;
    assert.equal(verifier.known(good), undefined);
  });

  it('takes no token of which any character is another', async () => {
    const { verifier } = openVerifier();
    const characters = 'ABCXYZabcxyz0189-_.=+/ \n'.split('');
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.constantFrom(...characters), async (at, character) => {
        fc.pre(good[at] !== character);
        assert.equal(typeof (await verifier.verify(good.slice(0, at) + character + good.slice(at + 1))), 'string');
      }),
    );
  });

  it('takes nothing else for a token, and never rejects', async () => {
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

  it('takes a token of any claims only while they hold', async () => {
    const { verifier } = openVerifier();
    const { shared, claims } = goodParts(NOW_SECONDS);
    const seconds = fc.integer({ min: -1_000, max: 1_000 });
    await fc.assert(
      fc.asyncProperty(seconds, seconds, async (issued, life) => {
        const times = { iat: NOW_SECONDS + issued, exp: NOW_SECONDS + issued + life };
        const result = await verifier.verify(forge(shared, { ...claims, ...times }));
        const isGood = life > 0 && life <= 600 && issued <= 120 && issued + life > -120;
        assert.equal(result instanceof AccessGrant, isGood, `iat ${issued}, life ${life}: ${inspect(result)}`);
      }),
    );
  });
});

const says = (json: string): boolean => hasDuplicateKeys(json, JSON.parse(json));

describe('hasDuplicateKeys()', () => {
  const twice = [
    '{"a":1,"a":1}',
    String.raw`{"a":1,"\u0061":2}`,
    '{"b":{"a":1,"a":2}}',
    '[{"a":1,"a":2}]',
    '{"a" :1,"b":2,\n"a"\t: 3}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ];
  for (const json of twice) it(`finds the name in ${JSON.stringify(json)}`, () => assert.ok(says(json)));

  const once = [
    '{"a":{"a":1}}',
    '{"a":"\\"a\\":"}',
    '["a","a"]',
    '{"a":"a:","b":"{\\"a\\":1,\\"a\\":1}"}',
    '{}',
    '"a"',
  ];
  for (const json of once) it(`finds none in ${JSON.stringify(json)}`, () => assert.ok(!says(json)));

  it('finds none in what was written out of a value', () => {
    fc.assert(fc.property(fc.json(), (json) => assert.ok(!says(json))));
  });
});
