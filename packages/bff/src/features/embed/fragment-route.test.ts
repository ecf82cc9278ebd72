import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { STYLE_FILE } from '@pulse-card/widget/server';
import { cardWithPulse, hit } from '../../testing/fake-cache.ts';
import { serveApp, tokenVariables } from '../../testing/served-app.ts';

const FRAGMENT = '/v1/sources/src_1/fragment';

const app = await serveApp({ PULSE_CLIENT_RATE: '0', PULSE_PUBLIC_URL: 'https://pulse.test/cards' });
beforeEach(() => app.cache.reset());
after(() => app[Symbol.asyncDispose]());

const get = (path = FRAGMENT) => fetch(app.url + path);

describe('GET /v1/sources/{sourceId}/fragment', () => {
  it('contains only the card, with absolute addresses', async () => {
    const response = await get();
    const html = await response.text();
    assert.match(html, /^<pulse-card source-id="src_1" base-url="https:\/\/pulse\.test\/cards"[^>]*>/);
    assert.ok(html.includes(`<link rel="stylesheet" href="https://pulse.test/cards/${STYLE_FILE}">`));
    assert.ok(html.includes('<template shadowrootmode="open">') && html.includes('Revenue rose'));
    assert.doesNotMatch(html, /<(?:!doctype|html|head|body|main)\b|(?:href|src)="(?!https?:)/i);
    assert.match(html, / data-public/);
  });

  it('is cached like the frame page, but doesn’t have the headers that only frames need', async () => {
    const [fragment, page] = [await get(), await get('/embed/src_1')];
    for (const name of ['Age', 'Cache-Control', 'Cache-Status', 'Vary'])
      assert.equal(fragment.headers.get(name), page.headers.get(name));
    for (const name of ['Content-Security-Policy', 'Cross-Origin-Resource-Policy', 'X-Robots-Tag'])
      assert.equal(fragment.headers.get(name), null, name);
  });

  it('takes variant, language, and look from the query, and styles only this card', async () => {
    const html = await (await get(`${FRAGMENT}?variant=text&lang=de&theme=dark&accent=fff`)).text();
    assert.ok(html.startsWith('<style>pulse-card[source-id="src_1"]{--pulse-card-accent:#fff}</style><pulse-card'));
    assert.match(html, /variant="text" theme="dark"[^>]* lang="de"/);
  });

  it('escapes texts', async () => {
    const pulse = { ...cardWithPulse.pulse!, aiSummaryShort: '<script>alert(1)</script>', sourceName: '"><img src=x>' };
    app.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse }));
    assert.doesNotMatch(await (await get()).text(), /<script>alert|<img src=x>/);
  });

  it('is a card that shows the error until the element replaces it', async () => {
    for (const [id, status] of [
      ['src_bare', 404],
      ['none', 404],
      ['a%20b', 400],
    ] as const) {
      const response = await get(`/v1/sources/${id}/fragment`);
      const html = await response.text();
      assert.deepEqual([response.status, response.headers.get('Content-Type')], [status, 'text/html; charset=utf-8']);
      assert.match(html, /^<pulse-card/);
      assert.doesNotMatch(html, /application\/json/);
      assert.equal(response.headers.get('Vary'), 'Accept-Encoding');
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    }
  });

  it('needs a token if access is by token', async () => {
    await using guarded = await serveApp(tokenVariables);
    assert.equal((await fetch(guarded.url + FRAGMENT)).status, 401);
  });
});
