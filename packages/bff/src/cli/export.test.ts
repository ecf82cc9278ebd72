import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fullPulse, sourcesBody } from '@pulse-card/contract/examples';
import { runProcess, runToEnd, startBffProcess } from '../testing/bff-process.ts';
import { pngOf, sendPng, startFakeCdn } from '../testing/fake-cdn.ts';
import { account, answerWell, sendJson, startFakeService } from '../testing/fake-service.ts';
import { describeWithRedis, until } from '../testing/instances.ts';
import { startRedis } from '../testing/redis-server.ts';
import { createProgress } from './export.ts';

const KEY = 'canary-key-0123456789';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const exportTo = (variables: Record<string, string>, ...words: string[]) =>
  runToEnd({ PULSE_API_KEY: KEY, PULSE_BASE_URL: 'http://127.0.0.1:9', ...variables }, ['export', ...words]);

function textsIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return all
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path), 'utf8'));
}

describe('pulse-bff export', () => {
  it('writes all there is with a call for each source, and nothing private in lines or files', async () => {
    await using service = await startFakeService();
    const { code, stdout, stderr } = await exportTo({ PULSE_BASE_URL: service.url }, root);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(service.arrivals.length, 1 + sourcesBody.sources.length);
    assert.match(stdout, /^\[1\/2\] \S+\n\[2\/2\] \S+\n1 pulse in \S+\n$/);
    assert.ok(JSON.parse(readFileSync(join(root, 'v1/pulses'), 'utf8')));
    for (const text of [stdout, ...textsIn(root)])
      for (const secret of [KEY, account.id, account.email]) assert.ok(!text.includes(secret));
  });

  it('writes charts from the hosts that are named', async () => {
    await using service = await startFakeService();
    await using cdn = await startFakeCdn();
    cdn.answer = sendPng(pngOf());
    service.answer = (request, response) => {
      if (request.url !== '/v1/sources/src_1/pulse') return answerWell(request, response);
      const pulse = { ...fullPulse, imageUrl: `http://${cdn.host}/a.png` };
      return sendJson(response, 200, { meta: { account, requestedAt: new Date().toISOString() }, pulse });
    };
    const variables = { PULSE_IMAGE_HOSTS: cdn.host, PULSE_PUBLIC_URL: 'https://cards.test/x' };
    const { code, stdout } = await exportTo({ PULSE_BASE_URL: service.url, ...variables }, root, '--images');
    assert.equal(code, 0, stdout);
    const { pulse } = JSON.parse(readFileSync(join(root, 'v1/sources/src_1/pulse'), 'utf8')) as {
      pulse: { imageUrl: string };
    };
    const path = pulse.imageUrl.replace('https://cards.test/x/', '');
    assert.ok(readFileSync(join(root, path)).equals(pngOf()));
  });

  it('writes a pulse without its chart where that comes from no named host, as readers of a BFF get it', async () => {
    await using service = await startFakeService();
    const variables = { PULSE_IMAGE_HOSTS: 'other.test', PULSE_PUBLIC_URL: 'https://cards.test/x' };
    const { code } = await exportTo({ PULSE_BASE_URL: service.url, ...variables }, root, '--images');
    assert.equal(code, 0);
    assert.match(readFileSync(join(root, 'v1/sources/src_1/pulse'), 'utf8'), /"imageUrl":null/);
  });

  it('ends with 1 and says what to do where the service is not there', async () => {
    const { code, stdout } = await exportTo({ PULSE_UPSTREAM_TIMEOUT_MS: '500' }, root);
    assert.equal(code, 1);
    assert.match(stdout, /PULSE_BASE_URL[^]*\nNothing was written: /);
    assert.deepEqual(readdirSync(root), []);
  });

  it('ends with 1 and says what to do where the key is refused', async () => {
    await using service = await startFakeService((_request, response) =>
      sendJson(response, 401, { success: false, error: KEY }),
    );
    const { code, stdout, stderr } = await exportTo({ PULSE_BASE_URL: service.url }, root);
    assert.equal(code, 1);
    assert.match(stdout, /pulse-bff check/);
    assert.ok(!(stdout + stderr).includes(KEY));
  });

  const refused: [why: string, variables: Record<string, string>, words: string[], says: RegExp][] = [
    ['no configuration', { PULSE_BASE_URL: '' }, ['DIR'], /^PULSE_BASE_URL: /],
    ['no folder', {}, [], /^missing required argument 'dir'\n/],
    ['charts from nowhere', {}, ['DIR', '--images'], /^PULSE_IMAGE_HOSTS: .*\nPULSE_PUBLIC_URL: /],
    [
      'a key file that is not there',
      { PULSE_API_KEY: '', PULSE_API_KEY_FILE: '/nonexistent' },
      ['DIR'],
      /^PULSE_API_KEY_FILE: /,
    ],
  ];
  for (const [why, variables, words, says] of refused)
    it(`ends with 2 and writes nothing: ${why}`, async () => {
      const { code, stderr } = await exportTo(variables, ...words.map((word) => (word === 'DIR' ? root : word)));
      assert.equal(code, 2);
      assert.match(stderr, says);
      assert.deepEqual(readdirSync(root), []);
    });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`ends with 1 and leaves no lock on ${signal}`, async () => {
      await using service = await startFakeService(() => {});
      const variables = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url };
      await using exporting = runProcess(variables, ['export', root]);
      await until('it asks', () => service.arrivals.length > 0);
      assert.notDeepEqual(readdirSync(root), []);
      exporting.signal(signal);
      const { code, stderr } = await exporting.ended;
      assert.deepEqual(
        [code, stderr],
        [1, 'The export was stopped: what it has written is whole, the rest is as it was\n'],
      );
      assert.deepEqual(readdirSync(root), []);
    });

  it('ends with 2 where pulses are private: a file can’t ask for a token', async () => {
    const variables = {
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: '/nonexistent',
      PULSE_ALLOWED_ORIGINS: 'https://a.test',
    };
    const { code, stderr } = await exportTo(variables, root);
    assert.deepEqual([code, stderr.split(':')[0]], [2, 'PULSE_ACCESS']);
  });
});

describe('createProgress()', () => {
  it('writes over one line on a terminal, and leaves lines that matter', () => {
    let text = '';
    const progress = createProgress({ isTTY: true, write: (part) => (text += part) });
    progress.at(1, 2, 'src_1');
    progress.print('src_1 failed');
    progress.at(2, 2, 'src_2');
    assert.equal(text, '\r\u001B[K[1/2] src_1\r\u001B[Ksrc_1 failed\n\r\u001B[K[2/2] src_2');
  });
});

describeWithRedis('pulse-bff export with a REDIS_URL', () => {
  it('writes all there is beside a running instance, which goes on refreshing', async () => {
    await using redis = await startRedis();
    await using service = await startFakeService();
    // The account waits for a whole window where Redis is empty.
    const times = { PULSE_FRESH_MS: '1000', PULSE_RATE_WINDOW_MS: '4000' };
    const shared = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, REDIS_URL: redis.url, ...times };
    await using bff = await startBffProcess({ ...shared, PULSE_CLIENT_RATE: '0' });
    const pulse = () => fetch(`${bff.url}/v1/sources/src_1/pulse`);
    await until('the instance has a pulse', async () => (await pulse()).status === 200);
    const callsBefore = service.arrivals.length;
    const { code, stdout } = await exportTo(shared, root);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /1 pulse in \S+\n$/);
    await until('the instance asks again', async () => {
      await pulse();
      return service.arrivals.length > callsBefore + 1 + sourcesBody.sources.length;
    });
  });
});
