import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runBff } from '../../testkit/src/bff-process.ts';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { folder, Net, pulsePath, PUBLIC_URL, TOKEN_KEY, tokenVariables, webhook } from './kit.ts';

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
  it('health: exits with 0 if the instance’s /readyz returns 200, otherwise with 1', async () => {
    await net.eventually('/readyz');
    assert.equal((await run(['health'])).code, 0);
    assert.equal((await run(['health'], { PORT: '19' })).code, 1);
  });

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

  it('withhold and release: edit PULSE_WITHHELD_FILE', async () => {
    const path = join(folder(), 'withheld');
    writeFileSync(path, 'run_a\n');
    const env = { PULSE_WITHHELD_FILE: path };
    assert.equal((await run(['withhold', 'run_b'], env)).code, 0);
    assert.deepEqual(readFileSync(path, 'utf8').trim().split('\n'), ['run_a', 'run_b']);
    assert.equal((await run(['release', 'run_a'], env)).code, 0);
    assert.deepEqual(readFileSync(path, 'utf8').trim().split('\n'), ['run_b']);
    assert.equal((await run(['withhold', 'run_b'], { PULSE_WITHHELD_FILE: '' })).code, 2);
  });

  it('check --origin: reports whether pages on an origin are allowed to show cards', async () => {
    const [yes, no] = [
      await run(['check', '--origin', 'https://www.example.com']),
      await run(['check', '--origin', 'https://evil.test']),
    ];
    assert.deepEqual([yes.code, no.code], [0, 0]);
    const lineOf = (text: string, origin: string) =>
      text
        .split('\n')
        .filter((line) => line.includes(origin))
        .join();
    assert.notEqual(lineOf(yes.text, 'https://www.example.com'), '');
    assert.match(lineOf(no.text, 'https://evil.test'), /not|isn’t|refuse/i);
  });

  it('check --alert: sends a test message and exits with 1 if it doesn’t arrive', async () => {
    await using hook = await webhook();
    const sent = await run(['check', '--alert'], { PULSE_ALERT_URL: hook.url });
    assert.equal(sent.code, 0);
    assert.equal(hook.texts.length, 1);
    assert.doesNotMatch(sent.text, /secret-part/);
    const lost = await run(['check', '--alert'], { PULSE_ALERT_URL: 'http://127.0.0.1:2/hook/secret-part' });
    assert.equal(lost.code, 1);
    assert.doesNotMatch(lost.text, /secret-part/);
  });

  it('check without its variables: lists them, mentions the status page, and exits with 2', async () => {
    const { code, stdout, stderr } = await runBff(['check'], { PULSE_ADMIN_PORT: '4999' });
    assert.equal(code, 2);
    for (const name of ['PULSE_API_KEY', 'PULSE_BASE_URL']) assert.match(stdout + stderr, new RegExp(name));
    assert.match(stdout + stderr, /:4999/);
  });

  for (const [words, near] of [
    [['sevre'], 'serve'],
    [['helth'], 'health'],
    [['token', 'mnt'], 'mint'],
    [['check', '--orgin', 'https://a.test'], '--origin'],
  ] as const)
    it(`${words.join(' ')}: exits with 2 and suggests ${near}`, async () => {
      const { code, stderr } = await run(words);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(near));
    });

  it('an unknown variable: prints a warning with the nearest name, but never the value', async () => {
    const { text } = await run(['check'], { PULSE_ALOWED_ORIGINS: 'https://value.test', TRUST_PROXI: '1' });
    assert.match(text, /PULSE_ALOWED_ORIGINS.*PULSE_ALLOWED_ORIGINS/);
    assert.match(text, /TRUST_PROXI.*TRUST_PROXY/);
    assert.doesNotMatch(text, /value\.test/);
  });

  it('invalid variables: prints a line for each, without its value, and exits with 2', async () => {
    const wrong = {
      PORT: 'canary',
      PULSE_FRESH_MS: '-7',
      PULSE_SOURCES: 'a b',
      PULSE_EXPOSE: 'canary',
      TRUST_PROXY: 'canary',
    };
    const { code, stderr } = await run(['serve'], wrong);
    assert.equal(code, 2);
    for (const name of Object.keys(wrong)) assert.match(stderr, new RegExp(`^${name}: `, 'm'));
    assert.ok(!stderr.includes('canary') && !stderr.includes(SERVICE_KEY));
  });
});
