import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath } from './kit.ts';

const PULSE = pulsePath('src_001');
const B = 'key-b-0123456789abcdef';
const [ALL, PULSES, LIST] = [
  { list: true, pulses: true },
  { list: false, pulses: true },
  { list: true, pulses: false },
];
const MINUTE_MS = 60_000;

async function rotated(rights: typeof ALL): Promise<Net> {
  const path = join(folder(), 'key');
  writeFileSync(path, SERVICE_KEY);
  const env = { PULSE_API_KEY_FILE: path, PULSE_KEY_RELOAD_MS: '100', PULSE_SOURCES: 'listed,src_001' };
  const net = await Net.start({ env, speed: 1 });
  await net.eventually(PULSE);
  net.service.keys.clear();
  await until(
    'the key is rejected',
    async () => (await net.get(PULSE)) && (await net.status()).key.state === 'refused',
  );
  net.service.keys.set(B, rights);
  writeFileSync(path, B);
  await net.push(MINUTE_MS);
  return net;
}

describe('A key that allows only one operation', { concurrency: 2 }, () => {
  it('still reads pulses after a key rotation', async () => {
    await using net = await rotated(PULSES);
    const run = net.service.account.deliver('src_001');
    await net.push(2 * MINUTE_MS);
    await until('it is served', async () => (await net.get(PULSE)).json?.pulse?.jobRunId === run);
  });

  it('still reads the list after a key rotation', async () => {
    await using net = await rotated(LIST);
    net.service.account.setSource('src_002', { name: 'A new name' });
    await net.push(2 * MINUTE_MS);
    await until('it is listed', async () => (await net.get('/v1/sources')).text.includes('A new name'));
  });

  it('a scope that the key regains is used again without a key rotation', async () => {
    await using net = await Net.start({ speed: 1, env: { PULSE_SOURCES: 'listed,src_001' } });
    net.service.keys.set(SERVICE_KEY, LIST);
    await net.push(2 * MINUTE_MS);
    await net.get(PULSE);
    net.service.keys.set(SERVICE_KEY, ALL);
    await net.push(2 * MINUTE_MS);
    await net.eventually(PULSE);
  });
});

describe('/readyz', { concurrency: 2 }, () => {
  for (const [what, fault] of [
    ['answers 500', { kind: 'status', status: 500 }],
    ['hangs', { kind: 'hang' }],
  ] as const)
    it(`one broken ID doesn’t keep an instance from becoming ready: it ${what}`, async () => {
      await using net = await Net.start({
        env: { PULSE_SOURCES: 'src_broken,src_002', PULSE_UPSTREAM_TIMEOUT_MS: '1000' },
        prepare: (service) => {
          service.keys.set(SERVICE_KEY, PULSES);
          return service.fail(fault, { target: 'pulse:src_broken' });
        },
      });
      await net.eventually('/readyz');
    });

  it('returns 503 after the BFF starts without data, until each known source has loaded or failed', async () => {
    await using net = await Net.start({
      service: { sources: 5 },
      env: { PULSE_UPSTREAM_TIMEOUT_MS: '7500' },
      prepare: (service) => service.fail({ kind: 'hang' }, { target: 'pulse' }),
    });
    await net.eventually('/v1/sources');
    assert.equal((await net.get('/readyz')).status, 503);
  });
});

describe('While the key is rejected', () => {
  it('stale-if-error is what remains of PULSE_AUTH_STALE_MS', async () => {
    await using net = await Net.start({ speed: 1 });
    await net.eventually(PULSE);
    net.service.keys.clear();
    await net.push(MINUTE_MS);
    await until('it is noticed', async () => (await net.get(PULSE)) && (await net.status()).key.state === 'refused');
    const { headers } = await net.get(PULSE);
    for (const name of ['cache-control', 'cdn-cache-control']) {
      const seconds = Number(/stale-if-error=(\d+)/.exec(headers.get(name) ?? '')?.[1] ?? 0);
      assert.ok(seconds <= 600, `${name}: ${seconds}`);
    }
  });
});

describe('Stored data', () => {
  it('is kept if the key is the same, even if no response identified an account', async () => {
    const state = folder();
    await using net = await Net.start({ speed: 1, env: { PULSE_STATE_DIR: state } });
    const nameless = async () =>
      net.service.fail({ kind: 'status', status: 200, body: bodyWithoutAccount(net) }, { target: 'pulse:src_001' });
    await nameless();
    await net.eventually(PULSE);
    await net.push(MINUTE_MS);
    await net.bff.stop();
    await net.service.recover();
    await net.service.fail({ kind: 'status', status: 500 }, { target: 'pulse:src_001' });
    await net.bff.restart();
    await net.push(MINUTE_MS);
    assert.equal((await net.get(PULSE)).status, 200);
  });
});

function bodyWithoutAccount(net: Net): string {
  const pulse = net.service.account.pulseOf('src_001', Date.now());
  return JSON.stringify({ meta: { requestedAt: new Date().toISOString() }, pulse });
}
