import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sourcesAnswerSchema } from '@pulse-card/contract';
import { hit, list } from '../../testing/fake-cache.ts';
import { type ServedApp, serveApp } from '../../testing/served-app.ts';

let app: ServedApp;
before(async () => {
  app = await serveApp();
});
after(() => app[Symbol.asyncDispose]());

const idsAt = async (query: string) => {
  const response = await fetch(`${app.url}/v1/sources${query}`);
  return sourcesAnswerSchema.parse(await response.json()).sources.map(({ id }) => id);
};

describe('GET /v1/sources', () => {
  it('lists the sources with their public fields, and what the cache did', async () => {
    const response = await fetch(`${app.url}/v1/sources`);
    const { sources, meta } = sourcesAnswerSchema.parse(await response.json());
    assert.deepEqual(sources[0], { id: 'src_1', status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' });
    assert.equal(meta.stale, false);
    for (const name of ['ETag', 'Age', 'Cache-Control', 'Cache-Status', 'Vary']) assert.ok(response.headers.get(name));
  });

  it('leads to the dashboard where PULSE_EXPOSE names the link', async () => {
    await using exposing = await serveApp({ PULSE_EXPOSE: 'link' });
    const response = await fetch(`${exposing.url}/v1/sources`);
    const { sources } = sourcesAnswerSchema.parse(await response.json());
    assert.equal(sources[0]?.link, list.sources[0]?.link);
    assert.ok(sources[0]?.link);
  });

  it('filters by provider, in either case', async () => {
    app.cache.sources = hit({
      ...list,
      sources: list.sources.map((source, at) => ({ ...source, provider: at === 0 ? 'SHOPIFY' : 'GOOGLE' })),
    });
    assert.deepEqual(await idsAt('?provider=SHOPIFY'), ['src_1']);
    assert.deepEqual(await idsAt('?provider=google'), ['src_bare']);
    assert.deepEqual(await idsAt('?provider=XERO'), []);
    assert.deepEqual(await idsAt('?other=XERO'), ['src_1', 'src_bare']);
  });

  it('answers with the public code where the list is not known', async () => {
    app.cache.sources = { ok: false, code: 'upstream_auth' };
    const response = await fetch(`${app.url}/v1/sources`);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Retry-After'), '60');
  });
});
