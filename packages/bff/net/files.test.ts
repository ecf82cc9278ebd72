import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Net, pulsePath, PUBLIC_URL, startNet } from './kit.ts';

describe('Files', () => {
  let net: Net;
  before(async () => {
    net = await startNet();
    await net.eventually(pulsePath('src_001'));
  });
  after(() => net[Symbol.asyncDispose]());

  for (const path of ['/pulse-card.js', '/pulse-board.js', '/pulse-frame.js'])
    it(`${path} is a short-lived script for any page`, async () => {
      const { status, headers } = await net.get(path, { 'Accept-Encoding': 'br', Range: 'bytes=0-9' });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /javascript/);
      assert.match(headers.get('cache-control') ?? '', /max-age=\d{1,4}\b/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      if (path !== '/pulse-frame.js') assert.equal(headers.get('content-encoding'), 'br');
    });

  it('the licenses are served next to the scripts', async () => {
    const { status, text } = await net.get('/THIRD-PARTY-NOTICES.txt');
    assert.equal(status, 200);
    assert.match(text, /lit/i);
  });

  it('files with a hash in their name are immutable, and a wrong hash returns 404', async () => {
    const { text } = await net.get('/embed/src_001');
    const path = /\/pulse-card-[\w-]+\.js/.exec(text)?.[0];
    if (path !== undefined) assert.match((await net.get(path)).headers.get('cache-control') ?? '', /immutable/);
    const wrong = await net.get('/pulse-card-0000000000.js');
    assert.equal(wrong.status, 404);
  });

  it('the API description is served', async () => {
    const { status, text } = await net.get('/v1/openapi.yaml');
    assert.equal(status, 200);
    assert.match(text, /^openapi: 3\.1/);
    assert.ok(text.includes(PUBLIC_URL) && !text.includes('pulse.example.com'));
  });
});
