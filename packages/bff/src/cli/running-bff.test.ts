import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import type { Diagnosis } from '@pulse-card/doctor';
import { freePort } from '../../../../scripts/free-port.ts';
import { startBffAndService } from '../testing/bff-process.ts';
import { runCommand } from '../testing/run-command.ts';
import { answersWith, startFakeService } from '../testing/fake-service.ts';
import { until } from '../../../testkit/src/until.ts';
import { serve } from '../testing/serve.ts';

/** A service whose key works, a BFF in front of it, and its private port. */
async function startKnownBff(variables: Record<string, string> = {}) {
  const bff = await startBffAndService({ PULSE_FRESH_MS: '86400000', ...variables });
  await until('it has the list', async () => (await fetch(`${bff.url}/v1/sources`)).ok);
  return bff;
}

describe('pulse-bff check with a running BFF', { timeout: 600_000 }, () => {
  it('reports the state of the BFF on this machine if the shell has no variables', async () => {
    await using bff = await startKnownBff({ PULSE_API_KEY_EXPIRES: '2099-02-20' });
    const { code, stdout, stderr } = await runCommand({ PULSE_ADMIN_PORT: new URL(bff.adminUrl).port }, ['check']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^BFF: http:\/\/127\.0\.0\.1:\d+ \(version .+\), which uses its own variables/);
    assert.match(stdout, /^Key: the service accepts it$/m);
    assert.match(stdout, /^The key expires on 2099-02-20, in [\d,]+ days$/m);
    assert.match(stdout, /^ {2}ACTIVE {3}src_1 {2}GOOGLE {2}Q2 revenue$/m);
    assert.match(stdout, /^Rate window: \d+ of 60 calls left$/m);
    assert.match(stdout, /^PULSE_BASE_URL: answers$/m);
    assert.match(stdout, /^Allowed origins: /m);
    assert.match(stdout, /^The key works\.$/m);
  });

  it('asks the BFF in --bff even if the shell has all variables, without sending the key', async () => {
    await using bff = await startKnownBff();
    const asked: string[] = [];
    const relay: RequestListener = (request, response) => {
      asked.push(JSON.stringify([request.url, request.headers]));
      void fetch(bff.adminUrl + request.url, { headers: { 'X-Pulse-Studio': '1' } }).then(async (answer) =>
        response.end(await answer.text()),
      );
    };
    await using port = await serve(relay);
    const shell = { PULSE_API_KEY: 'canary-key-of-the-shell', PULSE_BASE_URL: 'https://shell.invalid' };
    const { code, stdout } = await runCommand(shell, ['check', '--bff', `${port.url}/`]);
    assert.equal(code, 0);
    assert.match(stdout, /^The key works\.$/m);
    assert.deepEqual(asked.length, 2);
    assert.doesNotMatch(asked.join() + stdout, /canary-key-of-the-shell|shell\.invalid/);
  });

  it('exits with 1 and says what to do if the service rejects the BFF’s key', async () => {
    await using service = await startFakeService(answersWith({ success: false, error: 'Invalid key' }, 401));
    await using bff = await startBffAndService({ PULSE_BASE_URL: service.url });
    await fetch(`${bff.url}/v1/sources`);
    const { code, stdout } = await runCommand({}, ['check', '--bff', bff.adminUrl]);
    assert.equal(code, 1);
    assert.match(stdout, /^Key: The service refuses the API key\. Create a new key/m);
    assert.doesNotMatch(stdout, /The key works/);
  });

  it('exits with 2 and names the missing variables if no BFF answers', async () => {
    const [port, base] = [String(await freePort()), 'https://pulses.test'];
    const closed = `No BFF answers at http://127.0.0.1:${port} (ECONNREFUSED)`;
    const advice = ': set these variables, or pass the address of a BFF’s private port with --bff URL';
    const key = 'PULSE_API_KEY: is required (or PULSE_API_KEY_FILE)';
    for (const command of [['check'], ['doctor', 'https://www.example.com']]) {
      const { code, stderr } = await runCommand({ PULSE_ADMIN_PORT: port, PULSE_BASE_URL: base }, command);
      assert.deepEqual([code, stderr], [2, `${key}\n${closed}${advice}\n`]);
      const named = await runCommand({}, [...command, '--bff', `http://127.0.0.1:${port}`]);
      assert.deepEqual([named.code, named.stderr], [2, `${key}\nPULSE_BASE_URL: is required\n${closed}\n`]);
    }
  });

  it('names invalid and misspelled variables', async () => {
    const { code, stderr } = await runCommand({ PULSE_APIKEY: 'canary', PULSE_ADMIN_PORT: 'x' }, ['check']);
    assert.equal(code, 2);
    assert.match(stderr, /^PULSE_ADMIN_PORT: must be a whole number/m);
    assert.match(stderr, /^PULSE_APIKEY is not a variable of pulse-bff; the nearest is PULSE_API_KEY$/m);
    assert.doesNotMatch(stderr, /canary/);
  });

  for (const [what, listener, reason] of [
    [
      'a BFF’s public port',
      answersWith({ success: false, error: 'No', code: 'not_found' }, 404),
      /it returned 404: is this/,
    ],
    ['a private port that rejects the name', answersWith({}, 403), /that BFF’s PULSE_ADMIN_HOSTS/],
    ['another server', ((_request, response) => response.end('<html>')) as RequestListener, /something else does/],
  ] as const)
    it(`says what answered instead of a BFF: ${what}`, async () => {
      await using port = await serve(listener);
      const { code, stderr } = await runCommand({}, ['check', '--bff', port.url]);
      assert.equal(code, 2);
      assert.match(stderr, reason);
    });

  it('rejects an invalid address', async () => {
    const { code, stderr } = await runCommand({}, ['check', '--bff', '127.0.0.1:4021']);
    assert.deepEqual(
      [code, stderr],
      [2, '--bff: must be the address of a private port, such as http://127.0.0.1:4021\n'],
    );
  });
});

describe('pulse-bff doctor with a running BFF', { timeout: 600_000 }, () => {
  it('checks a page against that BFF’s settings and sources', async () => {
    await using bff = await startKnownBff();
    const card = (id: string) => `<pulse-card source-id="${id}"></pulse-card>`;
    const script = `<script type="module" src="${bff.url}/pulse-card.js"></script>`;
    await using page = await serve((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(script + card('src_1') + card('src_9')),
    );
    const { code, stdout } = await runCommand({}, ['doctor', '--bff', bff.adminUrl, page.url]);
    assert.equal(code, 1);
    assert.match(stdout, /^BFF: http.*\nKey: the service accepts it$/m);
    assert.match(stdout, /^error origin_not_allowed: /m);
    assert.match(stdout, /^error source_unknown: .*"src_9"/m);
    assert.match(stdout, /^Found [23] errors/m);
    const json = await runCommand({}, ['doctor', '--json', '--bff', bff.adminUrl, page.url]);
    const { findings, bff: facts } = JSON.parse(json.stdout) as Diagnosis & {
      bff: { url: string; sources: unknown[] };
    };
    assert.ok(findings.some(({ code: each }) => each === 'source_unknown'));
    assert.deepEqual([facts.url, facts.sources.length > 0], [bff.adminUrl, true]);
  });
});

describe('pulse-bff check --alert', { timeout: 600_000 }, () => {
  const sent: string[] = [];
  const hook =
    (status: number): RequestListener =>
    (request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => void sent.push(chunk));
      request.on('end', () => response.writeHead(status).end());
    };

  it('sends a test message, and names the host that accepted the message', async () => {
    await using service = await startFakeService();
    await using webhook = await serve(hook(200));
    const variables = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: service.url };
    const { code, stdout } = await runCommand({ ...variables, PULSE_ALERT_URL: `${webhook.url}/canary-hook` }, [
      'check',
      '--alert',
    ]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Alert: ${new URL(webhook.url).host} accepted a test message$`, 'm'));
    assert.doesNotMatch(stdout, /canary-hook/);
    assert.match((JSON.parse(sent.join('')) as { text: string }).text, /This is a test/);
  });

  it('exits with 1 if the webhook rejects the message, and with 2 without a webhook', async () => {
    await using service = await startFakeService();
    await using webhook = await serve(hook(404));
    const variables = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: service.url };
    const refused = await runCommand({ ...variables, PULSE_ALERT_URL: webhook.url }, ['check', '--alert']);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /did not receive the test message: it returned 404$/m);
    const none = await runCommand(variables, ['check', '--alert']);
    assert.deepEqual(
      [none.code, none.stderr],
      [2, 'PULSE_ALERT_URL: is required for --alert (or PULSE_ALERT_URL_FILE)\n'],
    );
  });
});
