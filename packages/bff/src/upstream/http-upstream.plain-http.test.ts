import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answersWith, startScriptedServer } from '../testing/scripted-server.ts';
import { pulseBody } from '@pulse-card/contract/examples';
import { ApiKey } from './api-key.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { fixedKeyRing } from './key-file.ts';

const KEY = 'CANARYk3y_0123456789abcdef';

/** Asks for a pulse at `http://service.test`, which leads to `addresses`; a real server answers whatever is asked. */
async function askAt(addresses: readonly string[], { allowHttpUpstream = true } = {}) {
  await using server = await startScriptedServer(answersWith(pulseBody));
  const key = ApiKey.from(KEY);
  assert.ok(key);
  const upstream = createHttpUpstream({
    baseUrl: 'http://service.test',
    key: fixedKeyRing(key),
    timeoutMs: 60_000,
    allowHttpUpstream,
    resolve: () => Promise.resolve(addresses),
    fetch: (_url, init) => fetch(`${server.baseUrl}/v1/sources/src_1/pulse`, init),
  });
  const { outcome } = await upstream.latestPulse('main', 'src_1');
  return { outcome, requests: server.requests.length };
}

describe('createHttpUpstream(), over plain HTTP', () => {
  for (const address of [
    '10.0.0.5',
    '172.31.0.1',
    '192.168.1.2',
    '100.64.0.9',
    'fd00::1',
    '127.0.0.1',
    '::ffff:10.0.0.5',
  ])
    it(`asks a name that leads to the private address ${address}`, async () => {
      const { outcome, requests } = await askAt([address]);
      assert.deepEqual([outcome.ok, requests], [true, 1]);
    });

  const publicAddresses = [['203.0.113.7'], ['10.0.0.5', '8.8.8.8'], ['2001:4860:4860::8888'], ['::ffff:8.8.8.8'], []];
  for (const addresses of publicAddresses)
    it(`T-03: sends nothing where the name leads to ${addresses.join(' and ') || 'nothing'}`, async () => {
      const { outcome, requests } = await askAt(addresses);
      assert.deepEqual(outcome, { ok: false, failure: { kind: 'unreachable', layer: 'plain HTTP' } });
      assert.equal(requests, 0);
    });

  it('T-03: is not begun without the opt-in', async () => {
    await assert.rejects(askAt(['10.0.0.5'], { allowHttpUpstream: false }), /neither https: nor a loopback host/);
  });
});
