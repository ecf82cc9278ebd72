import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { marked } from 'marked';
import type { CodeFacts, RunFacts } from './code-facts.ts';
import { CODE_TABS, type CodeTab } from './code-tabs.ts';
import { boardCode, codeFor, frameSettingsOf } from './code.ts';
import { DEFAULT_SETTINGS, type Settings, valueOf } from './settings.ts';

const RUN: RunFacts = {
  id: 'run_1',
  completedAt: '2026-05-08T09:00:12.000Z',
  finding: 'Up 5 & "more"',
  imageUrl: 'https://cdn.example.com/charts/run_1.png',
};
const FACTS: CodeFacts = {
  baseUrl: 'https://pulse.example.com',
  name: 'Q2 revenue',
  isPrivate: false,
  run: RUN,
  isReleased: true,
  pinned: { url: 'https://cdn.example.net/card@0.1.0/pulse-card.js', integrity: 'sha384-xyz' },
  now: Date.UTC(2026, 10, 28),
};
const PLAIN: Settings = { ...DEFAULT_SETTINGS, sourceId: 'src_1' };
const LOOK = { ...PLAIN.look, colors: { accent: { light: '#5b3df0', dark: '#7a52f4' } }, cornersEm: 0 };

/** Settings with these attributes, and the Studio's default for charts. */
const withValues = (attributes: Readonly<Record<string, string>>, more: Partial<Settings> = {}): Settings => ({
  ...PLAIN,
  attributes: { ...PLAIN.attributes, ...attributes },
  ...more,
});
const textOf = (tab: CodeTab, settings: Settings = PLAIN, facts: Partial<CodeFacts> = {}) =>
  codeFor(tab, settings, { ...FACTS, ...facts }).text;
const noteOf = (tab: CodeTab, settings: Settings = PLAIN, facts: Partial<CodeFacts> = {}) =>
  codeFor(tab, settings, { ...FACTS, ...facts }).note;

const SCRIPT_TABS = ['html', 'short', 'wordpress'] as const;
const PUBLIC_TABS = ['iframe', 'oembed', 'image', 'markdown', 'mail'] as const;
const PACKAGE_TABS = ['react', 'vue', 'svelte', 'angular', 'server'] as const;
/** The tabs whose code includes all of the card's settings. */
const CARD_TABS = [...SCRIPT_TABS, ...PACKAGE_TABS] as const;

/** A name and a finding that would end a string in one of the places where code is pasted. */
const HOSTILE = [
  'Sales\n\n<script>alert(1)</script>',
  '[secret] [x](https://evil.test) ![y](z) |a|b|',
  '{{ constructor }} ${alert(1)} {% raw %} @if (true) { `b` }',
  ']]> --> <!-- /wp:html --> </pulse-card>"\'\\',
  'A\u2028\u2028B \u202egnp\u2066 \u{e0041}\u{e007f}\u0085',
].join(' ');

/** Text that a place would interpret as code: HTML, a shortcode, an expression, or the end of a string. */
const HTML_RISK = /<script>alert|<!-- \/wp:html -->.|\[secret|\{[{%]|[$#@]\{|`b|\n\s*\n<script>a|@if|\|a/;
const STRING_RISK = /<\/script>alert|<!--|[^\\]'\\'/;
const RISKS: Partial<Record<CodeTab, RegExp>> = {
  react: STRING_RISK,
  server: STRING_RISK,
  angular: STRING_RISK,
  markdown: /[<`*{}|\n]|!\[(?!Sales)/,
  oembed: /[^\w:/.?=-]/,
};

describe('codeFor() with a hostile name and finding', () => {
  const facts = { ...FACTS, name: HOSTILE, run: { ...RUN, finding: HOSTILE } };
  for (const { id } of CODE_TABS)
    it(`contains both only as text, without invisible characters: ${id}`, () => {
      for (const label of ['', HOSTILE]) {
        const text = codeFor(id, withValues({ label, 'ai-reviewed-by': HOSTILE }), facts).text;
        assert.doesNotMatch(text, /[\p{Zl}\p{Zp}\u0085\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
        if (id !== 'chat') assert.doesNotMatch(text.replaceAll(/^ *script = .*$/gm, ''), RISKS[id] ?? HTML_RISK);
      }
    });

  it('shows the name unchanged in Markdown', () => {
    const html = marked.parse(codeFor('markdown', PLAIN, facts).text, { async: false });
    assert.match(html, /^<p><a href="[^"]*"><img src="[^"]*" alt="Sales &lt;script&gt;alert\(1\)[^"]*"><\/a><\/p>\n$/);
  });

  it('puts a name that contains an expression into a class field for Angular', () => {
    const text = codeFor('angular', withValues({ label: HOSTILE }), facts).text;
    assert.match(text, /^ *\[label\]="label"$/m);
    assert.match(text, /^ *protected readonly label = 'Sales <script>/m);
  });

  for (const id of ['react', 'server'] as const)
    it(`puts both into JavaScript strings: ${id}`, () => {
      const text = codeFor(id, withValues({ label: HOSTILE }), facts).text;
      const [, string = ''] = /label(?:=\{|: )('(?:[^'\\]|\\.)*')/.exec(text) ?? [];
      assert.match(String(runInNewContext(string)), /^Sales <script>alert\(1\)<\/script> \[secret\].*"'\\ A/);
    });
});

describe('codeFor() for an image', () => {
  it('closes the img tag and has no style attribute, as MDX requires', () =>
    assert.match(textOf('image'), /<img (?:(?! style=)[^>])*\/>/));
});

describe('codeFor() for an email', () => {
  it('uses the chart from the same run as the finding, the label, and the date', () => {
    const text = textOf('mail', PLAIN, { name: 'A <b>' });
    assert.match(text, /<img src="https:\/\/cdn\.example\.com\/charts\/run_1\.png"/);
    assert.match(text, /AI-generated, May 8, 2026: Up 5 &#38; &#34;more&#34;<\/p>/);
    assert.ok(text.includes('<b>A &#60;b&#62;</b>'));
    assert.doesNotMatch(text, /\/image"/);
  });

  for (const [what, run] of [
    ['the run has no public chart', { ...RUN, imageUrl: null }],
    ['the run has no finding', { ...RUN, finding: null }],
  ] as const)
    it(`has the latest chart and both dates, but no finding, if ${what}`, () => {
      const text = textOf('mail', PLAIN, { run });
      assert.match(text, /<img src="https:\/\/pulse\.example\.com\/v1\/sources\/src_1\/image"/);
      assert.match(text, /November 28, 2026.*May 8, 2026/);
      assert.doesNotMatch(text, /Up 5|AI-generated/);
    });

  it('contains a date even if no run is known or the run has no date', () => {
    assert.match(textOf('mail', PLAIN, { run: undefined }), /November 28, 2026/);
    assert.match(textOf('mail', PLAIN, { run: { ...RUN, completedAt: null } }), /AI-generated, November 28, 2026: Up/);
  });
});

describe('codeFor()', () => {
  for (const { id } of CODE_TABS)
    it(`contains the source and the BFF: ${id}`, () => {
      const { text, note } = codeFor(id, PLAIN, FACTS);
      // A chat sees every source.
      if (id !== 'chat' && id !== 'mail') assert.match(text, /src_1/);
      assert.match(text, /https:\/\/pulse\.example\.com/);
      assert.ok(note.length > 0);
    });

  for (const id of PUBLIC_TABS)
    it(`has no code for private charts: ${id}`, () =>
      assert.deepEqual(codeFor(id, PLAIN, { ...FACTS, isPrivate: true }), {
        text: '',
        note: 'This code can’t send a token, so it can’t show private charts.',
      }));

  for (const id of CARD_TABS)
    it(`has every card attribute, under the name that this framework uses: ${id}`, () => {
      const settings = withValues(
        { variant: 'compact', open: 'true', 'heading-level': '2', 'summary-lang': 'de', 'ai-reviewed-by': 'Ada' },
        { language: 'ar' },
      );
      const text = textOf(id, settings);
      const names = { server: ['', ': '], react: ['', '='] } as Record<string, readonly string[]>;
      const isMarkup = names[id] === undefined;
      const pair = (attribute: string, property: string, value: string) =>
        isMarkup ? `${attribute}="${value}"` : id === 'react' ? `${property}="${value}"` : `${property}: '${value}'`;
      for (const part of [
        pair('variant', 'variant', 'compact'),
        pair('summary-lang', 'summaryLang', 'de'),
        pair('chart-theme', 'chartTheme', 'auto'),
        pair('ai-reviewed-by', 'aiReviewedBy', 'Ada'),
        pair('ai-reviewed-run', 'aiReviewedRun', 'run_1'),
        isMarkup ? 'heading-level="2"' : id === 'react' ? 'headingLevel={2}' : 'headingLevel: 2',
        pair('lang', id === 'server' ? 'language' : 'lang', 'ar'),
      ])
        assert.equal(text.split(part).length, 2, part);
      assert.match(text, /\bopen\b/);
    });

  it('doesn’t name a reviewer if no run is known', () =>
    assert.doesNotMatch(textOf('html', withValues({ 'ai-reviewed-by': 'Ada' }), { run: undefined }), /ai-reviewed/));

  for (const id of CARD_TABS)
    it(`has the complete theme: ${id}`, () => {
      const look = {
        ...LOOK,
        headingEm: 1.5,
        weight: '800',
        frame: 'none',
        extraHeightEm: 2,
        toggle: 'start',
      } as const;
      const text = textOf(id, { ...PLAIN, look });
      for (const part of [
        /--pulse-card-accent'?: '?light-dark\(#5b3df0, #7a52f4\)/,
        /--pulse-card-radius'?: '?0em/,
        /--pulse-card-frame'?: '?none/,
        /--pulse-card-extra-height'?: '?2em/,
        /--pulse-card-toggle-order'?: '?-1/,
        /pulse-card\[source-id="src_1"\]\)?::part\(heading\) \{\s+font-size: 1\.5em;\s+font-weight: 800;\s+\}/,
      ])
        assert.match(text, part);
    });

  it('reserves the extra height that the theme needs', () => {
    assert.match(textOf('html', { ...PLAIN, look: { ...LOOK, extraHeightEm: 2 } }), /height="8\.75em"/);
    assert.match(textOf('server', { ...PLAIN, look: { ...LOOK, extraHeightEm: 2 } }), /extraHeight: 2/);
  });

  it('writes fontSize in a style object for React', () =>
    assert.match(textOf('react', { ...PLAIN, look: { ...LOOK, sizeEm: 1.125 } }), /'fontSize': '1\.125em'/));

  for (const id of ['html', 'wordpress'] as const)
    it(`shows the scheme of the card before the script runs: ${id}`, () => {
      assert.match(textOf(id, withValues({ theme: 'dark' })), /<pulse-card [^>]*theme="dark"[^]* fill="#16191f"/);
      assert.doesNotMatch(textOf(id), /fill="#/);
    });

  it('inverts the chart before the script runs only if the card does', () => {
    assert.match(
      textOf('html', withValues({ theme: 'dark' })),
      /<foreignObject filter="invert\(\.91\) hue-rotate\(180deg\)" /,
    );
    for (const theme of ['auto', 'light']) assert.doesNotMatch(textOf('html', withValues({ theme })), /invert/);
    assert.doesNotMatch(textOf('html', withValues({ theme: 'dark', 'chart-theme': 'light' })), /invert/);
  });

  it('sets the aspect ratio of a chart that isn’t 16:9', () =>
    assert.match(textOf('html', PLAIN, { chartRatio: 21 / 9 }), /viewBox="0 0 2100 900".*<img [^>]*width="100%"/));

  it('has no image if the card loads after a click, and explains what loads before the click', () => {
    const settings = withValues({ loading: 'click' });
    assert.doesNotMatch(textOf('html', settings), /<img/);
    assert.match(noteOf('html', settings), /only the script and its language file/);
    assert.match(noteOf('iframe', settings), /^An iframe loads without a click\. /);
  });

  for (const id of [...SCRIPT_TABS, 'server'] as const)
    it(`contains the pinned script and the BFF’s URL if the script is pinned: ${id}`, () => {
      const { text, note } = codeFor(id, { ...PLAIN, pinned: true }, FACTS);
      assert.match(text, /src="https:\/\/cdn\.example\.net\/card@0\.1\.0\/pulse-card\.js" integrity="sha384-xyz"/);
      assert.match(text, /base-url="https:\/\/pulse\.example\.com"|baseUrl/);
      assert.ok(!text.includes('https://pulse.example.com/pulse-card.js'));
      assert.match(note, /jsDelivr/);
    });

  it('doesn’t pin the script if the BFF has no script', () => {
    const pinned = { ...PLAIN, pinned: true };
    assert.match(textOf('html', pinned, { pinned: null }), /pulse\.example\.com\/pulse-card\.js"/);
    assert.match(noteOf('html', pinned, { pinned: 'unpublished' }), /^Not pinned: /);
  });

  for (const id of SCRIPT_TABS)
    it(`explains where to put a style block that isn’t allowed: ${id}`, () => {
      assert.match(noteOf(id, { ...PLAIN, look: LOOK }), /In MDX, or if your policy forbids inline styles/);
      assert.doesNotMatch(noteOf(id), /inline styles/);
    });

  it('explains how to darken cards on a site whose dark mode is a class, unless the card has a fixed scheme', () => {
    assert.match(noteOf('html'), /\.dark pulse-card \{ color-scheme: dark \}/);
    assert.doesNotMatch(noteOf('html', withValues({ theme: 'light' })), /\.dark/);
  });

  it('explains that packages aren’t available until the first release', () => {
    for (const id of [...PACKAGE_TABS, 'chat'] as const)
      assert.match(noteOf(id, PLAIN, { isReleased: false }), /published to npm with the first release/);
    assert.doesNotMatch(noteOf('html', PLAIN, { isReleased: false }), /release/);
  });

  for (const id of CARD_TABS)
    it(`requests a token from the page if readers need one: ${id}`, () => {
      const { text, note } = codeFor(id, PLAIN, { ...FACTS, isPrivate: true });
      assert.match(text, /tokenProvider/);
      assert.match(note, /^Make your backend respond to \/pulse-token/);
    });

  it('doesn’t use an error page from the portal as a token', async () => {
    const [, script = ''] =
      /<script type="module">\n([^]*?)<\/script>/.exec(textOf('short', PLAIN, { isPrivate: true })) ?? [];
    const providerWhere = (fetch: () => Promise<Response>) => {
      const card: { tokenProvider?: () => Promise<string> } = {};
      runInNewContext(script, { document: { querySelector: () => card }, fetch, Error });
      return card.tokenProvider ?? assert.fail('no provider');
    };
    assert.equal(await providerWhere(async () => new Response('a.b.c'))(), 'a.b.c');
    const error = providerWhere(async () => new Response('<p>Sorry', { status: 503 }));
    await assert.rejects(error, { message: '/pulse-token returned 503' });
  });

  for (const isPrivate of [false, true])
    it(`contains server code that works ${isPrivate ? 'with a token' : 'without a token'}`, async () => {
      const requests: unknown[] = [];
      await runInNewContext(
        `(async () => {${textOf('server', PLAIN, { isPrivate }).replaceAll(/^import .*$/gm, '')}})()`,
        {
          fetch: async (url: string, init?: RequestInit) => {
            requests.push([url, init?.headers]);
            return Response.json({});
          },
          renderPulseCard: () => '',
          mintToken: async (_key: object, { audience, sources }: { audience: string; sources: string[] }) =>
            `for ${sources.join()} at ${audience}`,
          process: { env: {} },
        },
      );
      const headers = isPrivate ? { Authorization: 'Bearer for src_1 at https://pulse.example.com' } : undefined;
      const expected = [['https://pulse.example.com/v1/sources/src_1/pulse', headers]];
      assert.equal(JSON.stringify(requests), JSON.stringify(expected));
    });

  it('contains a placeholder if no source is chosen', () =>
    assert.match(textOf('short', DEFAULT_SETTINGS), /source-id="SOURCE_ID"/));
});

describe('codeFor() for an iframe', () => {
  const addressOf = (settings: Settings) => /src="([^"]*)"/.exec(textOf('iframe', settings))?.[1];

  it('includes the theme in its URL', () =>
    assert.match(addressOf({ ...PLAIN, look: LOOK }) ?? '', /\?theme=light&#38;accent=5b3df0\.7a52f4&#38;radius=0$/));

  it('darkens charts only in a dark frame', () =>
    assert.deepEqual(
      (['auto', 'dark'] as const).map((theme) => addressOf(withValues({ theme }))),
      ['theme=light', 'theme=dark&#38;chart-theme=auto'].map(
        (query) => `https://pulse.example.com/embed/src_1?${query}`,
      ),
    ));

  it('explains the frame’s color scheme, its height without styles, and what it can’t show', () => {
    const look = { ...LOOK, font: 'Lato', sizeEm: 1.25, weight: '800' } as const;
    const settings = withValues(
      { 'ai-reviewed-by': 'Ada', history: 'true', theme: 'dark', variant: 'chart' },
      { look },
    );
    const note = noteOf('iframe', settings);
    assert.match(note, /^An iframe can’t show your font, size, heading weight, (?:ai-reviewed-by|history), and/);
    assert.match(note, /The frame is dark on every page/);
    assert.match(note, /Drupal.*386 px tall/);
  });

  it('includes only the settings that a frame’s URL supports', () => {
    const look = { ...LOOK, font: 'Lato', sizeEm: 1.25, frame: 'none' } as const;
    const shown = frameSettingsOf(withValues({ open: 'true', label: 'A', variant: 'text' }, { look }));
    assert.deepEqual(shown.attributes, { variant: 'text', theme: 'light', 'chart-theme': 'auto' });
    assert.deepEqual(shown.look, { ...PLAIN.look, colors: LOOK.colors, cornersEm: 0, font: 'system-ui, sans-serif' });
    assert.equal(valueOf(frameSettingsOf(withValues({ theme: 'dark' })), 'theme'), 'dark');
  });
});

describe('boardCode()', () => {
  const options = { baseUrl: 'https://pulse.example.com', sources: [{ id: 'src_1', name: 'Q2 revenue' }] };

  it('links to each chart for readers who have disabled JavaScript', () =>
    assert.match(boardCode(options, false, PLAIN), /embed\/src_1/));

  it('includes the board’s theme and color scheme', () => {
    const code = boardCode(options, false, withValues({ theme: 'light' }, { look: LOOK }));
    assert.match(code, /<\/script>\n<style>\n {2}pulse-board \{\n {4}--pulse-card-accent: #5b3df0;/);
    assert.match(code, /<pulse-board theme="light" chart-theme="auto">/);
  });

  it('contains the token code but no links for a private board', () => {
    const code = boardCode(options, true, PLAIN);
    assert.match(code, /querySelector\('pulse-board'\)\.tokenProvider/);
    assert.doesNotMatch(code, /embed/);
  });
});
