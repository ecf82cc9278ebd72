import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Net, pulsePath, startNet } from './kit.ts';

const PULSE = pulsePath('src_001');

let net: Net;
before(async () => {
  net = await startNet({ env: { PULSE_FRESH_MS: '600000', PULSE_ALLOWED_ORIGINS: 'https://site.test' } });
  await net.eventually(PULSE);
});
after(() => net[Symbol.asyncDispose]());

/** The status of the first response to these bytes; 0 if the connection is closed without one. */
function statusOf(text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(net.bff.url).port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });
}

describe('A request', () => {
  it('can’t bypass the cache with a query, a header, a cookie, or a range (T-12, T-14)', async () => {
    const { text } = await net.get(PULSE);
    const calls = net.service.calls.length;
    for (const headers of [
      { 'Cache-Control': 'no-cache' },
      { Cookie: 'a=1' },
      { Range: `bytes=${Array.from({ length: 1_000 }, (_, at) => `${at}-${at}`).join()}` },
    ] as Record<string, string>[]) {
      const answer = await net.get(`${PULSE}?x=${Math.random()}`, headers);
      assert.deepEqual([answer.status, answer.text], [200, text]);
    }
    assert.equal(net.service.calls.length, calls);
  });

  it('can have 32 kB of headers (T-21)', async () => {
    for (const headers of [
      { Cookie: `a=${'b'.repeat(30_000)}` },
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`X-Login-${at}`, 'c'.repeat(400)])),
    ])
      assert.equal((await net.get(PULSE, headers)).status, 200);
  });

  it('must have exactly one Host header and one length header (T-17)', async () => {
    assert.equal(await statusOf(`GET ${PULSE} HTTP/1.1\r\n\r\n`), 400);
    const lengths = 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n';
    assert.equal(await statusOf(`GET ${PULSE} HTTP/1.1\r\nHost: a\r\n${lengths}\r\n0\r\n\r\n`), 400);
  });

  it('can’t change absolute URLs with headers (T-19)', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'gopher', Forwarded: 'host=evil.test' };
    for (const path of [PULSE, '/embed/src_001', '/v1/sources']) {
      const answer = await net.get(path, headers);
      assert.doesNotMatch(answer.text + JSON.stringify([...answer.headers]), /evil\.test|gopher/, path);
    }
  });

  it('must match a path exactly (T-20)', async () => {
    const tails = ['/x.css', '.css', '/', '%2Fx.css', ';x.css'];
    for (const path of [...tails.map((tail) => PULSE + tail), PULSE.replace('/pulse', '/Pulse')])
      assert.equal((await net.get(path)).status, 404, path);
  });

  it('can reach only the route for its path, even with an unusual target (T-80)', async () => {
    assert.equal(await statusOf(`GET ${pulsePath('src_none')}#${PULSE} HTTP/1.1\r\nHost: a\r\n\r\n`), 404);
    const foreign = [
      `\\v1\\sources`,
      '/v1/../status',
      '//evil.test/status',
      '/v1/%2e%2e/metrics',
      '/status',
      '/studio/',
    ];
    for (const target of foreign)
      assert.ok([400, 404].includes(await statusOf(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)), target);
  });
});
