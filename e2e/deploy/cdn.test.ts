import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import type { Front } from '@pulse-card/testkit/fronts/front';
import { startNginxBehindCdn, startNginxFront } from '@pulse-card/testkit/fronts/nginx-front';
import { startVarnishFront } from '@pulse-card/testkit/fronts/varnish-front';
import { until } from '@pulse-card/testkit/until';

/** The number of requests that one visitor can send per minute. */
const CLIENT_RATE = 5;

/** The IP address that the CDN sends requests from, and the IP address of a client that only claims to be a CDN. */
const CDN = '127.1.0.1';
const STRANGER = '127.2.0.1';

interface Setup {
  readonly title: string;
  readonly trustProxy: string;
  readonly start: (bffUrls: readonly [string, string]) => Promise<Front>;
}

const SETUPS: readonly Setup[] = [
  { title: 'nginx behind a CDN', trustProxy: '2', start: ([url]) => startNginxFront(url) },
  { title: 'nginx between a CDN and two BFFs', trustProxy: '1', start: startNginxBehindCdn },
  ...(process.env['PULSE_TEST_LONG'] === undefined
    ? []
    : [
        {
          title: 'Varnish behind a CDN',
          trustProxy: '2',
          start: ([url]: readonly [string, string]) => startVarnishFront(url),
        },
      ]),
];

for (const { title, trustProxy, start } of SETUPS)
  describe(`${title}, set up as in deploy/`, () => {
    let upstream: FakeService;
    let bffs: readonly [BffProcess, BffProcess];
    let front: Front;
    let path = 0;

    before(async () => {
      upstream = await startFakeService({ sources: 3 });
      const env = { TRUST_PROXY: trustProxy, PULSE_CLIENT_RATE: String(CLIENT_RATE) };
      bffs = [await BffProcess.start({ upstream, env }), await BffProcess.start({ upstream, env })];
      for (const { url } of bffs) await until('the BFF is ready', async () => (await fetch(`${url}/readyz`)).ok);
      front = await start([bffs[0].url, bffs[1].url]);
    });
    after(async () => {
      await front?.stop();
      for (const bff of bffs ?? []) await bff.stop();
      await upstream?.close();
    });

    /**
     * The statuses of requests with this `X-Forwarded-For` header. Each request has a different path, so that no cache
     * responds to it.
     */
    const statusesOf = async (chain: string, times: number, localAddress = CDN) => {
      const statuses: (number | undefined)[] = [];
      for (let at = 0; at < times; at += 1) {
        path += 1;
        statuses.push(await statusOf(`${front.url}/v1/sources/src_unheard_${path}/pulse`, chain, localAddress));
      }
      return statuses;
    };

    it('limits each visitor behind the CDN separately', async () => {
      // Two BFFs without a shared Redis count separately.
      assert.ok((await statusesOf('203.0.113.1', 3 * CLIENT_RATE)).includes(429));
      assert.deepEqual(await statusesOf('203.0.113.2', 1), [404]);
    });

    it('counts a visitor’s requests together even if each one claims a different IP address', async () => {
      const statuses: (number | undefined)[] = [];
      for (let at = 0; at < 3 * CLIENT_RATE; at += 1)
        statuses.push(...(await statusesOf(`198.51.100.${at}, 203.0.113.3`, 1)));
      assert.ok(statuses.includes(429));
    });

    if (trustProxy === '1') {
      it('doesn’t trust the IP address claimed by a client outside the CDN', async () => {
        const statuses: (number | undefined)[] = [];
        for (let at = 0; at < 3 * CLIENT_RATE; at += 1)
          statuses.push(...(await statusesOf(`198.51.100.${at}`, 1, STRANGER)));
        assert.ok(statuses.includes(429));
      });

      it('continues to serve while one BFF is down', async () => {
        await bffs[0].kill();
        assert.deepEqual(new Set(await statusesOf('203.0.113.4', CLIENT_RATE - 1)), new Set([404]));
      });
    }
  });

function statusOf(url: string, chain: string, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { localAddress, agent: false, headers: { 'x-forwarded-for': chain } };
    request(url, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
}
