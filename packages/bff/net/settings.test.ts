import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { CERTIFICATE } from '../../testkit/src/service/certificate.ts';
import { runBff } from '../../testkit/src/bff-process.ts';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath } from './kit.ts';

const PULSE = pulsePath('src_001');

/** The status returned for a request with this Host header. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { headers: { Host: host } }, (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject).end();
  });

describe('The service’s URL', { concurrency: true }, () => {
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
