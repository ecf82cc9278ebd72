import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CERTIFICATE } from '../../testkit/src/service/certificate.ts';
import { folder, pulsePath, startNet } from './kit.ts';

const PULSE = pulsePath('src_001');

describe('Settings', { concurrency: 2 }, () => {
  it('NODE_EXTRA_CA_CERTS can name the file with the service’s certificate', async () => {
    const env = { NODE_EXTRA_CA_CERTS: folder().file('ca.pem', CERTIFICATE) };
    await using net = await startNet({ service: { isSecure: true }, env });
    await net.eventually(PULSE);
  });

  it('PULSE_DRAIN_MS is how long a stopping server reports that it isn’t ready but keeps responding, before it exits with 0', async () => {
    await using net = await startNet({ env: { PULSE_DRAIN_MS: '5000' } });
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
