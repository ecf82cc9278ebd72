import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { tokenAt } from '../../../../token/src/testing/forged-tokens.ts';
import { cardWithPulse, hit, serveApp, tokenVariables } from '../../testing/served-app.ts';

const PAGE = '/embed/src_1';
const SIZED_BY_CONTENT = /responsive-embedded-sizing/;

async function serve(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const app = await serveApp({ PULSE_ALLOWED_ORIGINS: 'https://site.test', ...variables });
  t.after(() => app[Symbol.asyncDispose]());
  return async (path: string) => {
    const response = await fetch(app.url + path);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

describe('GET /embed/:sourceId', () => {
  it('never shows one visitor’s theme or language to another', async (t) => {
    const ask = await serve(t);
    for (const path of [PAGE, '/v1/sources/src_1/fragment']) {
      const before = (await ask(path)).text;
      assert.equal(before.startsWith('<!doctype html>'), path === PAGE);
      const texts = new Set([before]);
      const options = ['radius=3', 'radius=2', 'lang=de', 'variant=text', 'theme=dark', 'chart-theme=auto'];
      for (const option of options) texts.add((await ask(`${path}?${option}`)).text);
      assert.equal(texts.size, 7, path);
      assert.equal((await ask(path)).text, before, path);
    }
  });

  it('shows a new pulse as soon as it is known', async (t) => {
    const app = await serveApp();
    t.after(() => app[Symbol.asyncDispose]());
    for (const aiSummaryShort of ['Before', 'After']) {
      app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort } }));
      for (const path of [PAGE, '/v1/sources/src_1/fragment'])
        assert.ok((await (await fetch(app.url + path)).text()).includes(aiSummaryShort), path);
    }
  });

  it('lets a page size the frame to its content only if every reader is allowed to see every pulse', async (t) => {
    assert.match((await (await serve(t))(PAGE)).text, SIZED_BY_CONTENT);
    const withTokens = await serveApp(tokenVariables);
    t.after(() => withTokens[Symbol.asyncDispose]());
    const headers = { Authorization: `Bearer ${tokenAt(Math.floor(Date.now() / 1_000))}` };
    const own = await (await fetch(withTokens.url + PAGE, { headers })).text();
    assert.match(own, /<title>Q2 revenue</);
    assert.doesNotMatch(own, SIZED_BY_CONTENT);
    assert.doesNotMatch((await (await serve(t, { PULSE_CACHE: 'private' }))(PAGE)).text, SIZED_BY_CONTENT);
  });

  it('shows an earlier run only if PULSE_HISTORY allows it', async (t) => {
    const [none, some] = [await serve(t), await serve(t, { PULSE_HISTORY: '5' })];
    const latest = await none(PAGE);
    assert.equal((await none(`${PAGE}?run=run_x`)).text, latest.text);
    assert.equal((await some(`${PAGE}?run=run_x`)).status, 404);
    const permalink = await some(`${PAGE}?run=run_1`);
    assert.match(permalink.text, /<link rel="canonical" href="[^"]+\?run=run_1">/);
    assert.doesNotMatch(permalink.text, /json\+oembed/);
    assert.equal((await some(PAGE)).text, latest.text);
  });

  it('keeps its policy when a URL sets a theme or a language', async (t) => {
    const ask = await serve(t);
    const [plain, themed] = [await ask(PAGE), await ask(`${PAGE}?accent=f00&radius=3.1&lang=de`)];
    const [, css = ''] = /<style>([^<]*)<\/style>/.exec(themed.text) ?? [];
    assert.match(css, /--pulse-card-accent:#f00/);
    assert.doesNotMatch(css, /radius/);
    const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(css).digest('base64');
    assert.equal(policyOf(themed), policyOf(plain).replace("style-src 'self'", `style-src 'self' 'sha256-${hash}'`));
    assert.match(
      policyOf(plain),
      /^default-src 'none'; .*; require-trusted-types-for 'script'; trusted-types lit-html$/,
    );
    assert.deepEqual(
      [plain.headers.get('referrer-policy'), plain.headers.get('x-robots-tag')],
      ['no-referrer', 'noindex'],
    );
    const canonical = ({ text }: { text: string }) => /<link rel="canonical" href="([^"]+)">/.exec(text)?.[1];
    assert.equal(canonical(themed), `${canonical(plain)}?lang=de`);
    assert.match((await ask(`${PAGE}?lang=ar`)).text, /<html lang="ar" dir="rtl"/);
  });

  it('describes the pulse to link previews and machines, labeled as AI-generated and escaped', async (t) => {
    const app = await serveApp();
    t.after(() => app[Symbol.asyncDispose]());
    const aiSummaryShort = '</script><script>alert(1)</script>';
    const pulse = { ...fullPulse, aiSummaryShort, sourceName: aiSummaryShort };
    app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse }));
    const text = await (await fetch(app.url + PAGE)).text();
    for (const name of ['name="description"', 'property="og:description"', 'property="og:image:alt"'])
      assert.match(text, new RegExp(`<meta ${name} content="AI-generated: [^"]+">`), name);
    assert.doesNotMatch(text, /<script>alert/);
    app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort: null } }));
    assert.match(await (await fetch(app.url + PAGE)).text(), /<meta name="ai-disclosure" content="ai-autonomous">/);
  });

  it('gives link previews a chart’s size as soon as it is known', async (t) => {
    const app = await serveApp();
    t.after(() => app[Symbol.asyncDispose]());
    const sizesNow = async () => {
      const text = await (await fetch(app.url + PAGE)).text();
      return Array.from(text.matchAll(/"og:image:(?:width|height)" content="(\d+)"/g), ([, size]) => size);
    };
    assert.deepEqual(await sizesNow(), []);
    t.mock.method(app.images, 'sizeOf', () => ({ width: 1_600, height: 900 }));
    assert.deepEqual(await sizesNow(), ['1600', '900']);
  });

  it('reloads itself after an error if a retry might succeed, and explains only what readers can change', async (t) => {
    const app = await serveApp();
    t.after(() => app[Symbol.asyncDispose]());
    app.pulses.found.set('src_1', { ok: false, code: 'upstream_unavailable', retryInMs: 7_000 });
    assert.match(await (await fetch(app.url + PAGE)).text(), /<meta http-equiv="refresh" content="7">/);
    const unknown = await (await fetch(`${app.url}/embed/src_unknown`)).text();
    assert.doesNotMatch(unknown, /http-equiv="refresh"/);
    assert.equal(await (await fetch(`${app.url}/embed/%20`)).text(), unknown);
    // A fragment with the error as its data wouldn't request the pulse.
    const fragment = await (await fetch(`${app.url}/v1/sources/src_unknown/fragment`)).text();
    assert.doesNotMatch(fragment, /application\/json/);
    const withTokens = await serveApp(tokenVariables);
    t.after(() => withTokens[Symbol.asyncDispose]());
    const headers = { Authorization: `Bearer ${tokenAt(Math.floor(Date.now() / 1_000))}` };
    const forbidden = await (await fetch(`${withTokens.url}/embed/src_other`, { headers })).text();
    assert.equal(await (await fetch(withTokens.url + PAGE)).text(), forbidden);
  });

  it('can be framed only by allowed origins, even if it shows an error (T-45)', async (t) => {
    const ask = await serve(t);
    for (const path of [PAGE, '/embed/src_unknown']) {
      const policy = (await ask(path)).headers.get('content-security-policy') ?? '';
      assert.match(policy, /frame-ancestors [^;]*https:\/\/site\.test/, path);
      assert.doesNotMatch(policy, /frame-ancestors [^;]*\*/, path);
    }
  });

  it('ignores theme values that aren’t allowed (T-58)', async (t) => {
    const bad = encodeURIComponent('red;}</style><script>alert(1)</script>');
    const ask = await serve(t);
    const plain = await ask(PAGE);
    const { text, headers } = await ask(`${PAGE}?accent=${bad}&theme=${bad}&font=${bad}&radius=${bad}`);
    assert.equal(text, plain.text);
    assert.equal(headers.get('content-security-policy'), plain.headers.get('content-security-policy'));
  });
});
