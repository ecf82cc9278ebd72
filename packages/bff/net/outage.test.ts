import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import type { Fault } from '../../testkit/src/service/fault.ts';
import { folder, type Net, pulsePath, startNet, webhook } from './kit.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PATHS = [
  pulsePath('src_001'),
  '/v1/pulses?ids=src_001,src_002',
  '/v1/sources',
  '/embed/src_001',
  '/v1/sources/src_001/fragment',
  '/v1/sources/src_001/image',
];
const CHARTS = { PULSE_IMAGES: 'proxy', PULSE_ALLOW_HTTP_UPSTREAM: 'on' };

const start = async (env: Record<string, string> = {}) => {
  const net = await startNet({ env: { ...CHARTS, ...env }, service: { hasCharts: true }, speed: 1 });
  for (const path of PATHS) await net.eventually(path);
  return net;
};

/** Checks that readers still get every earlier response, and that data is marked as stale. */
async function servesAll(net: Net, when: string): Promise<void> {
  for (const path of PATHS) {
    const { status, text, json, headers } = await net.get(path);
    assert.equal(status, 200, `${when}, ${path}: ${text}`);
    if (json?.meta !== undefined) assert.equal(json.meta.stale, true, `${when}, ${path}`);
    assert.doesNotMatch(headers.get('cache-control') ?? '', /no-store/);
  }
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'resets connections': { kind: 'reset' },
  'is behind a proxy that answers 404': { kind: 'foreign-404', by: 'nginx' },
  'answers 429': { kind: 'limited' },
};

describe('During an outage, readers keep every response for exactly 24 hours: the service', () => {
  let net: Net;
  before(async () => {
    net = await start();
  });
  after(() => net[Symbol.asyncDispose]());

  for (const [what, fault] of Object.entries(FAULTS))
    it(what, async () => {
      await net.service.recover();
      await net.push(MINUTE_MS);
      for (const path of PATHS) await net.eventually(path);
      await until('answers are new', async () => (await net.get(PATHS[0] ?? '')).json.meta.stale === false);
      await net.service.fail(fault);
      await net.push(MINUTE_MS);
      await servesAll(net, 'after a minute');
      await net.push(23 * HOUR_MS);
      await servesAll(net, 'after 23 hours');
      await net.push(2 * HOUR_MS);
      const { status, json, headers } = await net.get(PATHS[0] ?? '');
      assert.match(`${status} ${json.code}`, /^(?:502 upstream_invalid|503 upstream_\w+)$/);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      assert.match(headers.get('cache-control') ?? '', /no-store/);
    });
});

describe('During an outage', { concurrency: 3 }, () => {
  it('with PULSE_STATE_DIR, readers keep every response even if the process is killed, which doesn’t restart the 24 hours', async () => {
    await using net = await start({ PULSE_STATE_DIR: folder().path });
    await net.push(MINUTE_MS);
    await net.service.fail({ kind: 'refuse' });
    await net.push(12 * HOUR_MS);
    await net.bff.kill();
    await net.bff.restart();
    await net.eventually('/readyz');
    for (const path of PATHS.filter((each) => !each.endsWith('image')))
      assert.equal((await net.get(path)).status, 200, path);
    await net.push(13 * HOUR_MS);
    assert.equal((await net.get(PATHS[0] ?? '')).status, 503);
  });
});

describe('Alerts', () => {
  it('report that the service is down and, even after a restart, that it responds again', async () => {
    await using hook = await webhook();
    await using net = await startNet({ env: { PULSE_ALERT_URL: hook.url, PULSE_STATE_DIR: folder().path }, speed: 20 });
    await net.eventually(PATHS[0] ?? '');
    const message = (number: number) =>
      until(`message ${number} arrives`, async () => {
        await net.push(60_000);
        await net.get(PATHS[0] ?? '');
        return hook.texts.length >= number;
      });
    await net.service.fail({ kind: 'reset' });
    await message(1);
    assert.match(hook.texts[0] ?? '', /• The service has been failing for/);
    await net.bff.stop();
    await net.bff.restart();
    await net.service.recover();
    await message(2);
    assert.match(hook.texts[1] ?? '', /• Over: The service has been failing for/);
  });
});
