import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { CERTIFICATE } from '../../testkit/src/service/certificate.ts';
import { BffProcess, runBff } from '../../testkit/src/bff-process.ts';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath, QUICK } from './kit.ts';

const PULSE = pulsePath('src_001');

/** The status returned for a request with this Host header. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { headers: { Host: host } }, (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject).end();
  });

describe('The service’s URL', { concurrency: true }, () => {
  it('must be https:, except on loopback or with PULSE_ALLOW_HTTP_UPSTREAM; the log and /status report the exception', async () => {
    const env = { PULSE_API_KEY: SERVICE_KEY, PULSE_BASE_URL: 'http://service.internal' };
    const refused = await runBff(['serve'], env);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^PULSE_BASE_URL: .*PULSE_ALLOW_HTTP_UPSTREAM/m);
    const upstream = { urls: { A: 'http://127.0.0.1.nip.invalid:9', B: '' } };
    const allowed = { PULSE_ALLOW_HTTP_UPSTREAM: 'on' };
    await using bff = await BffProcess.start({ upstream, from: 'source', env: allowed, maxLines: 1_000 });
    const status = await (await fetch(`${bff.adminUrl}/status`)).text();
    assert.match(status, /PULSE_ALLOW_HTTP_UPSTREAM|plain http/i);
    assert.match(bff.lastLines.join('\n'), /PULSE_ALLOW_HTTP_UPSTREAM|plain http/i);
  });

  it('is never called by name over http:, unless the name resolves to a private network', async () => {
    const upstream = { urls: { A: 'http://203.0.113.9', B: '' } };
    const env = { PULSE_ALLOW_HTTP_UPSTREAM: 'on', PULSE_UPSTREAM_TIMEOUT_MS: '1000' };
    const { code, stderr } = await runBff(['check'], {
      PULSE_API_KEY: SERVICE_KEY,
      PULSE_BASE_URL: upstream.urls.A,
      ...env,
    });
    assert.notEqual(code, 0);
    assert.doesNotMatch(stderr, new RegExp(SERVICE_KEY));
  });

  it('must have a certificate that the machine trusts, or nothing is sent', async () => {
    await using net = await Net.start({ service: { isSecure: true } });
    const answer = await net.get(PULSE);
    assert.ok([404, 503].includes(answer.status), String(answer.status));
    await until('it was tried', async () => (await net.status()).hosts[0].consecutiveFailures > 0);
    assert.deepEqual(net.service.calls, []);
    const ended = await runBff(['check'], net.bff.env);
    assert.equal(ended.code, 1);
    assert.match(ended.stdout + ended.stderr, /TLS|certificate/i);
    assert.match(ended.stdout + ended.stderr, /127\.0\.0\.1/);
  });

  it('works with a certificate from NODE_EXTRA_CA_CERTS', async () => {
    const path = join(folder(), 'ca.pem');
    writeFileSync(path, CERTIFICATE);
    await using net = await Net.start({ service: { isSecure: true }, env: { NODE_EXTRA_CA_CERTS: path } });
    await net.eventually(PULSE);
  });
});

describe('PULSE_DRAIN_MS', () => {
  it('is how long a stopping server reports that it isn’t ready but keeps responding, before it exits with 0', async () => {
    await using net = await Net.start({ env: { PULSE_DRAIN_MS: '5000' } });
    await net.eventually(PULSE);
    await net.eventually('/readyz');
    const begun = performance.now();
    net.bff.signal('SIGTERM');
    assert.match((await net.eventually('/readyz', 503)).text, /This server is stopping/);
    assert.equal((await net.get(PULSE)).status, 200);
    assert.equal((await net.get('/healthz')).status, 200);
    assert.equal(await net.bff.ended, 0);
    const ms = performance.now() - begun;
    assert.ok(ms >= 4_900, String(ms));
  });
});

describe('The admin port', { concurrency: true }, () => {
  it('responds only under loopback names and those in PULSE_ADMIN_HOSTS, and shares no routes with the public port', async () => {
    await using net = await Net.start({ env: { PULSE_ADMIN_HOSTS: 'ops.example.com' } });
    for (const [host, isAllowed] of [
      ['localhost', true],
      ['127.0.0.1', true],
      ['[::1]', true],
      ['ops.example.com', true],
      ['OPS.example.com:8080', true],
      ['evil.example.com', false],
      ['ops.example.com.evil.test', false],
      ['203.0.113.7', false],
    ] as const)
      for (const path of ['/status', '/metrics', '/', '/studio/'])
        assert.equal(((await statusFor(net.bff.adminUrl + path, host)) ?? 0) < 400, isAllowed, host + path);
    for (const path of ['/status', '/metrics', '/studio/']) assert.equal((await net.get(path)).status, 404, path);
    assert.equal((await net.admin(PULSE)).status, 404);
  });

  it('if it isn’t on loopback, also accepts IP addresses, names without a dot, and .local and .internal names', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal);
    await using net = await Net.start({ env: { PULSE_ADMIN_HOST: address?.address ?? '0.0.0.0' } });
    const url = `http://${address?.address ?? '127.0.0.1'}:${new URL(net.bff.adminUrl).port}/status`;
    for (const host of ['10.1.2.3', 'bff', 'bff.local', 'bff.ns.internal'])
      assert.equal(await statusFor(url, host), 200, host);
    for (const host of ['evil.example.com', 'internal.evil.test'])
      assert.notEqual(await statusFor(url, host), 200, host);
    assert.match(net.log, /PULSE_ADMIN_HOST/);
  });
});

describe('Files that change', { concurrency: true }, () => {
  it('a key file is reread within PULSE_KEY_RELOAD_MS; if it can’t be read, the last key stays in use', async () => {
    const path = join(folder(), 'key');
    writeFileSync(path, SERVICE_KEY);
    await using net = await Net.start({ env: { PULSE_API_KEY_FILE: path, PULSE_KEY_RELOAD_MS: '100' } });
    await net.eventually(PULSE);
    net.service.keys.set('key-number-two-0123456789', { list: true, pulses: true });
    writeFileSync(path, '');
    await net.eventually(PULSE);
    writeFileSync(`${path}.new`, 'key-number-two-0123456789\n');
    renameSync(`${path}.new`, path);
    const used = () => net.get(PULSE).then(() => net.service.calls.at(-1)?.key === 'key-number-two-0123456789');
    await until('the new key is used', used);
  });

  it('a withheld run’s text disappears from every response and comes back when the run is restored', async () => {
    const path = join(folder(), 'withheld');
    writeFileSync(path, '');
    const env = { PULSE_WITHHELD_FILE: path, PULSE_HISTORY: '5', PULSE_KEY_RELOAD_MS: '100' };
    await using net = await Net.start({ env, speed: 1 });
    const run = net.service.account.deliver('src_001', {
      aiSummaryShort: 'a wrong text',
      aiSummaryLong: 'a wrong text!',
    });
    const paths = [
      PULSE,
      '/v1/pulses?ids=src_001',
      '/v1/sources/src_001/runs',
      '/v1/sources/src_001/fragment',
      '/embed/src_001',
    ];
    const oembed = `/oembed?url=${encodeURIComponent('https://pulse.test/embed/src_001')}`;
    const has = async () =>
      (await Promise.all([...paths, oembed].map((each) => net.get(each)))).map(({ text }) =>
        text.includes('a wrong text'),
      );
    const tag = (await net.eventually(PULSE)).headers.get('etag') ?? '';
    await until('all show it', async () => (await has()).every(Boolean));
    assert.equal((await runBff(['withhold', run], net.bff.env)).code, 0);
    await net.push(60_000);
    await until('none shows it', async () => !(await has()).some(Boolean));
    const after = await net.get(PULSE, { 'If-None-Match': tag });
    assert.deepEqual([after.status, after.json.pulse.withheld, after.json.pulse.aiSummaryShort], [200, true, null]);
    assert.ok(after.json.pulse.imageUrl);
    renameSync(path, `${path}.gone`);
    await net.push(120_000);
    assert.ok(!(await has()).some(Boolean), 'a vanished file releases nothing');
    renameSync(`${path}.gone`, path);
    assert.equal((await runBff(['release', run], net.bff.env)).code, 0);
    await net.push(60_000);
    await until('all show it again', async () => (await has()).every(Boolean));
  });
});

describe('A response', () => {
  it('is fetched again only after PULSE_FRESH_MS', async () => {
    await using net = await Net.start({ env: { ...QUICK, PULSE_FRESH_MS: '60000' }, speed: 1 });
    await net.eventually(PULSE);
    const calls = net.service.callsFor('src_001').length;
    for (let at = 0; at < 20; at += 1) await net.get(PULSE);
    assert.equal(net.service.callsFor('src_001').length, calls);
    await net.push(61_000);
    await until(
      'it is fetched again',
      async () => (await net.get(PULSE)) && net.service.callsFor('src_001').length > calls,
    );
  });
});
