import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Request, Response } from 'express';
import { basePath } from './base-path.ts';

function urlAfter(publicUrl: string, url: string): string {
  const request = { url, path: url.split('?', 1)[0] } as Request;
  basePath(publicUrl)(request, {} as Response, () => {});
  return request.url;
}

describe('basePath()', () => {
  const publicUrl = 'https://site.test/shop/api/pulse';
  for (const [url, rest] of [
    ['/shop/api/pulse/v1/pulses?ids=a', '/v1/pulses?ids=a'],
    ['/api/pulse/v1/pulses', '/v1/pulses'],
    ['/pulse/v1/pulses', '/v1/pulses'],
    ['/v1/pulses', '/v1/pulses'],
    ['/shop/api/pulse', '/'],
    ['/pulse?x', '/?x'],
  ] as const)
    it(`reads ${url} as ${rest}`, () => assert.equal(urlAfter(publicUrl, url), rest));

  for (const url of ['/shop/api/pulses/v1/pulses', '/hop/api/pulse/v1/pulses', '/shop/v1/pulses'])
    it(`leaves ${url} unchanged, because it doesn’t begin with whole path segments`, () =>
      assert.equal(urlAfter(publicUrl, url), url));

  it('removes a path only once', () => assert.equal(urlAfter('https://site.test/x', '/x/x/v1/pulses'), '/x/v1/pulses'));

  for (const url of ['/v1/sources/v1/pulse', '/v1/sources/a/runs', '/embed/embed', '/pulse-card.js'])
    it(`never shortens the route ${url}`, () => {
      for (const path of ['v1', 'embed', 'a/v1']) assert.equal(urlAfter(`https://site.test/${path}`, url), url);
    });

  for (const path of ['pulse-cards', 'embed', 'v1', 'embed/x'])
    it(`removes /${path}, even though some routes begin the same way`, () =>
      assert.equal(urlAfter(`https://site.test/${path}`, `/${path}/v1/pulses?ids=a`), '/v1/pulses?ids=a'));

  it('changes nothing if the public URL has no path', () =>
    assert.equal(urlAfter('https://site.test', '/x/v1/pulses'), '/x/v1/pulses'));
});
