import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainToken } from './explain.ts';
import { parseTokenKeys } from './keys.ts';
import { AUDIENCE, forgedTokens, KEYS_FILE, PORTAL, tokenAt } from './testing/forged-tokens.ts';

const NOW_SECONDS = Date.UTC(2026, 0, 2) / 1_000;
const keySet = await parseTokenKeys(KEYS_FILE);
const good = tokenAt(NOW_SECONDS);
const forged = forgedTokens(NOW_SECONDS);

/** The explanation of a token, a number of seconds after it was issued. */
const explain = (token = good, seconds = 0) =>
  explainToken(token, { keySet, audience: AUDIENCE, wallNow: () => (NOW_SECONDS + seconds) * 1_000 });

describe('explainToken()', () => {
  it('says what a token grants, and prints its times as ISO 8601', async () => {
    assert.deepEqual((await explain(tokenAt(NOW_SECONDS, { origins: [PORTAL] }))).lines, [
      'Header: alg HS256, kid shared, typ pulse-embed+jwt',
      'Audience: https://pulse.test',
      'Sources: src_1',
      'Origins: https://portal.test',
      'Subject: none',
      'Issued: 2026-01-02T00:00:00.000Z (in 0 s)',
      'Expires: 2026-01-02T00:05:00.000Z (in 300 s)',
      'Id: jti-1',
      'The token is accepted.',
    ]);
  });

  for (const [seconds, line] of [
    [299, 'The token is accepted.'],
    [302, 'The token has expired, but it will still be accepted for another 28 s, because clocks may differ by 30 s.'],
    [-30, 'The token’s issue time is in the future, but the token is accepted, because clocks may differ by 30 s.'],
  ] as const)
    it(`explains a 300 s token ${seconds} s after its issue: ${line}`, async () => {
      const { lines, isAccepted } = await explain(good, seconds);
      assert.deepEqual([isAccepted, lines.at(-1)], [true, line]);
    });

  for (const [what, token, reason] of [
    ['isn’t a JWT', 'x.y', /not a JWT/],
    ['has expired', forged['an end 30 s ago'], /it is expired/],
    ['has another key', forged['an unknown kid'], /no key with its kid/],
    ['is for another BFF', forged['an aud of another site'], /audience is not PULSE_PUBLIC_URL, https:\/\/pulse\.test/],
    ['has been revoked', forged['a revoked jti'], /listed under "revoked"/],
    ['has no typ', forged['no typ'], /typ "pulse-embed\+jwt"/],
  ] as const)
    it(`says that a token ${what}`, async () => {
      const { lines, isAccepted } = await explain(token);
      assert.equal(isAccepted, false);
      assert.match(lines.at(-1) ?? '', reason);
    });

  it('doesn’t say whether the token is accepted if there are no keys', async () => {
    const judge = { keySet: undefined, audience: AUDIENCE, wallNow: Date.now };
    assert.equal((await explainToken(good, judge)).isAccepted, undefined);
  });
});
