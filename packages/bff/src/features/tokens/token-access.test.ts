import assert from 'node:assert/strict';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { KEY, startBffAndService } from '../../testing/bff-process.ts';
import { forgedTokens, KEYS_FILE } from '../../../../token/src/testing/forged-tokens.ts';
import { until } from '../../../../testkit/src/until.ts';
import { serveRouter } from '../../testing/served-router.ts';
import { type MintingKey, mintToken } from '@pulse-card/token';

const AUDIENCE = 'https://pulse.test';
const FIRST: MintingKey = { kid: 'first', secret: 'canary-first-secret-of-32-bytes-or-more' };
const SECOND: MintingKey = { kid: 'second', secret: 'canary-second-secret-of-32-bytes-or-more' };
const PULSE = '/v1/sources/src_1/pulse';

const folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-token-access-'));
const path = join(folder.path, 'keys.json');
const writeKeys = (document: unknown) => writeFileSync(path, JSON.stringify(document));

const ask = (url: string, token: string, path = PULSE) =>
  fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
const mint = (key: MintingKey, jti?: string) =>
  mintToken(key, { audience: AUDIENCE, sources: ['src_1'], ...(jti !== undefined && { jti }) });

const codeOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { code: string }).code;

/** Sends requests with a token until the response has this status. */
async function eventually(status: number, url: string, token: string): Promise<void> {
  await until(`the answer is ${status}`, async () => (await ask(url, token)).status === status);
}

const tokenVariables = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: path, PULSE_PUBLIC_URL: AUDIENCE };
const { secrets, ...others } = JSON.parse(KEYS_FILE) as { secrets: object[] };
writeKeys({ ...others, secrets: [...secrets, FIRST] });
// The time is so long that nothing is refreshed during the test.
const lasting = { PULSE_FRESH_MS: '86400000', PULSE_KEY_RELOAD_MS: '20', PULSE_CLIENT_RATE: '0', LOG_LEVEL: 'trace' };
const bff = await startBffAndService({ ...tokenVariables, ...lasting });
const { service } = bff;
after(async () => {
  await bff[Symbol.asyncDispose]();
  folder.remove();
});

describe('pulse-bff serve with tokens (T-33, T-34)', () => {
  const callsAbout = (id: string) => service.arrivals.filter(({ url }) => url.includes(id)).length;

  it('doesn’t make a call for a forged token, and doesn’t log tokens', async () => {
    const good = await mint(FIRST);
    await eventually(200, bff.url, good);
    const spent = callsAbout('src_1');
    const tokens = [good];
    for (const name of Object.keys(forgedTokens(0))) {
      // Each token is made just before it is used, because a token that isn't valid yet becomes valid after a while.
      const token = forgedTokens(Math.floor(Date.now() / 1_000))[name] ?? '';
      tokens.push(token);
      assert.equal((await ask(bff.url, token)).status, 401);
      assert.equal((await ask(bff.url, token, '/v1/sources/src_new/pulse')).status, 401);
      assert.equal((await fetch(`${bff.url}${PULSE}?token=${token}`)).status, 401);
    }
    assert.deepEqual([callsAbout('src_1') - spent, callsAbout('src_new')], [0, 0]);
    const displayed = bff.output() + (await (await fetch(`${bff.adminUrl}/metrics`)).text());
    assert.match(displayed, /"detail":"signature"/);
    for (const secret of [...tokens.map((token) => token.slice(0, 20)), 'canary'])
      assert.ok(!displayed.includes(secret), secret);
  });

  it('T-11, T-67: requests an unlisted id only for readers whose token names it', async () => {
    const path = '/v1/sources/src_hidden/pulse';
    const hidden = await mintToken(FIRST, { audience: AUDIENCE, sources: ['src_hidden'] });
    const everything = await mintToken(FIRST, { audience: AUDIENCE, sources: '*' });
    assert.equal(await codeOf(ask(bff.url, everything, path)), 'source_unknown');
    assert.equal(callsAbout('src_hidden'), 0);
    assert.equal(await codeOf(ask(bff.url, hidden, path)), 'pulse_not_found');
    assert.equal(callsAbout('src_hidden'), 1);
    assert.equal(await codeOf(ask(bff.url, everything, path)), 'source_unknown');
    const list = await (await ask(bff.url, everything, '/v1/sources')).text();
    assert.ok(!list.includes('src_hidden'));
  });

  it('reads new keys without a restart, and keeps its keys if the file becomes invalid', async () => {
    const [first, second, taken] = await Promise.all([mint(FIRST), mint(SECOND), mint(SECOND, 'taken-back')]);
    assert.equal((await ask(bff.url, second)).status, 401);
    writeKeys([FIRST, SECOND]);
    await eventually(200, bff.url, second);
    assert.equal((await ask(bff.url, first)).status, 200);
    assert.equal((await ask(bff.url, taken)).status, 200);
    writeFileSync(path, '[{"kid":"first","secret":"canary"');
    await until('the error is logged', () => bff.output().includes('Cannot read the token keys'));
    assert.equal((await ask(bff.url, second)).status, 200);
    writeKeys({ secrets: [SECOND], revoked: ['taken-back'] });
    await eventually(401, bff.url, taken);
    assert.equal((await ask(bff.url, first)).status, 401);
    assert.equal((await ask(bff.url, second)).status, 200);
    assert.ok(!bff.output().includes('canary'));
  });
});

describe('createPulseBff() with tokens', () => {
  it('allows an unlisted source that the application and the token both allow', async () => {
    let rights: '*' | string[] = '*';
    writeKeys([FIRST]);
    const variables = { ...tokenVariables, PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url };
    await using router = await serveRouter(variables, { authorize: () => rights });
    // This source has no pulse and isn't on the list. Readers who may see it get pulse_not_found.
    const codeFor = async (sources: '*' | string[]) => {
      const token = await mintToken(FIRST, { audience: AUDIENCE, sources });
      return codeOf(ask(router.url, token, '/v1/sources/src_own/pulse'));
    };
    assert.equal(await codeFor(['src_own']), 'pulse_not_found');
    assert.equal(await codeFor('*'), 'source_unknown');
    rights = ['src_own'];
    assert.equal(await codeFor('*'), 'pulse_not_found');
    assert.equal(await codeFor(['src_1']), 'token_forbidden');
  });
});
