import assert from 'node:assert/strict';
import { get, type RequestOptions } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { type RunningProxy, startCaddy, startNginx, startVarnish } from '@pulse-card/testkit/fronts/running-proxy';
import { type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { until } from '@pulse-card/testkit/until';

const CLIENT_RATE = 5;

const STARTS = { nginx: startNginx, 'Varnish behind hitch': startVarnish, Caddy: startCaddy };

for (const [name, start] of Object.entries(STARTS))
  describe(`${name}, with the files in deploy/`, () => {
    let upstream: FakeService;
    let bff: BffProcess;
    let proxy: RunningProxy;
    const ask = (path: string, options: AskOptions = {}) => askOver(proxy, path, options);

    before(async () => {
      upstream = await startFakeService({ sources: 3 });
      bff = await BffProcess.start({ upstream, env: { TRUST_PROXY: '1', PULSE_CLIENT_RATE: String(CLIENT_RATE) } });
      proxy = await start([Number(new URL(bff.url).port)]);
      await until('the BFF is ready', async () => (await ask('/readyz'))?.status === 200, proxy);
    });
    after(async () => {
      await proxy?.stop();
      await bff?.stop();
      await upstream?.close();
    });

    it('responds over TLS', async () => {
      const answer = await ask(`/v1/sources/${upstream.ids[0]}/pulse`, { localAddress: '127.0.0.9' });
      assert.deepEqual([answer?.status, answer?.text.includes('"pulse"')], [200, true]);
    });

    it('passes each visitor’s IP address to the BFF, even if the visitor claims a different one', async () => {
      const statuses: (number | undefined)[] = [];
      for (let at = 0; at <= CLIENT_RATE; at += 1) {
        // Each request has a path that isn't cached and claims to come from a different IP address.
        const headers = { 'x-forwarded-for': `203.0.113.${at}` };
        statuses.push(
          (await ask(`/v1/sources/src_unheard_${at}/pulse`, { localAddress: '127.0.0.7', headers }))?.status,
        );
      }
      assert.equal(statuses.at(-1), 429);
      assert.notEqual((await ask('/v1/sources/src_unheard_9/pulse', { localAddress: '127.0.0.8' }))?.status, 429);
    });

    it('redirects plain HTTP to HTTPS', async (test) => {
      if (proxy.plainPort === undefined) return test.diagnostic('not applicable: nothing listens on port 80');
      const answer = await fetch(`http://localhost:${proxy.plainPort}/healthz`, { redirect: 'manual' });
      assert.ok([301, 308].includes(answer.status), String(answer.status));
      assert.match(answer.headers.get('location') ?? '', /^https:\/\/localhost/);
    });
  });

interface AskOptions {
  /** The visitor's loopback IP address. */
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends a request over TLS. Resolves to undefined if nothing responds. */
function askOver(proxy: RunningProxy, path: string, options: AskOptions): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const request = get(addressOf(proxy, path, options), (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', () => resolve(undefined));
  });
}

function addressOf({ port, ca }: RunningProxy, path: string, options: AskOptions): RequestOptions {
  const headers = { host: `localhost:${port}`, ...options.headers };
  const tls = { servername: 'localhost', ca: readable(ca) };
  return { host: '127.0.0.1', port, path, agent: false, ...tls, ...options, headers };
}

/** Returns the text of a file, or undefined until the proxy has written its certificate. */
function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
