import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { cardWithPulse, staleHit } from '../testing/fake-cache.ts';
import { type ServedApp, serveApp } from '../testing/served-app.ts';

const ENCODINGS = ['br', 'gzip', 'identity'] as const;

let app: ServedApp;
before(async () => {
  app = await serveApp({ PULSE_CLIENT_RATE: '0' });
});
after(() => app[Symbol.asyncDispose]());

describe('A hit', () => {
  const fetchAll = async (): Promise<void> => {
    for (const path of ['/v1/sources/src_1/pulse', '/v1/pulses?ids=src_1', '/v1/sources']) {
      for (const encoding of ENCODINGS) {
        await (await fetch(app.url + path, { headers: { 'Accept-Encoding': encoding } })).arrayBuffer();
      }
    }
  };

  it('makes no JSON once the first reader was answered', async () => {
    await fetchAll();
    const stringify = mock.method(JSON, 'stringify');
    await fetchAll();
    app.cache.peeks.set('src_1', {
      ok: true,
      value: cardWithPulse,
      stale: false,
      ageMs: 9_000,
      facts: { hit: true, ttlSeconds: 6 },
    });
    await fetchAll();
    assert.equal(stringify.mock.callCount(), 0);
    mock.restoreAll();
  });

  it('makes it anew where the card is another, or has become stale', async () => {
    const stringify = mock.method(JSON, 'stringify');
    app.cache.peeks.set('src_1', staleHit(cardWithPulse));
    await fetchAll();
    assert.ok(stringify.mock.callCount() > 0);
    mock.restoreAll();
  });
});
