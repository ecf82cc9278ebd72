import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { activeSource, pulseBody } from '@pulse-card/contract/examples';
import { ConfigError, readConfig } from '../config.ts';
import { ApiKey } from '../lib/api-key.ts';
import { serve } from '../testing/serve.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { check, checkKey, expiryLine, originLines, sendTestAlert } from './check.ts';
import type { Shell } from './output.ts';

const KEY = 'canary-key-0123456789';
const key = ApiKey.from(KEY) as ApiKey;

type Answer = (response: ServerResponse) => void;

const RATE = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '41',
  'X-RateLimit-Reset': String(Date.parse('2026-05-08T09:00:30.000Z') / 1_000),
  Date: 'Fri, 08 May 2026 09:00:00 GMT',
};

const json =
  (status: number, body: unknown, rate: object = RATE): Answer =>
  (response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...rate }).end(JSON.stringify(body));
const rejected = (status: number) => json(status, { success: false, error: 'No' });
const sources = [{ ...activeSource, name: 'Q2\u001b[31m' }];
const LISTED = json(200, { meta: pulseBody.meta, sources });

/** A service on a free port. */
function serviceWith({ list = LISTED, one = json(200, pulseBody) }: { list?: Answer; one?: Answer } = {}) {
  return serve((request, response) => (request.url === '/v1/sources' ? list : one)(response));
}

const configOf = (baseUrl: string, more = {}) =>
  readConfig({ PULSE_API_KEY: KEY, PULSE_BASE_URL: baseUrl, PULSE_UPSTREAM_TIMEOUT_MS: '30000', ...more });

async function reportFor(world: Parameters<typeof serviceWith>[0] = {}, more = {}) {
  await using service = await serviceWith(world);
  const { works, lines } = await checkKey(configOf(service.url, more), key);
  assert.doesNotMatch(lines.join(), /canary/);
  return { works, text: lines.join('\n').replaceAll(service.url, 'URL') };
}

describe('checkKey()', () => {
  it('shows the account, the sources, the rate window, and the hosts for a working key', async () => {
    const { works, text } = await reportFor();
    assert.equal(works, true);
    assert.equal(
      text,
      'Account: owner@acme.test (acc_1)\nSources: 1\n  ACTIVE  src_1  GOOGLE  Q2\u001b[31m\nRate window: 41 of 60 calls left, resets in 30 s\nPULSE_BASE_URL URL: answered\nThe key works.',
    );
  });

  for (const [what, world, text] of [
    ['401 means a new key', { list: rejected(401) }, /rejects the API key \(401\)\nCreate a new key/],
    ['403 for the list names its scope', { list: rejected(403) }, /lacks a scope \(sources:read\)\nGive the key/],
    ['403 for pulses names their scope', { one: rejected(403) }, /URL: answered\n.+ lacks a scope \(pulses:read\)/],
    ['404 in the service’s form means a wrong path', { list: rejected(404) }, /404 for everything\n.+PULSE_BASE_URL/],
    ['a BFF instead of the service', { list: json(200, { meta: {}, sources }, {}) }, /probably a BFF/],
    ['no answer', { list: () => {} }, /doesn’t respond in time/],
  ] as const)
    it(`explains what to do: ${what}`, async () => {
      const report = await reportFor(world, what === 'no answer' ? { PULSE_UPSTREAM_TIMEOUT_MS: '400' } : {});
      assert.equal(report.works, false);
      assert.match(report.text, text);
    });

  it('reports the layer at which a host fails, and succeeds if the other host works', async () => {
    await using dead = await serviceWith();
    await dead[Symbol.asyncDispose]();
    const { works, text } = await reportFor({}, { PULSE_ALT_BASE_URL: dead.url });
    assert.equal(works, true);
    assert.match(text, /PULSE_ALT_BASE_URL .+: no connection can be made$/m);
    const { text: dns } = await reportFor({}, { PULSE_ALT_BASE_URL: 'https://nowhere.invalid' });
    assert.match(dns, /PULSE_ALT_BASE_URL .+can’t be looked up \(DNS\)/);
  });

  it('shows the proxy’s host but not its credentials', async () => {
    const more = { PULSE_ALT_BASE_URL: 'https://service.invalid', HTTPS_PROXY: 'http://user:canary@127.0.0.1:9' };
    const line = (await reportFor({}, more)).text;
    assert.match(line, /https:\/\/service\.invalid, through the proxy 127\.0\.0\.1:9: the outgoing proxy /);
  });

  it('explains why a chart isn’t shown', async () => {
    const one = json(200, { meta: pulseBody.meta, pulse: { ...pulseBody.pulse, imageUrl: 'http://cdn.test/a.png' } });
    const text = (await reportFor({ one })).text;
    assert.match(text, /A chart from cdn\.test can’t be shown: its URL begins with http:\. Ask/);
  });
});

describe('check()', () => {
  /** Runs `pulse-bff check` with these variables, in front of a service that works. */
  async function run(variables: Readonly<Record<string, string>>, alert = false) {
    await using service = await serviceWith();
    let printed = '';
    const output = { write: (text: string) => (printed += text) };
    const env = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, ...variables };
    const shell = { env, stdout: output, stderr: output } as unknown as Shell;
    await check(shell, { alert });
    // The name of the source contains a control character.
    assert.match(printed, /Q2\?\[31m\n/);
    return { exitCode: shell.exitCode, printed };
  }

  it('exits with 1 if the key works but the test message doesn’t arrive, and shows only the host', async () => {
    await using webhook = await serviceWith({ one: (response) => void response.writeHead(204).end() });
    const variables = { PULSE_ALERT_URL: `${webhook.url}/canary` };
    const sent = await run(variables, true);
    await webhook[Symbol.asyncDispose]();
    const failed = await run(variables, true);
    assert.deepEqual([sent.exitCode, failed.exitCode], [0, 1]);
    assert.match(sent.printed, new RegExp(`^Alert: ${new URL(webhook.url).host} accepted the test message$`, 'm'));
    assert.match(failed.printed, /didn’t receive the test message: it can’t be reached/);
    assert.doesNotMatch(sent.printed + failed.printed, /canary/);
  });

  it('reports a state folder that the server couldn’t use, and creates nothing', async () => {
    using folder = temporaryFolder();
    const file = folder.file('file', '');
    for (const bad of [file, `${file}/state`]) {
      const { exitCode, printed } = await run({ PULSE_STATE_DIR: bad });
      assert.equal(exitCode, 0);
      assert.match(printed, /^The state folder isn’t usable \(ENOTDIR\): .+PULSE_STATE_DIR is a folder/m);
    }
    assert.doesNotMatch((await run({ PULSE_STATE_DIR: folder.file('a/b') })).printed, /state folder/);
    assert.equal(existsSync(folder.file('a')), false);
  });

  it('rejects a file of token keys that the server couldn’t use', () => {
    const variables = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: '/proc' };
    return assert.rejects(run(variables), /^ConfigError: PULSE_TOKEN_KEYS_FILE: the file can’t be read: .* directory/);
  });
});

describe('originLines()', () => {
  const config = configOf('https://service.test', {
    PULSE_ALLOWED_ORIGINS: 'https://a.test,https://*.preview.b.test',
    PULSE_PUBLIC_URL: 'https://pulse.test',
  });

  it('lists the allowed origins', () =>
    assert.deepEqual(originLines(config), [
      'Allowed origins: https://a.test, https://*.preview.b.test, the BFF’s own (https://pulse.test)',
    ]));

  for (const page of ['https://a.test/page?x', 'https://pr-1.preview.b.test', 'https://pulse.test'])
    it(`reports that ${page} is allowed`, () => assert.match(originLines(config, page)[1] ?? '', /is allowed$/));

  for (const [page, origin] of [
    ['https://c.test/x', 'https://c.test'],
    ['capacitor://localhost', 'capacitor://localhost'],
  ] as const)
    it(`shows which line allows ${page}`, () =>
      assert.equal(
        originLines(config, page)[2],
        `Change: PULSE_ALLOWED_ORIGINS=https://a.test,https://*.preview.b.test,${origin}`,
      ));

  for (const page of ['a.test', 'null', 'https://*.a.test', 'ftp://a.test'])
    it(`rejects ${page}`, () => assert.throws(() => originLines(config, page), ConfigError));
});

describe('expiryLine()', () => {
  it('reports when the key expires, or which variable to set', async () => {
    const more = { PULSE_API_KEY_EXPIRES: '2999-01-01' };
    assert.match(await expiryLine(configOf('https://a.test', more), key), /^The key expires on 2999-01-01/);
    assert.match(await expiryLine(configOf('https://a.test'), key), /set PULSE_API_KEY_EXPIRES/);
  });

  it('estimates the date from the state folder without creating anything there', async () => {
    using folder = temporaryFolder();
    folder.file('keys.json', JSON.stringify({ firstSeen: { other: 0, [key.name]: Date.now() } }));
    const config = configOf('https://a.test', { PULSE_STATE_DIR: folder.path });
    assert.match(await expiryLine(config, key), /in 90 days \(a guess/);
    assert.equal(folder.texts().length, 1);
  });
});

describe('sendTestAlert()', () => {
  it('fails if PULSE_ALERT_URL isn’t set', () =>
    assert.rejects(sendTestAlert(configOf('https://a.test')), /PULSE_ALERT_URL: is required for --alert/));
});
