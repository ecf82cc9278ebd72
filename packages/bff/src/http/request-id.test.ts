import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFakeService } from '../testing/fake-service.ts';
import { tokenAt } from '../../../token/src/testing/forged-tokens.ts';
import { serveApp, tokenVariables } from '../testing/served-app.ts';
import { serveRouter } from '../testing/served-router.ts';

const PULSE = '/v1/sources/src_1/pulse';
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

async function idOf(url: string, headers: Record<string, string> = { 'X-Request-Id': 'of-the-visitor' }) {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.headers.get('X-Request-Id');
}

describe('X-Request-Id', () => {
  it('names each error in the answer as in the log, whatever a visitor sends', async () => {
    await using app = await serveApp();
    const id = await idOf(`${app.url}/v1/nothing`);
    assert.match(id ?? '', UUID);
    assert.equal(app.answered.at(-1)?.requestId, id);
    assert.notEqual(await idOf(`${app.url}/v1/nothing`), id);
  });

  it('is on no answer that a shared cache may keep, nor on a probe', async () => {
    await using app = await serveApp();
    for (const path of [PULSE, '/v1/sources', '/v1/sources/unknown/pulse', '/pulse-card.js', '/healthz'])
      assert.equal(await idOf(app.url + path), null, path);
  });

  it('is on every answer for one reader', async () => {
    await using privately = await serveApp({ PULSE_CACHE: 'private' });
    assert.match((await idOf(privately.url + PULSE)) ?? '', UUID);
    assert.equal(await idOf(`${privately.url}/pulse-card.js`), null);
    await using withTokens = await serveApp(tokenVariables);
    const Authorization = `Bearer ${tokenAt(Math.floor(Date.now() / 1_000))}`;
    assert.match((await idOf(withTokens.url + PULSE, { Authorization })) ?? '', UUID);
    await using service = await startFakeService();
    await using router = await serveRouter({ PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: service.url });
    assert.match((await idOf(router.url + PULSE)) ?? '', UUID);
  });
});
