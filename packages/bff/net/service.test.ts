import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runBff } from '../../testkit/src/bff-process.ts';
import { until } from '../../testkit/src/until.ts';
import { serve } from '../src/testing/serve.ts';
import { Net, pulsePath, webhook } from './kit.ts';

const PULSE = pulsePath('src_001');
const MINUTE_MS = 60_000;
const NOT_FOUND = {
  kind: 'status',
  status: 404,
  body: JSON.stringify({ success: false, error: 'Not found' }),
} as const;

describe('The service', { concurrency: 2 }, () => {
  it('triggers an alert but loses no charts if it returns a 404 in the spec’s format for everything', async () => {
    await using hook = await webhook();
    await using net = await Net.start({ speed: 1, env: { PULSE_ALERT_URL: hook.url } });
    await net.eventually(PULSE);
    await net.service.fail(NOT_FOUND);
    for (let at = 0; at < 5; at += 1) {
      await net.push(3 * MINUTE_MS);
      assert.equal((await net.get(PULSE)).status, 200);
    }
    assert.notEqual((await net.status()).summary.level, 'ok');
    await until('an alert says so', () => hook.texts.length > 0);
  });

  it('counts as a problem and triggers an alert if it returns 429 for 10 minutes', async () => {
    await using hook = await webhook();
    await using net = await Net.start({ speed: 1, env: { PULSE_ALERT_URL: hook.url } });
    await net.eventually(PULSE);
    await net.service.fail({ kind: 'limited', retryAfterSeconds: 30 });
    for (let at = 0; at < 5; at += 1) {
      await net.push(3 * MINUTE_MS);
      await net.get(PULSE);
    }
    assert.doesNotMatch(JSON.stringify((await net.status()).problems), /resume automatically/);
    await until('an alert says so', () => hook.texts.length > 0);
  });

  it('can send JSON with a byte order mark', async () => {
    await using net = await Net.start();
    const meta = { account: { id: 'acc_1', email: 'a@a.test' }, requestedAt: new Date().toISOString() };
    const body = `\uFEFF${JSON.stringify({ meta, pulse: net.service.account.pulseOf('src_001', Date.now()) })}`;
    await net.service.fail({ kind: 'status', status: 200, body }, { target: 'pulse:src_001' });
    await until('it is served', async () => (await net.get(PULSE)).status === 200);
  });

  it('can reset idle connections without losing a reader’s response or being recorded as failing', async () => {
    await using net = await Net.start({ env: { PULSE_FRESH_MS: '100' } });
    await net.eventually(PULSE);
    for (let at = 0; at < 10; at += 1) {
      net.service.cutConnections();
      await pause(150);
      assert.equal((await net.get(PULSE)).json.meta.stale, false);
      assert.equal((await net.status()).hosts[0].consecutiveFailures, 0);
    }
  });

  it('isn’t considered down if a call was slow only because it waited for the budget', async () => {
    const env = {
      PULSE_RATE_LIMIT: '20',
      PULSE_RATE_RESERVE: '0',
      PULSE_RATE_WINDOW_MS: '10000',
      PULSE_UPSTREAM_TIMEOUT_MS: '3000',
    };
    await using net = await Net.start({ service: { sources: 30 }, env });
    await net.service.fail({ kind: 'slow', ms: 1_800 });
    const ids = net.service.ids.join(',');
    for (let at = 0; at < 5; at += 1) await net.get(`/v1/pulses?ids=${ids}`);
    assert.equal((await net.status()).hosts[0].consecutiveFailures, 0);
  });
});

describe('An outgoing proxy', () => {
  it('is used for https: calls but never for loopback; its 407 is reported without its password', async () => {
    const asked: string[] = [];
    await using proxy = await serve(() => undefined);
    proxy.server.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const HTTPS_PROXY = proxy.url.replace('http://', 'http://user:canary-word@');
    const env = { HTTPS_PROXY, PULSE_API_KEY: 'k'.repeat(30), PULSE_BASE_URL: 'https://service.invalid' };
    const { code, stdout, stderr } = await runBff(['check'], env);
    assert.equal(code, 1);
    assert.ok(asked.length > 0);
    assert.match(stdout + stderr, /407|proxy/i);
    assert.doesNotMatch(stdout + stderr, /canary-word/);
  });
});

describe('A cold start', () => {
  it('loads a page of ten cards within 6 s without showing an error in the meantime', async () => {
    const env = { PULSE_RATE_LIMIT: '60', PULSE_RATE_WINDOW_MS: '60000', PULSE_FRESH_MS: '15000' };
    await using net = await Net.start({ service: { sources: 10, limit: 60 }, env });
    const begun = performance.now();
    const path = `/v1/pulses?ids=${net.service.ids.join(',')}`;
    await until('it is complete', async () => {
      const { json } = await net.get(path);
      return json?.pulses?.every(({ ok }: { ok: boolean }) => ok);
    });
    assert.ok(performance.now() - begun <= 6_000, `${performance.now() - begun} ms`);
  });
});
