import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { handlerClient } from './handler-client.ts';

const { signal } = new AbortController();

/** A handler whose first answers report that all calls in the window have been used. */
function busyFor(answers: number): RequestListener {
  let left = answers;
  return ({ url }, response) => {
    left -= 1;
    if (left >= 0) response.writeHead(503, { 'Retry-After': '0' }).end('{"error":"No","code":"upstream_rate_limited"}');
    else response.end(`answer to ${url}`);
  };
}

describe('handlerClient()', () => {
  it('tries again if the budget doesn’t allow the call yet', async () => {
    const ask = handlerClient(busyFor(2), { maxWaitMs: 1_000, signal });
    const answer = await ask('/v1/sources');
    assert.equal(answer.ok && answer.body.toString(), 'answer to /v1/sources');
  });

  it('returns the error if the budget doesn’t allow the call within the longest wait', async () => {
    const ask = handlerClient(busyFor(Infinity), { maxWaitMs: 0, signal });
    assert.deepEqual(await ask('/'), { ok: false, error: 'No', code: 'upstream_rate_limited' });
  });

  it('rejects immediately when it is stopped', async () => {
    const stop = new AbortController();
    const hanging: RequestListener = () => stop.abort(new Error('stopped'));
    await assert.rejects(handlerClient(hanging, { maxWaitMs: 0, signal: stop.signal })('/'), { message: 'stopped' });
  });
});
