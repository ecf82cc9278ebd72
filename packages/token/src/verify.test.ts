import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseTokenKeys } from './keys.ts';
import { AUDIENCE, forge, forgedTokens, goodTokens, KEYS_FILE, tokenAt } from './testing/forged-tokens.ts';
import { type TokenResult, TokenVerifier } from './verify.ts';

const NOW_SECONDS = 1_780_000_000;
const tokenOf = (claims?: object): string => tokenAt(NOW_SECONDS, claims);

const keySet = await parseTokenKeys(KEYS_FILE);

/** A verifier whose clock a test can change. */
function openVerifier() {
  const world = { nowMs: NOW_SECONDS * 1_000 };
  const verifier = new TokenVerifier({ keySet, audience: AUDIENCE, wallNow: () => world.nowMs });
  return { world, verifier };
}

const verify = (token: string) => openVerifier().verifier.verify(token);

/** The access that is granted, or the reason why there is none. */
const outcomeOf = (result: TokenResult) => (result.ok ? 'granted' : result.reason);

describe('TokenVerifier (T-33, T-34)', () => {
  it('grants the sources and origins that the token lists, and identifies its reader', async () => {
    const result = await verify(tokenOf({ origins: ['https://a.test', 'capacitor://localhost'], sub: 'user-7' }));
    assert.ok(result.ok);
    assert.deepEqual(
      [result.access.sources, result.access.origins, result.access.reader],
      [new Set(['src_1']), ['https://a.test', 'capacitor://localhost'], 'user-7'],
    );
  });

  for (const [sub, reader] of [
    ['x'.repeat(256), 'x'.repeat(256)],
    ['x'.repeat(257), undefined],
    ['', undefined],
  ])
    it(`${reader ? 'identifies' : 'doesn’t identify'} a reader with a sub of ${sub?.length} characters`, async () => {
      const result = await verify(tokenOf({ sub }));
      assert.equal(result.ok && result.access.reader, reader);
    });

  for (const [name, token] of Object.entries(goodTokens(NOW_SECONDS)))
    it(`accepts ${name}`, async () => assert.ok((await verify(token)).ok));

  for (const [name, token] of Object.entries(forgedTokens(NOW_SECONDS)))
    it(`rejects ${name}`, async () => assert.ok(!(await verify(token)).ok));

  for (const [name, reason] of Object.entries({
    'HS256 with the public key for a secret': 'algorithm',
    'another secret': 'signature',
    'a crit that is not known': 'header',
    'no jti': 'claims',
    'a revoked jti': 'revoked',
    'a life of ten years': 'life',
    'an nbf still to come': 'times',
    padding: 'malformed',
    'more than 4,096 characters': 'too_long',
  }))
    it(`returns the reason for ${name}: ${reason}`, async () =>
      assert.equal(outcomeOf(await verify(forgedTokens(NOW_SECONDS)[name] ?? '')), reason));

  for (const [name, expected, found] of [
    ['an aud of another site', /^aud https:\/\/pulse\.test \(PULSE_PUBLIC_URL\)$/, /^\{"aud":"https?:/],
    ['an unknown kid', /^a kid in PULSE_TOKEN_KEYS_FILE: pair, shared$/, /^\{"kid":"/],
    ['a revoked jti', /revoked/, /"jti":"taken-back"/],
    ['a life of ten years', /exp 1 to 600 s after iat/, /"iat":\d+,"exp":\d+|"exp":\d+,"iat":\d+/],
    ['an end 30 s ago', new RegExp(`^iat <= ${NOW_SECONDS} < exp `), /"exp":/],
    ['no typ', /typ "pulse-embed\+jwt"/, /"header":\{"alg":"HS256","kid":"shared"\}/],
  ] as const)
    it(`reports what was expected instead of ${name}, and what was found`, async () => {
      const token = forgedTokens(NOW_SECONDS)[name] ?? '';
      const result = await verify(token);
      assert.ok(!result.ok);
      assert.match(result.expected, expected);
      assert.match(result.found, found);
      assert.ok(!result.found.includes(token.split('.')[2] ?? token));
    });

  it('shows claims in one short line without control characters', async () => {
    const result = await verify(tokenOf({ aud: `\u001b[2J\u2028${'x'.repeat(2_000)}` }));
    assert.ok(!result.ok);
    assert.doesNotMatch(result.found, /[\p{C}\p{Zl}]/u);
    assert.equal(result.found.length, 300);
  });

  it('accepts a token until 30 s after it expires, even if it was verified before', async () => {
    const { verifier, world } = openVerifier();
    assert.ok((await verifier.verify(tokenOf())).ok);
    world.nowMs = (NOW_SECONDS + 330) * 1_000 - 1;
    assert.ok((await verifier.verify(tokenOf())).ok);
    world.nowMs += 1;
    assert.equal(outcomeOf(await verifier.verify(tokenOf())), 'times');
  });

  it('rejects a token if any character is changed', async () => {
    const { verifier } = openVerifier();
    const good = tokenOf();
    const characters = 'ABCXYZabcxyz0189-_.=+/ \n'.split('');
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.constantFrom(...characters), async (at, character) => {
        fc.pre(good[at] !== character);
        assert.ok(!(await verifier.verify(good.slice(0, at) + character + good.slice(at + 1))).ok);
      }),
    );
  });

  it('rejects everything else and never throws', async () => {
    const { verifier } = openVerifier();
    const anything = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((json) => forge(json, json)),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        assert.ok(!(await verifier.verify(text)).ok);
      }),
    );
  });

  it('accepts lifetimes of up to 600 s and clocks that differ by up to 30 s', async () => {
    const { verifier } = openVerifier();
    const issuedIn = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(29, 30, 31, 119));
    const lifeOf = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(0, 1, 599, 600, 601));
    await fc.assert(
      fc.asyncProperty(issuedIn, lifeOf, async (issued, life) => {
        const times = { iat: NOW_SECONDS + issued, exp: NOW_SECONDS + issued + life };
        const result = await verifier.verify(tokenOf(times));
        const isGood = life > 0 && life <= 600 && issued <= 30 && issued + life > -30;
        assert.equal(result.ok, isGood, `iat ${issued}, life ${life}: ${inspect(result)}`);
        assert.ok(!isGood || issued + life <= 630);
      }),
    );
  });
});
