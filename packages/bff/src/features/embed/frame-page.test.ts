import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import { FRAME_FONTS } from '@pulse-card/widget/snippet';
import { descriptionOf, frameErrorPage, frameOptionsOf, framePage, imageOriginsOf, titleOf } from './frame-page.ts';
import { frameThemeOf } from './frame-theme.ts';

describe('frameThemeOf()', () => {
  const accent = (color: string) => `:root{--pulse-card-accent:#${color}}`;
  const inScheme = (scheme: string, rule: string) => `@media(prefers-color-scheme:${scheme}){${rule}}`;
  for (const [query, css] of [
    ['theme=light&accent=f00.0f0', accent('f00')],
    ['theme=dark&accent=f00.0f0', accent('0f0')],
    ['accent=f00.0f0', inScheme('light', accent('f00')) + inScheme('dark', accent('0f0'))],
    ['theme=light&accent=11223344', accent('11223344')],
    ['theme=light&accent=F00', accent('f00')],
    ['theme=light&accent=1122', ''],
    ['theme=light&accent=f00}', ''],
    ['radius=3', ':root{--pulse-card-radius:3em;--pulse-card-radius-inner:2em}'],
    ['radius=3.001', ''],
    ['font=serif', `:root{--pulse-card-font-family:${FRAME_FONTS.serif}}`],
    ['font=Charter', ''],
  ] as const)
    it(`reads ${query}`, () => assert.equal(frameThemeOf(new URLSearchParams(query)).css, css));
});

describe('imageOriginsOf()', () => {
  for (const [address, origin] of [
    ['https://cdn.acme.test/charts/run_1.png', 'https://cdn.acme.test'],
    ['https://cdn.acme.test:8443/a;b.png', 'https://cdn.acme.test:8443'],
    ['http://127.0.0.1:4010/charts/a.png', 'http://127.0.0.1:4010'],
    ['https://münchen.test/a.png', 'https://xn--mnchen-3ya.test'],
  ] as const)
    it(`allows charts from ${origin}`, () => assert.deepEqual(imageOriginsOf(address), [origin]));

  for (const address of [null, 'https://[2001:db8::1]/a.png'])
    it(`doesn’t allow charts from any host for ${address}`, () => assert.deepEqual(imageOriginsOf(address), []));

  for (const host of ['cdn;sandbox', 'cdn,script-src', '*', '*.acme.test', "'self'"])
    it(`doesn’t treat a policy keyword as a host: ${host}`, () =>
      assert.deepEqual(imageOriginsOf(`https://${host}/a.png`), []));
});

describe('descriptionOf()', () => {
  for (const [finding, text] of [
    ['4* hotels; 5 * 3', '4* hotels; 5 * 3'],
    ['**Up** 2**3**2', 'Up 2**3**2'],
    ['one\u2028two\rthree', 'one two three'],
    ['5\u200b*6*\u200b7', '5*6*7'],
    [`${'a'.repeat(298)}👩‍💻b`, `${'a'.repeat(298)}…`],
  ] as const)
    it(`is ${JSON.stringify(text.slice(-20))} for ${JSON.stringify(finding.slice(-20))}`, () =>
      assert.equal(descriptionOf({ ...fullPulse, aiSummaryShort: finding }), text));
});

describe('titleOf()', () => {
  for (const [name, title] of [
    ['one\u0085two\vthree', 'one two three'],
    [`${'a'.repeat(198)}🏴󠁧󠁢󠁳󠁣󠁴󠁿b`, `${'a'.repeat(198)}…`],
  ] as const)
    it(`is ${JSON.stringify(title.slice(-20))} for ${JSON.stringify(name.slice(-20))}`, () =>
      assert.equal(titleOf(name, null), title));

  it('falls back to the name in the list if the pulse’s name has no visible characters', () => {
    for (const sourceName of ['', ' \u200b ']) assert.equal(titleOf(sourceName, 'Q2'), 'Q2');
  });
});

describe('framePage()', () => {
  const options = frameOptionsOf(new URLSearchParams());
  const answer = {
    pulse: fullPulse,
    source: activeSource,
    meta: { requestedAt: '2026-05-08T09:05:00.000Z', stale: false },
  };
  const server = { publicUrl: 'https://pulse.test', scriptHash: '0123456789abcdef', isPublic: true };
  const script = /pulse-card-0123456789abcdef\.js/;

  it('loads the element, which keeps the page up to date', () =>
    assert.match(framePage({ ...server, sourceId: 'src_1', answer }, options), script));

  it('marks an earlier run with its date, and loads no element that would replace it', () => {
    const html = framePage({ ...server, sourceId: 'src_1', answer }, { ...options, version: 'run_1' });
    assert.match(html, /part="status" class="version"[^>]* title="Version of May 8/);
    assert.doesNotMatch(html, script);
  });
});

describe('frameErrorPage()', () => {
  it('has a title without invisible characters', () => {
    const source = { status: null, name: 'Q2\u202e\u2028revenue' };
    const failure = { code: 'pulse_not_found', source, retryAfterSeconds: undefined };
    assert.match(frameErrorPage(failure, frameOptionsOf(new URLSearchParams())), /<title>Q2 revenue<\/title>/);
  });

  it('has a card without data and with headings below the page’s own', () => {
    const failure = { code: 'pulse_not_found', source: undefined, retryAfterSeconds: undefined } as const;
    const html = frameErrorPage(failure, frameOptionsOf(new URLSearchParams()));
    assert.match(html, /<pulse-card [^>]*heading-level="2"/);
    assert.doesNotMatch(html, /application\/json/);
  });
});
