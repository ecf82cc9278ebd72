import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import type { Fault } from '../../testkit/src/service/fault.ts';
import { folder, Net, pulsePath } from './kit.ts';

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
  const net = await Net.start({ env: { ...CHARTS, ...env }, service: { hasCharts: true }, speed: 1 });
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
  'rejects connections': { kind: 'refuse' },
  'answers 500': { kind: 'status', status: 500 },
  'is behind a gateway that answers 502 in HTML': { kind: 'gateway', status: 502, limit: '5' },
  'is behind a proxy that answers 404': { kind: 'foreign-404', by: 'nginx' },
  'sends half of its answers': { kind: 'broken-json' },
  'sends HTML with 200': {
    kind: 'status',
    status: 200,
    body: '<!doctype html>',
    headers: { 'content-type': 'text/html' },
  },
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
  it('with PULSE_STATE_DIR, readers keep every response across a restart, which doesn’t restart the 24 hours', async () => {
    await using net = await start({ PULSE_STATE_DIR: folder() });
    await net.push(MINUTE_MS);
    await net.service.fail({ kind: 'refuse' });
    await net.push(12 * HOUR_MS);
    await net.bff.stop();
    await net.bff.restart();
    await net.eventually('/readyz');
    for (const path of PATHS.filter((each) => !each.endsWith('image')))
      assert.equal((await net.get(path)).status, 200, path);
    await net.push(13 * HOUR_MS);
    assert.equal((await net.get(PATHS[0] ?? '')).status, 503);
  });

  it('stored responses survive when the process is killed', async () => {
    await using net = await start({ PULSE_STATE_DIR: folder() });
    await net.push(2 * MINUTE_MS);
    await net.service.fail({ kind: 'refuse' });
    await net.bff.kill();
    await net.bff.restart();
    assert.equal((await net.eventually(PATHS[0] ?? '')).json.meta.stale, true);
  });

  it('with a rejected key, readers keep every response for 10 minutes, even across a restart', async () => {
    await using net = await start({ PULSE_STATE_DIR: folder() });
    await net.push(MINUTE_MS);
    net.service.keys.clear();
    await net.push(MINUTE_MS);
    await until(
      'it is noticed',
      async () => (await net.get(PATHS[0] ?? '')) && (await net.status()).key.state === 'refused',
    );
    await net.push(8 * MINUTE_MS);
    await servesAll(net, 'after 9 minutes');
    await net.bff.stop();
    await net.bff.restart();
    await net.push(4 * MINUTE_MS);
    const { status, json } = await net.get(PATHS[0] ?? '');
    assert.deepEqual([status, json.code], [503, 'upstream_auth']);
  });
});
