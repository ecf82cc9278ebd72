import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { mintToken, type TokenUse } from '@pulse-card/token';
import type { Request } from 'express';
import { type Config, ConfigError } from '../../config.ts';
import { ApiError } from '../../http/errors.ts';
import { until } from '../../../../testkit/src/until.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { testLog } from '../../testing/test-log.ts';
import { openTokens } from './tokens.ts';

const AUDIENCE = 'https://pulse.test';
const keyOf = (kid: string) => ({ kid, secret: `${kid}-secret-of-at-least-32-bytes-canary` });
const mint = (use: Partial<TokenUse> = {}, key = keyOf('a')) =>
  mintToken(key, { audience: AUDIENCE, sources: ['src_1'], ...use });

function requestWith(headers: Readonly<Record<string, string>>): Request {
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return { headers, headersDistinct } as unknown as Request;
}

async function open(content: unknown = [keyOf('a')]) {
  const folder = temporaryFolder();
  const path = folder.file('keys.json');
  const write = (text: unknown) => writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  write(content);
  const { log, clock, lines, messages } = testLog();
  clock.shiftWall(Date.now() - clock.wallNow());
  const config = { access: 'token', tokenKeysFile: path, publicUrl: AUDIENCE, keyReloadMs: 5_000 } as Config;
  const opening = openTokens(config, { log, clock });
  const tokens = await opening.catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  const check = async (token?: string, more = {}) =>
    tokens?.check(requestWith({ ...(token !== undefined && { authorization: `Bearer ${token}` }), ...more }));
  const end = () => (tokens?.close(), folder.remove());
  return { tokens, check, write, path, clock, lines, messages, [Symbol.dispose]: end };
}

const codeIs = (code: string, detail?: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && error.details.detail === detail;

describe('openTokens()', () => {
  it('returns what a token allows and who its reader is', async () => {
    using world = await open();
    const { sources, reader } = (await world.check(await mint({ subject: 'user-7' }))) ?? {};
    assert.deepEqual([sources, reader], [new Set(['src_1']), 'user-7']);
    const lowercase = { authorization: `bearer ${await mint({ sources: '*' })}` };
    assert.equal((await world.check(undefined, lowercase))?.sources, '*');
  });

  it('rejects a request without a token, with another scheme, or with two tokens', async () => {
    using world = await open();
    await assert.rejects(world.check(), codeIs('token_missing'));
    await assert.rejects(world.check(undefined, { authorization: 'Basic YTpi' }), codeIs('token_missing'));
    const token = `Bearer ${await mint()}`;
    const twice = { headers: { authorization: token }, headersDistinct: { authorization: [token, token] } };
    const refused = (async () => world.tokens?.check(twice as unknown as Request))();
    await assert.rejects(refused, codeIs('token_invalid', 'malformed'));
  });

  it('rejects a page on an origin that the token doesn’t list, even if it is one of the BFF’s own pages', async () => {
    using world = await open();
    const token = await mint({ origins: ['https://portal.test'] });
    await world.check(token, { origin: 'https://portal.test' });
    await assert.rejects(world.check(token, { origin: 'https://evil.test' }), codeIs('token_forbidden', 'origin'));
    await assert.rejects(world.check(token), codeIs('token_forbidden', 'origin'));
    const own = await mint({ origins: [AUDIENCE] });
    await world.check(own);
    await assert.rejects(world.check(own, { origin: 'https://evil.test' }), codeIs('token_forbidden', 'origin'));
  });

  it('once a minute for each reason, logs what was expected and what was found, but never the token', async () => {
    using world = await open();
    const other = await mint({ audience: 'https://other.test' });
    for (const token of [other, other, await mint({}, keyOf('b')), 'x.y.z'])
      await assert.rejects(world.check(token), /token is invalid/);
    assert.deepEqual(world.lines.map(({ reason, expected, found }) => [reason, expected, found]).slice(0, 2), [
      ['audience', 'aud https://pulse.test (PULSE_PUBLIC_URL)', '{"aud":"https://other.test"}'],
      ['unknown_key', 'a kid in PULSE_TOKEN_KEYS_FILE: a', '{"kid":"b"}'],
    ]);
    assert.equal(world.lines.length, 3);
    assert.ok(!JSON.stringify(world.lines).includes(other.split('.')[1] ?? other));
    await world.clock.advance(60_001);
    await assert.rejects(world.check(other));
    assert.equal(world.lines.length, 4);
  });

  it('uses changed keys within the reload time and rejects tokens signed with removed keys', async () => {
    using world = await open();
    const token = await mint();
    await world.check(token);
    world.write([keyOf('b')]);
    await world.clock.advance(5_000);
    await until('the file is read', () => world.tokens?.keySet.keys.has('b'));
    await assert.rejects(world.check(token), codeIs('token_invalid', 'unknown_key'));
    await world.check(await mint({}, keyOf('b')));
    world.tokens?.close();
    assert.equal(world.clock.pending(), 0);
  });

  for (const [what, change] of [
    ['vanishes', ({ path }: { path: string }) => rmSync(path)],
    ['isn’t valid', ({ write }: { write: (text: string) => void }) => write('{"canary"')],
  ] as const)
    it(`keeps the last keys if the file ${what}, and reports this once`, async () => {
      using world = await open();
      change(world);
      await world.tokens?.reload();
      await world.tokens?.reload();
      await world.check(await mint());
      assert.equal(world.messages().length, 1);
      assert.match(world.messages()[0] ?? '', /^PULSE_TOKEN_KEYS_FILE: .+ The previous keys stay in use$/);
      assert.doesNotMatch(world.messages().join(), /canary/);
    });

  it('rejects a missing or invalid file at startup', async () => {
    const { log, clock } = testLog();
    await assert.rejects(openTokens({ access: 'token' } as Config, { log, clock }), ConfigError);
    await assert.rejects(open('nothing'), /^ConfigError: PULSE_TOKEN_KEYS_FILE: isn’t JSON/);
    await assert.rejects(open([]), /holds no key/);
  });
});
