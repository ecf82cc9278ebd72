import assert from 'node:assert/strict';
import { get } from 'node:https';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../bench/process/bff-process.ts';
import { type RecordingUpstream, startUpstream } from '../bench/upstream/recording-upstream.ts';
import { type RunningProxy, startCaddy, startNginx } from './testing/running-proxy.ts';

const REQUESTS_A_SECOND = 60;

/** How long readers go on before the first and after the last restart, in ms. */
const CALM_MS = 3_000;

/** What a reader got: a status, or why there was none. */
type Outcome = number | string;

describe('A rolling restart of two BFFs under 60 requests a second', () => {
  for (const [name, start] of Object.entries({ nginx: startNginx, Caddy: startCaddy }))
    it(`fails no reader behind ${name}`, async (test) => {
      const upstream = await startUpstream({ sources: 3, latencyMs: [1, 5] });
      const bffs = await Promise.all([1, 2].map(() => startBff(upstream)));
      const proxy = await start(bffs.map(({ url }) => Number(new URL(url).port)));
      try {
        await until(async () => (await read(proxy, '/readyz')) === 200);
        const readers = startReaders(proxy, upstream.ids[0] ?? '');
        await pause(CALM_MS);
        for (const bff of bffs) {
          await bff.stop();
          await bff.restart();
          await until(async () => (await fetch(`${bff.url}/readyz`)).status === 200);
        }
        await pause(CALM_MS);
        const outcomes = await readers.stop();
        const failed = outcomes.filter((outcome) => outcome !== 200);
        test.diagnostic(`${name}: ${failed.length} of ${outcomes.length} failed`);
        assert.ok(outcomes.length > 500, `${outcomes.length} requests`);
        assert.deepEqual(failed, []);
      } finally {
        await Promise.all([proxy.stop(), ...bffs.map((bff) => bff.stop())]);
        await upstream.close();
      }
    });
});

function startBff(upstream: RecordingUpstream): Promise<BffProcess> {
  return BffProcess.start({ upstream, env: { TRUST_PROXY: '1', PULSE_DRAIN_MS: '2000' } });
}

/** Readers of one source. Each request has a name of its own, so that no cache of the proxy answers it. */
function startReaders(proxy: RunningProxy, id: string): { stop(): Promise<Outcome[]> } {
  const outcomes: Promise<Outcome>[] = [];
  const timer = setInterval(
    () => outcomes.push(read(proxy, `/v1/sources/${id}/pulse?n=${outcomes.length}`)),
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

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await pause(50);
}
