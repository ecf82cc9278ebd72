import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPulseBff, type PulseBff } from '../../index.ts';
import { type FakeService, startFakeService } from '../../testing/fake-service.ts';

const MOUNT = 'https://portal.test/api/pulse';

let service: FakeService;
let bff: PulseBff;
before(async () => {
  service = await startFakeService();
  bff = createPulseBff(
    {
      PULSE_API_KEY: 'a-key-that-is-one',
      LOG_LEVEL: 'silent',
      PULSE_BASE_URL: service.url,
      PULSE_PUBLIC_URL: MOUNT,
      PULSE_ALLOWED_ORIGINS: 'https://blog.test',
    },
    {
      authorize: ({ headers }) => ({ sources: headers.cookie === 'user=alice' ? '*' : [], reader: 'alice' }),
      clientKey: () => 'alice',
    },
  );
});
after(async () => {
  await bff.close();
  await service[Symbol.asyncDispose]();
});

interface Asked extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (path: string, init: Asked = {}) =>
  bff.fetch(new Request(MOUNT + path, { ...init, headers: { Cookie: 'user=alice', ...init.headers } }));

describe('PulseBff.fetch()', () => {
  it('responds to a Request below the path of PULSE_PUBLIC_URL, with the headers of a mounted router', async () => {
    const response = await ask('/v1/sources/src_1/pulse');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Cache-Control'), 'private, no-cache');
    assert.equal(response.headers.get('Pulse-Reader'), 'alice');
    assert.match(response.headers.get('Vary') ?? '', /Cookie/);
    assert.equal(((await response.json()) as { pulse: { sourceId: string } }).pulse.sourceId, 'src_1');
  });

  it('passes the request’s headers to authorize()', async () => {
    const response = await bff.fetch(new Request(`${MOUNT}/v1/sources/src_1/pulse`));
    assert.equal(response.status, 403);
    assert.equal(((await response.json()) as { code: string }).code, 'token_forbidden');
  });

  it('responds with 304 and no body if the tag is the same', async () => {
    const tag = (await ask('/v1/sources/src_1/pulse')).headers.get('ETag') ?? '';
    const response = await ask('/v1/sources/src_1/pulse', { headers: { 'If-None-Match': tag } });
    assert.deepEqual([response.status, response.body], [304, null]);
  });

  it('leaves compression to the host application', async () => {
    const response = await ask('/v1/pulses?ids=src_1', { headers: { 'Accept-Encoding': 'br, gzip' } });
    assert.equal(response.headers.get('Content-Encoding'), null);
    assert.equal(((await response.json()) as { pulses: unknown[] }).pulses.length, 1);
  });

  it('serves files, pages for frames, and the list, and responds to HEAD requests', async () => {
    const file = await ask('/v1/openapi.yaml');
    assert.match(file.headers.get('Content-Type') ?? '', /yaml/);
    assert.ok((await file.arrayBuffer()).byteLength > 10_000);
    assert.match(await (await ask('/embed/src_1')).text(), /<pulse-card/);
    const head = await ask('/v1/sources', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  for (const [what, path, init, status] of [
    ['a foreign origin', '/v1/sources', { headers: { Origin: 'https://evil.test' } }, 403],
    ['another method', '/v1/sources', { method: 'POST', body: 'x' }, 405],
    ['an unknown path', '/v1/nothing', {}, 404],
    ['the mount itself', '', {}, 404],
  ] as const)
    it(`responds with ${status} to ${what}, in the usual error format`, async () => {
      const response = await ask(path, init);
      assert.equal(response.status, status);
      assert.equal(((await response.json()) as { success: boolean }).success, false);
    });

  it('responds to a preflight request from an allowed origin', async () => {
    const headers = { Origin: 'https://blog.test', 'Access-Control-Request-Method': 'GET' };
    const response = await ask('/v1/sources', { method: 'OPTIONS', headers });
    assert.deepEqual(
      [response.status, response.headers.get('Access-Control-Allow-Origin')],
      [204, 'https://blog.test'],
    );
  });
});
