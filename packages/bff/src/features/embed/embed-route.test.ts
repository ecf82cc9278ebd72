import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { LANGUAGES, STYLE_FILE } from '@pulse-card/widget/server';
import { cardWithPulse, hit, staleHit } from '../../testing/fake-cache.ts';
import { ImageCache } from '../images/image-cache.ts';
import { serveApp } from '../../testing/served-app.ts';
import { BodyCache } from '../../http/representation.ts';

const PAGE = '/embed/src_1';

const app = await serveApp({
  PULSE_CLIENT_RATE: '0',
  PULSE_PUBLIC_URL: 'https://pulse.test/cards',
  PULSE_ALLOWED_ORIGINS: 'https://page.test,https://other.test',
});
beforeEach(() => app.cache.reset());
after(() => app[Symbol.asyncDispose]());

const get = (path = PAGE, init?: RequestInit) => fetch(app.url + path, init);
const textOf = async (path: string) => (await get(path)).text();
const policyOf = ({ headers }: Response) => headers.get('Content-Security-Policy') ?? '';

describe('GET /embed/{sourceId}', () => {
  it('marks an earlier version', async () => {
    app.cache.peeks.set('src_1', staleHit(cardWithPulse));
    assert.ok((await textOf(PAGE)).includes('>Earlier version</span>'));
  });

  it('loads its style sheet and scripts from its own folder, under any mount path', async () => {
    const html = await textOf(PAGE);
    assert.equal(html.match(new RegExp(`href="../${STYLE_FILE}"`, 'g'))?.length, 2);
    for (const file of ['pulse-card-0123456789abcdef.js', 'pulse-frame-page.js'])
      assert.ok(html.includes(`<script type="module" src="../${file}"></script>`), file);
  });

  it('has absolute addresses and labeled AI text in its preview', async () => {
    const html = await textOf(PAGE);
    for (const tag of [
      '<link rel="canonical" href="https://pulse.test/cards/embed/src_1">',
      '<link rel="alternate" type="application/json+oembed" href="https://pulse.test/cards/oembed?url=https%3A%2F%2Fpulse.test%2Fcards%2Fembed%2Fsrc_1&#38;format=json" title="Q2 revenue">',
      '<meta property="og:url" content="https://pulse.test/cards/embed/src_1">',
      '<meta name="description" content="AI-generated: Revenue rose 12 % in the second quarter.">',
    ])
      assert.ok(html.includes(tag), tag);
  });

  it('marks its AI text in machine-readable form', async () => {
    const html = await textOf(PAGE);
    const head = html.slice(0, html.indexOf('</head>'));
    assert.match(head, /<meta name="ai-disclosure" content="ai-autonomous">/);
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(head) ?? [];
    const data = JSON.parse(json) as Record<string, unknown>;
    assert.deepEqual([data['url'], data['contentUrl']], ['https://pulse.test/cards/embed/src_1', fullPulse.imageUrl]);
    // The three marks are on the finding, the first lines of the analysis, and the analysis.
    assert.equal(html.match(/ ai-disclosure="ai-autonomous"/g)?.length, 3);
  });

  it('has no machine-readable mark if there is no AI text', async () => {
    app.cache.peeks.set(
      'src_1',
      hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort: null, aiSummaryLong: null } }),
    );
    assert.doesNotMatch(await textOf(PAGE), /ai-disclosure|TextObject/);
  });

  it('takes variant, themes, and language from the query', async () => {
    const html = await textOf(`${PAGE}?variant=compact&theme=dark&chart-theme=auto&lang=AR-eg`);
    assert.match(html, /<html lang="ar" dir="rtl"/);
    assert.ok(html.includes('<meta name="color-scheme" content="dark">'));
    assert.ok(html.includes('variant="compact" theme="dark"'));
    assert.match(html, /<pulse-card [^>]*chart-theme="auto"/);
  });

  it('accepts every language that the card supports', async () => {
    for (const language of LANGUAGES)
      assert.match(await textOf(`${PAGE}?lang=${language}`), new RegExp(`<html lang="${language}"`));
  });

  for (const query of [
    'variant=evil',
    'theme="><script>',
    'lang=../../x',
    '__proto__[a]=1',
    'chart-theme=dark',
    'actions=save',
  ])
    it(`ignores ${query}`, async () =>
      assert.equal((await get(`${PAGE}?${query}`)).headers.get('ETag'), (await get()).headers.get('ETag')));

  describe('with a look in its address (T-58)', () => {
    const LOOK = 'chart-theme=auto&accent=5b3df0.7a52f4&radius=0&font=serif';

    it('includes the look in its oEmbed link, but not in its canonical link', async () => {
      const html = await textOf(`${PAGE}?${LOOK}&x=;}`);
      assert.ok(html.includes(encodeURIComponent(`/embed/src_1?${LOOK}`).replaceAll("'", '&#39;')), html);
      assert.ok(html.includes('<link rel="canonical" href="https://pulse.test/cards/embed/src_1">'));
    });

    it('uses the look even if there is nothing to show', async () => {
      const response = await get('/embed/src_bare?accent=fff');
      assert.equal(response.status, 404);
      const css = ':root{--pulse-card-accent:#fff}';
      assert.ok((await response.text()).includes(`<style>${css}</style>`));
      const hash = createHash('sha256').update(css).digest('base64');
      assert.ok(policyOf(response).includes(`style-src 'self' 'sha256-${hash}';`));
    });

    it('has a different head for each look, but one cached body for all looks (T-85)', async () => {
      const cached = mock.method(BodyCache.prototype, 'body');
      const bodyOf = (html: string) => html.slice(html.indexOf('</head>'));
      const plain = await textOf(`${PAGE}?chart-theme=auto`);
      for (const accent of ['fff', '000'])
        assert.equal(bodyOf(await textOf(`${PAGE}?chart-theme=auto&accent=${accent}`)), bodyOf(plain));
      assert.equal(new Set(cached.mock.calls.map(({ result }) => result)).size, 1);
      cached.mock.restore();
    });

    for (const coding of ['br', 'gzip'])
      it(`is sent with the encoding ${coding}`, async () => {
        const response = await get(`${PAGE}?accent=fff`, { headers: { 'Accept-Encoding': coding } });
        assert.equal(response.headers.get('Content-Encoding'), coding);
        assert.ok((await response.text()).includes('--pulse-card-accent:#fff'));
      });
  });

  describe('when it is opened in its own tab', () => {
    it('is a complete page with a <main>, a heading, and an icon that exists', async () => {
      const html = await textOf(PAGE);
      assert.match(html, /<main>\n<h1>Q2 revenue<\/h1>\n<pulse-card /);
      const [, icon = ''] = /<link rel="icon" href="([^"]*)"/.exec(html) ?? [];
      const response = await fetch(new URL(icon, app.url + PAGE));
      assert.deepEqual([response.status, response.headers.get('Content-Type')], [200, 'image/svg+xml']);
    });

    it('is a complete page even if there is nothing to show', async () => {
      const html = await textOf('/embed/src_bare');
      assert.match(html, /<main>\n<h1>[^<]+<\/h1>/);
      assert.match(html, /<link rel="icon"/);
    });

    it('contains the site name, and the size of a loaded chart', async (t) => {
      const SIZE = /<meta property="og:image:(?:width|height)" content="(\d+)">/g;
      const sizesIn = (html: string) => Array.from(html.matchAll(SIZE), ([, value]) => value);
      const before = await textOf(PAGE);
      assert.ok(before.includes('<meta property="og:site_name" content="Pulse Card">'));
      assert.deepEqual(sizesIn(before), []);
      t.mock.method(ImageCache.prototype, 'sizeOf', () => ({ width: 1_600, height: 900 }));
      assert.deepEqual(sizesIn(await textOf(PAGE)), ['1600', '900']);
    });
  });

  describe('its height', () => {
    const MARK = '<meta name="responsive-embedded-sizing" content="allow-origins=*">';

    it('can be read by the page around the frame', async () => assert.ok((await textOf(PAGE)).includes(MARK)));

    it('can’t be read if the pulse is private', async () => {
      await using served = await serveApp({ PULSE_CACHE: 'private' });
      const html = await (await fetch(served.url + PAGE)).text();
      assert.match(html, /<pulse-card /);
      assert.doesNotMatch(html, /responsive-embedded-sizing/);
    });
  });

  describe('after the Back button (T-94)', () => {
    it('shows a card again if every reader may see it', async () =>
      assert.match(await textOf(PAGE), /<pulse-card [^>]*data-public/));

    it('doesn’t show a private card again', async () => {
      await using served = await serveApp({ PULSE_CACHE: 'private' });
      const html = await (await fetch(served.url + PAGE)).text();
      assert.match(html, /<pulse-card /);
      assert.doesNotMatch(html, /data-public/);
    });
  });

  describe('its Content-Security-Policy (T-45)', () => {
    it('allows its own files, the chart’s host, and frames on the allowed pages', async () => {
      const response = await get();
      assert.equal(
        policyOf(response),
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https://cdn.acme.test; base-uri 'none'; form-action 'none'; frame-ancestors 'self' https://page.test https://other.test; require-trusted-types-for 'script'; trusted-types lit-html",
      );
      assert.equal(response.headers.get('X-Frame-Options'), null);
      assert.equal(response.headers.get('Referrer-Policy'), 'no-referrer');
      assert.equal(response.headers.get('Cross-Origin-Resource-Policy'), 'cross-origin');
    });

    for (const [allowed, ancestors] of [
      ['', "'self'"],
      ['*', '*'],
      ['https://page.test,http://[::1]:8080', "'self' https://page.test"],
    ] as const)
      it(`allows frames on ${ancestors} if "${allowed}" is allowed`, async () => {
        await using served = await serveApp({ PULSE_ALLOWED_ORIGINS: allowed });
        assert.ok(policyOf(await fetch(served.url + PAGE)).includes(`frame-ancestors ${ancestors};`));
      });

    it('omits a chart host that is an IPv6 address', async () => {
      const imageUrl = 'https://[2001:db8::1]/run_1.png';
      app.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, imageUrl } }));
      assert.ok(policyOf(await get()).includes("img-src 'self';"));
    });

    it('allows only its own icon if there is no chart', async () => {
      app.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, imageUrl: null } }));
      assert.ok(policyOf(await get()).includes("img-src 'self';"));
    });
  });

  describe('when there is nothing to show', () => {
    for (const [code, status, text, retryAfter] of [
      ['source_unknown', 404, 'Chart not found.', null],
      ['upstream_auth', 503, 'This chart can’t be shown right now.', '60'],
      ['upstream_invalid', 502, 'This chart can’t be shown right now.', '10'],
    ] as const)
      it(`is a page with a message: ${status} for ${code}`, async () => {
        app.cache.peeks.set('src_1', { ok: false, code });
        const response = await get();
        const html = await response.text();
        assert.equal(response.status, status);
        assert.equal(response.headers.get('Content-Type'), 'text/html; charset=utf-8');
        assert.equal(response.headers.get('Retry-After'), retryAfter);
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
        assert.ok(html.includes(text));
        assert.doesNotMatch(html, /src_1/);
        assert.equal(html.includes(`<meta http-equiv="refresh" content="${retryAfter}">`), retryAfter !== null);
        assert.ok(policyOf(response).includes("frame-ancestors 'self' https://page.test"));
      });

    it('says that a source has no pulse yet', async () => {
      const response = await get('/embed/src_bare?lang=de');
      assert.equal(response.status, 404);
      assert.match(await response.text(), /<html lang="de".*Noch kein Diagramm\./s);
    });

    for (const path of ['/embed/%3Cscript%3E', '/embed/..%2f..%2fx', '/embed/a%20b', '/embed/%E0%A4%A'])
      it(`responds with 400 to ${path}, without any part of the path in the page`, async () => {
        const response = await get(path);
        assert.deepEqual([response.status, response.headers.get('Cache-Control')], [400, 'no-store']);
        assert.doesNotMatch(await response.text(), /&lt;|&#60;|\.\.\/\.\.|a b|%E0/);
      });

    for (const [path, method, status] of [
      ['/embed/a/b', 'GET', 404],
      [PAGE, 'POST', 405],
    ] as const)
      it(`also responds with a page: ${status} to ${method} ${path}`, async () => {
        const response = await get(path, { method });
        assert.equal(response.status, status);
        assert.equal(response.headers.get('Content-Type'), 'text/html; charset=utf-8');
      });
  });
});
