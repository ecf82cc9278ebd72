import assert from 'node:assert/strict';
import { Agent, get as getPlainly } from 'node:http';
import { get } from 'node:https';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { startEndpointService } from '@pulse-card/testkit/endpoint-service';
import { type RunningProxy, startCaddy, startNginx } from '@pulse-card/testkit/fronts/running-proxy';
import { until } from '@pulse-card/testkit/until';

const REQUESTS_A_SECOND = 60;

/** How long readers send requests before the first restart and after the last one, in ms. */
const CALM_MS = 3_000;

/** What a reader gets: a status, or an error if there is no response. */
type Outcome = number | string;

describe('A rolling restart of two BFFs under 60 requests a second', () => {
  for (const [name, start] of Object.entries({ nginx: startNginx, Caddy: startCaddy }))
    it(`drops no requests behind ${name}`, async (test) => {
      const upstream = await startFakeService({ sources: 3 });
      const bffs = await Promise.all([1, 2].map(() => startBff(upstream)));
      const proxy = await start(bffs.map(({ url }) => Number(new URL(url).port)));
      try {
        await until('the proxy answers', async () => (await read(proxy, '/readyz')) === 200);
        const readers = startReaders((path) => read(proxy, path), upstream.ids[0] ?? '');
        await pause(CALM_MS);
        for (const bff of bffs) {
          await bff.stop();
          await bff.restart();
          await untilReady(bff);
        }
        await pause(CALM_MS);
        await assertNoneFailed(readers, test);
      } finally {
        await Promise.all([proxy.stop(), ...bffs.map((bff) => bff.stop())]);
        await upstream.close();
      }
    });

  it('drops no requests in Kubernetes, even though a stopping pod still receives some', async (test) => {
    const upstream = await startFakeService({ sources: 3 });
    const service = await startEndpointService(ENDPOINT_DELAY_MS);
    const pods = await Promise.all([1, 2].map(() => startBff(upstream, DEFAULT_DRAIN)));
    const agent = new Agent({ keepAlive: true, scheduling: 'fifo' });
    try {
      await Promise.all(pods.map(untilReady));
      await Promise.all(pods.map((pod) => service.add(portOf(pod))));
      // Half of the requests use keep-alive connections, as an Ingress does.
      const agentOf = (path: string) => Number(path.at(-1)) % 2 === 0 && agent;
      const readers = startReaders(
        (path) => readPlainly({ port: service.port, path, agent: agentOf(path) }),
        upstream.ids[0] ?? '',
      );
      await pause(CALM_MS);
      // Replaces pods the way `maxSurge: 1` and `maxUnavailable: 0` do. First, a new pod starts. Then the old pod gets
      // its signal, and the endpoints begin to change at the same time.
      for (const old of pods.slice()) {
        const added = await startBff(upstream, DEFAULT_DRAIN);
        pods.push(added);
        await untilReady(added);
        await service.add(portOf(added));
        await Promise.all([old.stop(), service.remove(portOf(old))]);
      }
      await pause(CALM_MS);
      await assertNoneFailed(readers, test);
    } finally {
      service.stop();
      agent.destroy();
      await Promise.all(pods.map((pod) => pod.stop()));
      await upstream.close();
    }
  });
});

/** How long Kubernetes takes to update the endpoints after the signal. */
const ENDPOINT_DELAY_MS = 3_000;

const DEFAULT_DRAIN = { PULSE_DRAIN_MS: '5000' };

function startBff(upstream: FakeService, env = { PULSE_DRAIN_MS: '2000' }): Promise<BffProcess> {
  return BffProcess.start({ upstream, env: { TRUST_PROXY: '1', ...env } });
}

function portOf({ url }: BffProcess): number {
  return Number(new URL(url).port);
}

function untilReady({ url }: BffProcess): Promise<boolean> {
  return until('the BFF is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
}

interface Readers {
  /** Stops the readers. Resolves to the results of all requests. */
  stop(): Promise<Outcome[]>;
}

async function assertNoneFailed(readers: Readers, test: TestContext): Promise<void> {
  const outcomes = await readers.stop();
  const failed = outcomes.filter((outcome) => outcome !== 200);
  test.diagnostic(`${failed.length} of ${outcomes.length} failed`);
  assert.ok(outcomes.length > 500, `${outcomes.length} requests`);
  assert.deepEqual(failed, []);
}

/** Starts readers of one source. Each request has a different path, so that the proxy's cache doesn't respond to it. */
function startReaders(ask: (path: string) => Promise<Outcome>, id: string): Readers {
  const outcomes: Promise<Outcome>[] = [];
  const timer = setInterval(
    () => outcomes.push(ask(`/v1/sources/${id}/pulse?n=${outcomes.length}`)),
    1_000 / REQUESTS_A_SECOND,
  );
  return {
    stop: () => {
      clearInterval(timer);
      return Promise.all(outcomes);
    },
  };
}

function read({ port, ca }: RunningProxy, path: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', port, path, servername: 'localhost', ca: ca(), agent: false };
    get({ ...address, headers: { host: `localhost:${port}` } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', ({ message }) => resolve(message));
  });
}

function readPlainly(address: { port: number; path: string; agent: Agent | false }): Promise<Outcome> {
  return new Promise((resolve) => {
    getPlainly({ host: '127.0.0.1', ...address }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', ({ message }) => resolve(message));
  });
}
