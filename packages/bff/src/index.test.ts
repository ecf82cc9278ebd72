import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { ConfigRefused, createPulseBff, type PulseBff } from './index.ts';
import { type FakeService, startFakeService } from './testing/fake-service.ts';

let service: FakeService;
let bff: PulseBff;
const portal = createServer();
let url: string;
before(async () => {
  service = await startFakeService();
  bff = createPulseBff({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: service.url,
    PULSE_PUBLIC_URL: 'https://portal.test/cards/pulse',
    LOG_LEVEL: 'silent',
  });
  const app = express();
  app.use('/cards/pulse', (request, response, next) => {
    if (request.headers.cookie === 'session=1') next();
    else response.status(401).send('log in');
  });
  app.use('/cards/pulse', bff);
  app.get('/cards/pulse-other', (_request, response) => response.send('the portal'));
  portal.on('request', app);
  await new Promise<void>((resolve) => {
    portal.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`;
});
after(async () => {
  await bff.close();
  portal.closeAllConnections();
  portal.close();
  await service[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string> = { Cookie: 'session=1' }) => fetch(url + path, { headers });

describe('createPulseBff()', () => {
  it('answers below any path, at once or once it is open', async () => {
    const response = await get('/cards/pulse/v1/sources/src_1/pulse');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('ETag') ?? '', /^"/);
    assert.equal((await get('/cards/pulse/v1/pulses?ids=src_1')).status, 200);
    assert.equal((await get('/cards/pulse/v1/sources')).status, 200);
    assert.equal((await get('/cards/pulse/readyz')).status, 200);
  });

  it('stands behind the login of the application', async () => {
    assert.equal((await get('/cards/pulse/v1/sources', {})).status, 401);
  });

  it('sends no cookie of the application to the service', () => {
    assert.ok(service.arrivals.length > 0);
    for (const { rawHeaders } of service.arrivals) assert.ok(!rawHeaders.join('\n').includes('session'));
  });

  it('leaves the other routes to the application', async () => {
    assert.equal(await (await get('/cards/pulse-other')).text(), 'the portal');
    assert.equal(((await (await get('/cards/pulse/none')).json()) as { code: string }).code, 'not_found');
  });

  it('describes itself at the address of its mount', async () => {
    assert.match(
      await (await get('/cards/pulse/v1/openapi.yaml')).text(),
      /- url: https:\/\/portal\.test\/cards\/pulse$/m,
    );
  });

  it('refuses a bad configuration at once', () => {
    assert.throws(() => createPulseBff({ PULSE_BASE_URL: 'ftp://x' }), ConfigRefused);
  });
});
