import assert from 'node:assert/strict';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { stopGracefully } from './serve.ts';

/** The status of an answer, or the code of the error that there was instead. */
function statusOf(port: number, path: string): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
}

/** A server that is told to stop while a request to `/slow` is under way. */
async function openStopping() {
  const held = Promise.withResolvers<ServerResponse>();
  const server = createServer(({ url }, response) => {
    if (url === '/slow') held.resolve(response);
    else response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const slow = statusOf(port, '/slow');
  const response = await held.promise;
  const steps: string[] = [];
  const stopped = stopGracefully({
    servers: [server],
    beginStop: () => void steps.push('readiness fails'),
    close: async () => void steps.push('all is closed'),
  });
  return { slow, response, steps, stopped, ask: () => statusOf(port, '/') };
}

/** Lets time pass, and what waited for it go on. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await new Promise(setImmediate);
}

describe('stopGracefully()', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('goes on answering for 1.5 s after readiness fails, then refuses connections, and answers what is under way', async () => {
    const { slow, response, steps, stopped, ask } = await openStopping();
    await pass(1_499);
    assert.deepEqual(steps, ['readiness fails']);
    assert.equal(await ask(), 200);
    await pass(1);
    assert.equal(await ask(), 'ECONNREFUSED');
    response.end();
    assert.equal(await slow, 200);
    await stopped;
    assert.deepEqual(steps, ['readiness fails', 'all is closed']);
  });

  it('cuts off what is still under way after 8 s', async () => {
    const { slow, stopped } = await openStopping();
    await pass(1_500);
    await pass(6_500);
    assert.equal(await slow, 'ECONNRESET');
    await stopped;
  });
});
