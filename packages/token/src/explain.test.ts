import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JWTPayload, SignJWT } from 'jose';
import { explainToken } from './explain.ts';
import { parseTokenKeys } from './keys.ts';
import { mintToken } from './mint.ts';

const audience = 'https://pulse.test';
const secret = 'canary-secret-of-32-bytes-and-more';
const keysWith = (more: object = {}) => JSON.stringify({ secrets: [{ kid: 'portal', secret }], ...more });
const keySet = await parseTokenKeys(keysWith());
const revoking = await parseTokenKeys(keysWith({ revoked: ['session-7'] }));
const use = { audience, sources: ['src_1'], jti: 'session-7' };
const mint = (key: object = {}, more: object = {}) => mintToken({ kid: 'portal', secret, ...key }, { ...use, ...more });
const explain = async (token: string, check: object = {}) => {
  const { lines, isAccepted } = await explainToken(token, { keySet, audience, wallNow: Date.now, ...check });
  return { text: lines.join('\n'), isAccepted };
};

describe('explainToken()', () => {
  it('says what a token grants, with its times as ISO 8601', async () => {
    const { text, isAccepted } = await explain(await mint({}, { origins: ['https://portal.test'] }));
    assert.equal(isAccepted, true);
    assert.match(text, /^Header: alg HS256, kid portal, typ pulse-embed\+jwt$/m);
    assert.match(text, /^Sources: src_1$/m);
    assert.match(text, /^Origins: https:\/\/portal\.test$/m);
    assert.match(text, /^Expires: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z \(in \d+ s\)$/m);
    assert.match(text, /^Id: session-7$/m);
  });

  describe('where clocks differ by less than 30 seconds', () => {
    const at = (seconds: number) => ({ wallNow: () => Date.UTC(2026, 0, 2) + seconds * 1_000 });
    const lastLineAt = async (seconds: number) => {
      const iat = Date.UTC(2026, 0, 2) / 1_000;
      const claims = { aud: audience, iat, exp: iat + 300, jti: 'session-7', sources: '*' };
      const token = await signed({ alg: 'HS256', kid: 'portal', typ: 'pulse-embed+jwt' }, claims);
      return (await explain(token, at(seconds))).text.split('\n').at(-1);
    };
    for (const [what, seconds, line] of [
      ['accepts a token during its life', 299, 'The token is accepted.'],
      [
        'says for how long an expired token is still accepted',
        302,
        'The token is accepted for another 28 s: it has expired, but clocks may differ by 30 s.',
      ],
      [
        'says why a token of the future is accepted',
        -30,
        'The token is accepted: it is issued in the future, but clocks may differ by 30 s.',
      ],
    ] as const) {
      it(what, async () => assert.equal(await lastLineAt(seconds), line));
    }
  });

  it('judges nothing without keys', async () =>
    assert.equal((await explain(await mint(), { keySet: undefined })).isAccepted, undefined));

  const hour = (): number => Date.now() + 3_600_000;
  const refused: readonly (readonly [why: string, token: () => Promise<string>, check: object, says: RegExp])[] = [
    ['is no token', () => Promise.resolve('x.y'), {}, /not a JWT/],
    ['has expired', mint, { wallNow: hour }, /it is expired/],
    ['has another key', () => mint({ kid: 'other' }), {}, /no key of its kid/],
    [
      'is for another BFF',
      mint,
      { audience: 'https://other.test' },
      /audience is not PULSE_PUBLIC_URL, https:\/\/other/,
    ],
    ['is taken back', mint, { keySet: revoking }, /listed under "revoked"/],
    ['has no typ', () => signed({ alg: 'HS256', kid: 'portal' }), {}, /typ "pulse-embed\+jwt"/],
  ];
  for (const [why, token, check, says] of refused) {
    it(`says that a token ${why}`, async () => {
      const { text, isAccepted } = await explain(await token(), check);
      assert.equal(isAccepted, false);
      assert.match(text.split('\n').at(-1) ?? '', says);
      assert.doesNotMatch(text, /canary/);
    });
  }
});

function signed(header: { alg: string; kid: string; typ?: string }, claims: JWTPayload = {}): Promise<string> {
  return new SignJWT({ sources: '*', ...claims }).setProtectedHeader(header).sign(Buffer.from(secret));
}
