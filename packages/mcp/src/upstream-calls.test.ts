import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPulseBff } from '../../bff/src/index.ts';
import { serve } from '../../bff/src/testing/serve.ts';
import { startTestUpstream } from '../../bff/src/testing/test-upstream.ts';
import { call, connectTo } from './testing/chat.ts';

describe('Tool calls', () => {
  it('don’t trigger calls to the service while the pulse is fresh', async () => {
    await using upstream = await startTestUpstream();
    const variables = { ...upstream.variables, PULSE_FRESH_MS: '3600000', PULSE_CLIENT_RATE: '0' };
    const bff = createPulseBff(variables, { authorize: '*' });
    await using served = await serve((request, response) => void bff(request as never, response as never, () => {}));
    const client = await connectTo({ bff: served.url });
    for (let count = 0; count < 100; count++) {
      const { isError, text } = await call(client, 'get_pulse', { sourceId: 'src_1' });
      assert.ok(!isError, text);
    }
    const calls = upstream.requests.filter((path) => path === '/v1/sources/src_1/pulse');
    assert.equal(calls.length, 1);
    await bff.close();
  });
});
