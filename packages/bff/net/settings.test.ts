import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CERTIFICATE } from '../../testkit/src/service/certificate.ts';
import { folder, Net, pulsePath } from './kit.ts';

const PULSE = pulsePath('src_001');

/** The status returned for a request with this Host header. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { headers: { Host: host } }, (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject).end();
  });

describe('Settings', { concurrency: 2 }, () => {
  it('NODE_EXTRA_CA_CERTS can name the file with the service’s certificate', async () => {
    const path = join(folder(), 'ca.pem');
    writeFileSync(path, CERTIFICATE);
    await using net = await Net.start({ service: { isSecure: true }, env: { NODE_EXTRA_CA_CERTS: path } });
    await net.eventually(PULSE);
  });

  it('PULSE_DRAIN_MS is how long a stopping server reports that it isn’t ready but keeps responding, before it exits with 0', async () => {
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

  it('PULSE_ADMIN_HOSTS adds names of the admin port, which shares no routes with the public port', async () => {
    await using net = await Net.start({ env: { PULSE_ADMIN_HOSTS: 'ops.example.com' } });
    for (const [host, isAllowed] of [
      ['localhost', true],
      ['ops.example.com', true],
      ['evil.example.com', false],
    ] as const)
      for (const path of ['/status', '/metrics', '/', '/studio/'])
        assert.equal(((await statusFor(net.bff.adminUrl + path, host)) ?? 0) < 400, isAllowed, host + path);
    for (const path of ['/status', '/metrics', '/studio/']) assert.equal((await net.get(path)).status, 404, path);
    assert.equal((await net.admin(PULSE)).status, 404);
  });
});
