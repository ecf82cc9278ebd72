import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runBff } from '../../testkit/src/bff-process.ts';
import { Net, pulsePath, PUBLIC_URL, TOKEN_KEY, tokenVariables } from './kit.ts';

let net: Net;
before(async () => {
  net = await Net.start({ env: { ...tokenVariables(), PULSE_ALLOWED_ORIGINS: 'https://www.example.com' } });
});
after(() => net[Symbol.asyncDispose]());

const run = async (words: readonly string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runBff(words, { ...net.bff.env, ...env });
  return { code, text: stdout + stderr, stdout, stderr };
};

describe('pulse-bff', { concurrency: 2 }, () => {
  it('token mint: prints a token that the instance accepts, but only for the listed sources', async () => {
    const { code, stdout } = await run(['token', 'mint', '--source', 'src_001', '--subject', 'u1']);
    assert.equal(code, 0);
    const headers = { Authorization: `Bearer ${stdout.trim()}` };
    await net.eventually(pulsePath('src_001'), 200, headers);
    assert.equal((await net.get(pulsePath('src_002'), headers)).json.code, 'token_forbidden');
    const [, body = ''] = stdout.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    assert.deepEqual([claims.aud, claims.sub], [PUBLIC_URL, 'u1']);
    assert.ok(claims.exp - claims.iat <= 600);
    assert.ok(!stdout.includes(TOKEN_KEY.secret));
  });
});
