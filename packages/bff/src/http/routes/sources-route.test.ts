import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourcesAnswerSchema } from '@pulse-card/contract';
import { hit, list } from '../../testing/fake-cache.ts';
import { serveApp } from '../../testing/served-app.ts';

const answerOf = async (response: Response) => sourcesAnswerSchema.parse(await response.json());

describe('GET /v1/sources', () => {
  it('lists the sources with their public fields', async () => {
    await using app = await serveApp();
    const { sources, meta } = await answerOf(await fetch(`${app.url}/v1/sources`));
    assert.deepEqual(sources[0], { id: 'src_1', status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' });
    assert.equal(meta.stale, false);
  });

  it('includes the dashboard link if PULSE_EXPOSE names it', async () => {
    await using exposing = await serveApp({ PULSE_EXPOSE: 'link' });
    const { sources } = await answerOf(await fetch(`${exposing.url}/v1/sources`));
    assert.equal(sources[0]?.link, 'https://app.acme.test/admin/sources/src_1');
  });

  it('filters the sources by provider, regardless of letter case', async () => {
    await using app = await serveApp();
    const [first, ...others] = list.sources;
    app.cache.sources = hit({ ...list, sources: [{ ...first!, provider: 'SHOPIFY' }, ...others] });
    for (const [query, ids] of [
      ['provider=SHOPIFY', ['src_1']],
      ['provider=google', ['src_bare']],
      ['provider=XERO', []],
      ['other=XERO', ['src_1', 'src_bare']],
    ] as const) {
      const { sources } = await answerOf(await fetch(`${app.url}/v1/sources?${query}`));
      assert.deepEqual(
        sources.map(({ id }) => id),
        ids,
      );
    }
  });

  it('responds with 503 and Retry-After if the list can’t be loaded', async () => {
    await using app = await serveApp();
    app.cache.sources = { ok: false, code: 'upstream_auth' };
    const response = await fetch(`${app.url}/v1/sources`);
    assert.deepEqual([response.status, response.headers.get('Retry-After')], [503, '60']);
  });
});
