import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { answersWith } from '../testing/fake-service.ts';
import { serve } from '../testing/serve.ts';
import { checkHealth, reachable } from './health.ts';

describe('checkHealth()', () => {
  for (const [what, answer, line] of [
    ['is not ready', answersWith({ error: 'Not ready: stopping' }, 503), 'Not ready: stopping'],
    ['is something else', answersWith('<html>', 404), 'http://localhost:PORT/readyz returned 404'],
    ['hangs up', (request) => void request.socket.destroy(), 'Cannot reach http://localhost:PORT/readyz (ECONNRESET)'],
  ] as const satisfies readonly (readonly [string, RequestListener, string])[])
    it(`reports a listener that ${what}`, async () => {
      await using served = await serve(answer);
      const health = await checkHealth({ port: served.port, host: 'localhost' });
      assert.deepEqual(health, { isReady: false, line: line.replace('PORT', String(served.port)) });
    });
});

describe('reachable()', () => {
  for (const [host, reached] of [
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['fd00::7', '[fd00::7]'],
  ] as const)
    it(`is ${reached} if the instance listens on ${host}`, () => assert.equal(reachable(host), reached));
});
