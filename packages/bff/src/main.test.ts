import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEvents } from './testing/event-reader.ts';
import { runToEnd, startBffProcess } from './testing/bff-process.ts';
import { answerWell, startFakeService } from './testing/fake-service.ts';

const KEY = 'canary-key-0123456789';

describe('pulse-bff serve', () => {
  it('T-10, T-66: ends with 1 and a line for each fault where the configuration is bad', async () => {
    const { code, stdout, stderr } = await runToEnd({ PULSE_API_KEY: 'canary\r\nX: y', PORT: 'canary' });
    assert.equal(code, 1);
    assert.deepEqual(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
      ['PULSE_API_KEY', 'PULSE_BASE_URL', 'PORT'],
    );
    assert.doesNotMatch(stdout + stderr, /canary/);
  });

  for (const variable of ['PORT', 'PULSE_ADMIN_PORT']) {
    it(`ends with 1 and one line where the port of ${variable} is taken`, async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => {
        taken.once('listening', resolve);
      });
      const { port } = taken.address() as AddressInfo;
      const base = { PULSE_API_KEY: KEY, PULSE_BASE_URL: 'http://127.0.0.1:9', HOST: '127.0.0.1' };
      const ended = await runToEnd({ ...base, PORT: '0', PULSE_ADMIN_PORT: '0', [variable]: String(port) });
      taken.close();
      assert.equal(ended.code, 1);
      assert.equal(ended.stderr, `Cannot listen on port ${port} (${variable}): it is taken\n`);
    });
  }

  it('ends with 1 and one line where the key file can not be read', async () => {
    const ended = await runToEnd({
      PULSE_API_KEY_FILE: '/nonexistent/key',
      PULSE_BASE_URL: 'http://127.0.0.1:9',
      PORT: '0',
      PULSE_ADMIN_PORT: '0',
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^PULSE_API_KEY_FILE: [^\n]+\n$/);
  });

  for (const folder of ['/dev/null/state', '/dev/null', fileURLToPath(import.meta.url)])
    it(`ends with 2 and one line where the state can not be kept: ${folder}`, { timeout: 20_000 }, async () => {
      const { code, stderr } = await runToEnd({
        PULSE_API_KEY: KEY,
        PULSE_BASE_URL: 'http://127.0.0.1:9',
        PULSE_STATE_DIR: folder,
        PORT: '0',
        PULSE_ADMIN_PORT: '0',
      });
      assert.equal(code, 2);
      assert.match(stderr, /^PULSE_STATE_DIR: [^\n]+\n$/);
    });

  it('stops in order: not ready at once, what is under way answered, exit 0', async () => {
    await using service = await startFakeService();
    const held: (() => void)[] = [];
    service.answer = (asked, response) => {
      if (asked.url === '/v1/sources') answerWell(asked, response);
      else held.push(() => answerWell(asked, response));
    };
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    const underWay = fetch(`${bff.url}/v1/sources/src_1/pulse`);
    while (held.length === 0) await new Promise(setImmediate);
    bff.signal('SIGTERM');
    let ready = await fetch(`${bff.url}/readyz`);
    while (ready.status === 200) ready = await fetch(`${bff.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(ready.headers.get('Connection'), 'close');
    for (const answer of held) answer();
    const response = await underWay;
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Connection'), 'close');
    assert.ok(((await response.json()) as { pulse: object }).pulse);
    assert.equal((await bff.ended).code, 0);
  });

  it('says good-bye to live readers, and does not wait for those who do not read', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    const readers = await Promise.all([1, 2, 3].map(() => openEvents(`${bff.url}/v1/events?ids=src_1`)));
    await openEvents(`${bff.url}/v1/events?ids=src_1`);
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as { live: { readers: number } };
    assert.equal(status.live.readers, 4);
    assert.match(await (await fetch(`${bff.adminUrl}/metrics`)).text(), /^pulse_bff_live_readers 4$/m);
    bff.signal('SIGTERM');
    for (const reader of readers) {
      const { retry } = (await reader.next(({ event }) => event === 'bye')) ?? {};
      assert.ok(Number(retry) >= 2_000 && Number(retry) <= 10_000);
      assert.equal(await reader.next(), undefined);
    }
    assert.equal((await bff.ended).code, 0);
  });

  it('ends at once at the second signal', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    bff.signal('SIGINT');
    while ((await fetch(`${bff.url}/readyz`)).status === 200);
    bff.signal('SIGINT');
    assert.equal((await bff.ended).code, 1);
  });
});

describe('pulse-bff check', () => {
  it('ends with 0 where the key works, and prints the account', async () => {
    await using service = await startFakeService();
    const { code, stdout } = await runToEnd({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url }, ['check']);
    assert.equal(code, 0);
    assert.match(stdout, /^Account: canary\+owner@pii\.test/);
    assert.doesNotMatch(stdout, /canary-key/);
  });

  it('ends with 1 where it does not', async () => {
    const { code } = await runToEnd({ PULSE_API_KEY: KEY, PULSE_BASE_URL: 'http://127.0.0.1:9' }, ['check']);
    assert.equal(code, 1);
  });

  it('ends with 2 where the configuration is bad', async () => {
    assert.equal((await runToEnd({}, ['check'])).code, 2);
  });
});

describe('The private port', () => {
  it('shows status, metrics and a page, to this machine alone', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as { key: unknown; answers: unknown };
    assert.deepEqual(status.key, { state: 'accepted' });
    assert.deepEqual(status.answers, { miss: 1, hit: 1 });
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    const line = 'pulse_bff_answers_total{route="/v1/sources/:sourceId/pulse",status="200",cache="hit"} 1';
    assert.ok(metrics.includes(line));
    assert.match(metrics, /^nodejs_eventloop_lag_p99_seconds /m);
    assert.match(await (await fetch(bff.adminUrl)).text(), /All well/);
    assert.equal((await fetch(`${bff.adminUrl}/none`)).status, 404);
    assert.equal((await fetch(bff.adminUrl, { method: 'POST' })).status, 405);
    assert.equal(await statusForHost(`${bff.adminUrl}/status`, 'rebound.evil.test'), 403);
  });
});

function statusForHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    request(url, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
}
