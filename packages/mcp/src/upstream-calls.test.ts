import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../bff/src/config/config.ts';
import { imageVariables } from '../../bff/src/features/images/variables.ts';
import { createApp } from '../../bff/src/http/handler.ts';
import { openCacheHarness } from '../../bff/src/testing/cache-harness.ts';
import { startFakeCdn } from '../../bff/src/testing/fake-cdn.ts';
import { pagesAndCharts } from '../../bff/src/testing/served-app.ts';
import { serve } from '../../bff/src/testing/serve.ts';
import type { VirtualClock } from '../../bff/src/testing/virtual-clock.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { call, connectTo } from './testing/chat.ts';

const FRESH_MS = 15_000;

/** A call sends two requests, for the pulse and for its chart. The BFF allows 600 requests per minute from one client. */
const CALL_EVERY_MS = 200;

/** A BFF in front of a service that counts its calls. The test advances the BFF's clock. */
async function openTimedBff() {
  const harness = await openCacheHarness({ freshForMs: FRESH_MS });
  const cdn = await startFakeCdn();
  for (const [id, pulse] of harness.upstream.pulses)
    harness.upstream.pulses.set(id, { ...pulse, imageUrl: `http://${cdn.host}/${id}.png` });
  const config = readConfig(
    {
      PULSE_API_KEY: 'a-key-that-is-one',
      PULSE_BASE_URL: 'https://main.test',
      PULSE_IMAGES: 'proxy',
      PULSE_IMAGE_HOSTS: cdn.host,
    },
    imageVariables,
  );
  const app = createApp({
    config,
    ...(await pagesAndCharts(config, harness.clock)),
    cache: harness.cache.reader,
    clock: harness.clock,
    widget: undefined,
    readinessFailure: () => undefined,
    lifecycle: { isStopping: false },
    recorders: [],
    onFault: (fault) => assert.fail(String(fault)),
  });
  const served = await serve((request, response) => app.handle(request, response));
  return {
    ...harness,
    url: served.url,
    async [Symbol.asyncDispose]() {
      for (const part of [served, cdn, harness]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Advances the BFF's clock until `promise`, whose requests take real time, resolves. Returns its value. */
async function whilePushed<Value>(clock: VirtualClock, promise: Promise<Value>): Promise<Value> {
  const progress = { isDone: false };
  void promise.finally(() => (progress.isDone = true)).catch(() => {});
  for (; !progress.isDone; await pause(1)) await clock.advance(10);
  return promise;
}

describe('1,000 tool calls at the rate of the client limit', () => {
  it('cause no calls to the service beyond the usual refreshes', async () => {
    await using bff = await openTimedBff();
    const { clock, upstream } = bff;
    const client = await connectTo({ bff: bff.url });
    const startedAt = clock.now();
    for (let count = 0; count < 1_000; count++) {
      const endsAt = clock.now() + CALL_EVERY_MS;
      const { isError, image, text } = await whilePushed(clock, call(client, 'get_pulse', { sourceId: 'src_1' }));
      assert.ok(!isError && image !== undefined, text);
      await clock.advance(Math.max(0, endsAt - clock.now()));
    }
    const refreshes = Math.ceil((clock.now() - startedAt) / FRESH_MS);
    const calls = upstream.callsAbout('src_1');
    assert.ok(calls > 1 && calls <= refreshes + 1, `${calls} calls for at most ${refreshes} refreshes`);
    const others = upstream.calls.filter(({ about }) => about !== 'src_1' && about !== 'sources');
    assert.deepEqual(others, []);
  });
});
