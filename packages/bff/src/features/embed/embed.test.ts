import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { tokenAt } from '../../../../token/src/testing/forged-tokens.ts';
import { Bodies } from '../../http/send.ts';
import { appFor, cardWithPulse, hit, tokenVariables } from '../../testing/served-app.ts';

const PAGE = '/embed/src_1';
const SIZED_BY_CONTENT = /responsive-embedded-sizing/;

const serve = (t: TestContext, variables: Readonly<Record<string, string>> = {}) =>
  appFor(t, { PULSE_ALLOWED_ORIGINS: 'https://site.test', ...variables });

const withToken = () => ({ Authorization: `Bearer ${tokenAt(Math.floor(Date.now() / 1_000))}` });

describe('GET /embed/:sourceId', () => {
  it('never shows one visitor’s theme or language to another', async (t) => {
    const { ask } = await serve(t);
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
    const { ask, pulses } = await serve(t);
    for (const aiSummaryShort of ['Before', 'After']) {
      pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort } }));
      for (const path of [PAGE, '/v1/sources/src_1/fragment'])
        assert.ok((await ask(path)).text.includes(aiSummaryShort), path);
    }
  });

  it('lets a page size the frame to its content only if every reader is allowed to see every pulse', async (t) => {
    const pageWith = async (variables = {}) => (await (await serve(t, variables)).ask(PAGE, withToken())).text;
    assert.match(await pageWith(), SIZED_BY_CONTENT);
    const own = await pageWith(tokenVariables);
    assert.match(own, /<title>Q2 revenue</);
    assert.doesNotMatch(own, SIZED_BY_CONTENT);
    assert.doesNotMatch(await pageWith({ PULSE_CACHE: 'private' }), SIZED_BY_CONTENT);
  });

  it('marks a card as public only if every reader is allowed to see every pulse', async (t) => {
    for (const [variables, isPublic] of [
      [{}, true],
      [tokenVariables, false],
      [{ PULSE_CACHE: 'private' }, false],
    ] as const) {
      const { ask } = await serve(t, variables);
      for (const path of [PAGE, '/v1/sources/src_1/fragment']) {
        const { status, text } = await ask(path, withToken());
        assert.deepEqual([status, / data-public=""/.test(text)], [200, isPublic], path);
      }
    }
  });

  it('shows an earlier run only if PULSE_HISTORY allows it', async (t) => {
    const [{ ask: none }, { ask: some }] = [await serve(t), await serve(t, { PULSE_HISTORY: '5' })];
    const latest = await none(PAGE);
    assert.equal((await none(`${PAGE}?run=run_x`)).text, latest.text);
    assert.equal((await some(`${PAGE}?run=run_x`)).status, 404);
    const permalink = await some(`${PAGE}?run=run_1`);
    assert.match(permalink.text, /<link rel="canonical" href="[^"]+\?run=run_1">/);
    assert.doesNotMatch(permalink.text, /json\+oembed/);
    assert.equal((await some(PAGE)).text, latest.text);
  });

  it('renders and compresses an earlier run only once', async (t) => {
    const { ask, history } = await serve(t, { PULSE_HISTORY: '5' });
    t.mock.method(history, 'pulseOfRun', () => ({ ...fullPulse, jobRunId: 'run_0' }));
    const { mock } = t.mock.method(Bodies.prototype, 'body');
    for (let at = 0; at < 2; at += 1) assert.equal((await ask(`${PAGE}?run=run_0`)).status, 200);
    assert.equal(mock.calls[0]?.result, mock.calls[1]?.result);
  });

  it('keeps its policy when a URL sets a theme or a language', async (t) => {
    const { ask } = await serve(t);
    const [plain, themed] = [await ask(PAGE), await ask(`${PAGE}?accent=f00&radius=3.1&lang=de`)];
    const [, css = ''] = /<style>([^<]*)<\/style>/.exec(themed.text) ?? [];
    assert.match(css, /--pulse-card-accent:#f00/);
    assert.doesNotMatch(css, /radius/);
    const policyOf = ({ of }: typeof plain) => of('content-security-policy');
    const hash = createHash('sha256').update(css).digest('base64');
    assert.equal(policyOf(themed), policyOf(plain).replace("style-src 'self'", `style-src 'self' 'sha256-${hash}'`));
    const policy = policyOf(plain);
    assert.match(policy, /^default-src 'none'; .*; base-uri 'none'; form-action 'none'; /);
    assert.match(policy, /; require-trusted-types-for 'script'; trusted-types lit-html$/);
    assert.deepEqual([plain.of('referrer-policy'), plain.of('x-robots-tag')], ['no-referrer', 'noindex']);
    const canonical = ({ text }: { text: string }) => /<link rel="canonical" href="([^"]+)">/.exec(text)?.[1];
    assert.equal(canonical(themed), `${canonical(plain)}?lang=de`);
    assert.match(plain.text, /<meta name="color-scheme" content="light dark">/);
    assert.match((await ask(`${PAGE}?lang=ar`)).text, /<html lang="ar" dir="rtl"/);
  });

  it('describes the pulse to link previews and machines, labeled as AI-generated and escaped', async (t) => {
    const { ask, pulses } = await serve(t);
    const aiSummaryShort = '</script><script>alert(1)</script>';
    const pulse = { ...fullPulse, aiSummaryShort, sourceName: aiSummaryShort };
    pulses.found.set('src_1', hit({ ...cardWithPulse, pulse }));
    const { text } = await ask(PAGE);
    for (const name of ['name="description"', 'property="og:description"', 'property="og:image:alt"'])
      assert.match(text, new RegExp(`<meta ${name} content="AI-generated: [^"]+">`), name);
    assert.doesNotMatch(text, /<script>alert/);
    pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort: null } }));
    assert.match((await ask(PAGE)).text, /<meta name="ai-disclosure" content="ai-autonomous">/);
  });

  it('gives link previews a chart’s size as soon as it is known', async (t) => {
    const { ask, images } = await serve(t);
    const sizesNow = async () => {
      const { text } = await ask(PAGE);
      return Array.from(text.matchAll(/"og:image:(?:width|height)" content="(\d+)"/g), ([, size]) => size);
    };
    assert.deepEqual(await sizesNow(), []);
    t.mock.method(images, 'sizeOf', () => ({ width: 1_600, height: 900 }));
    assert.deepEqual(await sizesNow(), ['1600', '900']);
  });

  it('reloads itself after an error if a retry might succeed, and explains only what readers can change', async (t) => {
    const { ask, pulses } = await serve(t);
    pulses.found.set('src_1', { ok: false, code: 'upstream_unavailable', retryInMs: 7_000 });
    assert.match((await ask(PAGE)).text, /<meta http-equiv="refresh" content="7">/);
    const unknown = (await ask('/embed/src_unknown')).text;
    assert.doesNotMatch(unknown, /http-equiv="refresh"/);
    assert.equal((await ask('/embed/%20')).text, unknown);
    // A fragment with the error as its data wouldn't request the pulse.
    assert.doesNotMatch((await ask('/v1/sources/src_unknown/fragment')).text, /application\/json/);
    const withTokens = await serve(t, tokenVariables);
    const forbidden = (await withTokens.ask('/embed/src_other', withToken())).text;
    assert.equal((await withTokens.ask(PAGE)).text, forbidden);
  });

  it('can be framed only by allowed origins, even if it shows an error (T-45)', async (t) => {
    const { ask } = await serve(t);
    for (const path of [PAGE, '/embed/src_unknown']) {
      const policy = (await ask(path)).of('content-security-policy');
      assert.match(policy, /frame-ancestors [^;]*https:\/\/site\.test/, path);
      assert.doesNotMatch(policy, /frame-ancestors [^;]*\*/, path);
    }
  });

  it('ignores theme values that aren’t allowed (T-58)', async (t) => {
    const bad = encodeURIComponent('red;}</style><script>alert(1)</script>');
    const { ask } = await serve(t);
    const plain = await ask(PAGE);
    const { text, of } = await ask(`${PAGE}?accent=${bad}&theme=${bad}&font=${bad}&radius=${bad}`);
    assert.equal(text, plain.text);
    assert.equal(of('content-security-policy'), plain.of('content-security-policy'));
    const fragment = await ask('/v1/sources/%3C%2Fstyle%3E%3Cscript%3E/fragment?accent=f00');
    assert.doesNotMatch(fragment.text, /<script>/);
  });
});
