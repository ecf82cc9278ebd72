import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { boardCode, codeFor } from './code.ts';
import { marked } from 'marked';
import type { CodeFacts } from './code-facts.ts';
import { CODE_TABS, type CodeTab, DEFAULT_SETTINGS, type Settings } from './settings.ts';

const FACTS: CodeFacts = {
  baseUrl: 'https://pulse.example.com',
  name: 'Q2 revenue',
  isPrivate: false,
  run: 'run_1',
  isReleased: true,
  pinned: { url: 'https://cdn.example.net/card@0.1.0/pulse-card.js', integrity: 'sha384-xyz' },
};
const PLAIN: Settings = { ...DEFAULT_SETTINGS, sourceId: 'src_1' };
const STYLED: Settings = {
  ...PLAIN,
  variant: 'compact',
  open: true,
  headingLevel: 2,
  language: 'ar',
  look: { ...PLAIN.look, colors: { accent: { light: '#5b3df0', dark: '#7a52f4' } }, cornersEm: 0 },
};

/** A name and a finding that end a text in one of the places that code is pasted into. */
const HOSTILE = [
  'Sales\n\n<script>alert(1)</script>',
  '[secret] [x](https://evil.test) ![y](z) |a|b|',
  '{{ constructor }} ${alert(1)} {% raw %} @if (true) { `b` }',
  ']]> --> <!-- /wp:html --> </pulse-card>"\'\\',
  'A\u2028\u2028B \u202egnp\u2066 \u{e0041}\u{e007f}\u0085',
].join(' ');

/** What the parser of a place would read as code: HTML, a shortcode, an expression, or an invisible order of letters. */
const RISKS: Partial<Record<CodeTab, RegExp>> = {
  react: /(?<!\\)\\[^'\\nu"]|<script>alert|<!--/,
  server: /<script>alert|<!--(?!\\)/,
  markdown: /<|(?<!\\)[`*_{}]|\||\n|\$\{/,
};
const HTML_RISK = /<script>alert|<!-- \/wp:html -->.|\[secret|[{}]|`|\n\s*\n<|@if|\|/;

const SCRIPT_TABS = ['html', 'short', 'wordpress', 'server'] as const;

describe('codeFor() with a hostile name and finding', () => {
  for (const { id } of CODE_TABS)
    it(`has no code of theirs and no invisible characters: ${id}`, () => {
      const { text } = codeFor(id, PLAIN, { ...FACTS, name: HOSTILE, finding: HOSTILE });
      assert.doesNotMatch(text, /[\p{Zl}\p{Zp}\u0085\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
      if (id !== 'chat' && id !== 'oembed')
        assert.doesNotMatch(text.replace(/^(?:import|export|const) [^]*?$/gm, ''), RISKS[id] ?? HTML_RISK);
    });

  it('keeps the name in Markdown', () => {
    const html = marked.parse(codeFor('markdown', PLAIN, { ...FACTS, name: HOSTILE }).text, { async: false });
    assert.match(
      html,
      /^<p><a href="https:\/\/pulse\.example\.com\/embed\/src_1[^"]*"><img src="https:[^"]*" alt="Sales &lt;script&gt;alert\(1\)[^"]*"><\/a><\/p>\n$/,
    );
  });
});

describe('codeFor()', () => {
  const RUN = {
    completedAt: '2026-05-08T09:00:12.000Z',
    runImageUrl: 'https://cdn.example.com/charts/run_1.png',
    finding: 'Up 5 & "more"',
  };

  it('puts the chart of the finding’s own run, the label, and the date into an email', () => {
    const { text } = codeFor('mail', PLAIN, { ...FACTS, ...RUN, name: 'A <b>' });
    assert.match(text, /<img src="https:\/\/cdn\.example\.com\/charts\/run_1\.png"/);
    assert.match(text, /AI-generated, May 8, 2026: Up 5 &#38; &#34;more&#34;<\/p>/);
    assert.ok(text.includes('<b>A &#60;b&#62;</b>'));
    assert.doesNotMatch(text, /\/image"/);
  });

  for (const [what, facts] of [
    ['run has no public image', { ...RUN, runImageUrl: undefined }],
    ['finding is unknown', { ...RUN, finding: undefined }],
  ] as const)
    it(`puts the latest chart and the date, but no finding, into an email if the ${what}`, () => {
      const { text } = codeFor('mail', PLAIN, { ...FACTS, ...facts });
      assert.match(text, /<img src="https:\/\/pulse\.example\.com\/v1\/sources\/src_1\/image"/);
      assert.match(text, /May 8, 2026/);
      assert.doesNotMatch(text, /Up 5|AI-generated/);
    });

  it('has a date in an email even if the run has none', () =>
    assert.match(
      codeFor('mail', PLAIN, { ...FACTS, finding: 'Up', now: Date.UTC(2026, 10, 28) }).text,
      /November 28, 2026/,
    ));

  it('sets the token provider as a property for Angular, and names the schema', () => {
    const { text } = codeFor('angular', PLAIN, { ...FACTS, isPrivate: true });
    assert.match(text, /\[tokenProvider\]="fetchToken"/);
    assert.match(text, /schemas: \[CUSTOM_ELEMENTS_SCHEMA\]/);
  });

  for (const id of ['image', 'mail'] as const)
    it(`fits a picture into a phone: ${id}`, () =>
      assert.match(codeFor(id, PLAIN, FACTS).text, /<img [^>]*width="600" style="max-width:100%;height:auto">/));

  it('escapes the brackets of a name in Markdown', () =>
    assert.ok(codeFor('markdown', PLAIN, { ...FACTS, name: 'Q2 [new]' }).text.startsWith('[![Q2 \\[new\\]](')));

  for (const id of ['oembed', 'image', 'markdown', 'mail', 'feed'] as const)
    it(`has no code for private charts: ${id}`, () => {
      const { text, note } = codeFor(id, PLAIN, { ...FACTS, isPrivate: true });
      assert.deepEqual([text, note], ['', 'This code can’t send a token, so it can’t show private charts.']);
    });

  it('says that packages aren’t available until the first release', () => {
    for (const id of ['react', 'vue', 'svelte', 'server', 'chat'] as const)
      assert.match(codeFor(id, PLAIN, { ...FACTS, isReleased: false }).note, /published to npm with the first release/);
    assert.doesNotMatch(codeFor('html', PLAIN, { ...FACTS, isReleased: false }).note, /release/);
  });

  for (const { id } of CODE_TABS) {
    it(`contains the source and the BFF: ${id}`, () => {
      const { text, note } = codeFor(id, PLAIN, FACTS);
      // A chat sees every source.
      if (id !== 'chat') assert.match(text, /src_1/);
      assert.match(text, /https:\/\/pulse\.example\.com/);
      assert.ok(note.length > 0);
    });
  }

  for (const id of ['html', 'short', 'wordpress', 'vue', 'svelte'] as const) {
    it(`contains attributes and colors: ${id}`, () => {
      const { text } = codeFor(id, STYLED, FACTS);
      for (const part of [
        'variant="compact"',
        'heading-level="2"',
        'lang="ar"',
        'dir="rtl"',
        'light-dark(#5b3df0, #7a52f4)',
        '--pulse-card-radius: 0em',
      ])
        assert.ok(text.includes(part), part);
      assert.match(text, /\bopen\b/);
    });
  }

  it('sets the ratio of a chart that is not 16 by 9', () => {
    const { text } = codeFor('html', PLAIN, { ...FACTS, chartRatio: 21 / 9 });
    assert.match(
      text,
      /<svg viewBox="0 0 2100 900"[^>]*><foreignObject width="2100" height="900"><img [^>]*width="100%"/,
    );
  });

  it('writes properties and a style object for React', () => {
    const { text } = codeFor('react', STYLED, FACTS);
    assert.ok(text.includes("style={{ '--pulse-card-accent': 'light-dark(#5b3df0, #7a52f4)', "));
    assert.ok(text.includes('headingLevel={2}'));
  });

  for (const [id, chartTheme, reviewer, run = ''] of [
    ['html', 'chart-theme="auto"', 'ai-reviewed-by="Ada"', 'ai-reviewed-run="run_1"'],
    ['short', 'chart-theme="auto"', 'ai-reviewed-by="Ada"', 'ai-reviewed-run="run_1"'],
    ['wordpress', 'chart-theme="auto"', 'ai-reviewed-by="Ada"', 'ai-reviewed-run="run_1"'],
    ['vue', 'chart-theme="auto"', 'ai-reviewed-by="Ada"', 'ai-reviewed-run="run_1"'],
    ['svelte', 'chart-theme="auto"', 'ai-reviewed-by="Ada"', 'ai-reviewed-run="run_1"'],
    ['react', 'chartTheme="auto"', 'aiReviewedBy="Ada"', 'aiReviewedRun="run_1"'],
    ['server', "chartTheme: 'auto'", "aiReviewedBy: 'Ada'", "aiReviewedRun: 'run_1'"],
  ] as const) {
    it(`makes charts dark, and names the reviewer: ${id}`, () => {
      const { text, note } = codeFor(id, { ...PLAIN, chartTheme: 'auto', reviewedBy: 'Ada' }, FACTS);
      assert.ok(text.includes(chartTheme), text);
      assert.ok(text.includes(run) && `${text} ${note}`.includes(reviewer));
    });
  }

  for (const id of ['html', 'short', 'wordpress', 'vue', 'svelte', 'react', 'server'] as const) {
    it(`has earlier findings and actions: ${id}`, () => {
      const { text } = codeFor(id, { ...PLAIN, history: true, actions: 'copy share' }, FACTS);
      assert.match(text, /\bhistory\b/);
      assert.match(text, id === 'server' ? /actions: 'copy share'/ : /actions="copy share"/);
    });
  }

  for (const id of ['html', 'short', 'wordpress', 'vue', 'svelte', 'react', 'server'] as const) {
    it(`waits for a click: ${id}`, () => {
      const { text } = codeFor(id, { ...PLAIN, loading: 'click' }, FACTS);
      assert.match(text, id === 'server' ? /loading: 'click'/ : /loading="click"/);
    });
  }

  it('says that a frame loads without a click', () => {
    assert.match(codeFor('iframe', { ...PLAIN, loading: 'click' }, FACTS).note, /^An iframe loads without a click\. /);
    assert.doesNotMatch(codeFor('iframe', PLAIN, FACTS).note, /press/);
  });

  it('says what a frame doesn’t show', () => {
    const { note } = codeFor('iframe', { ...PLAIN, history: true, actions: 'copy' }, FACTS);
    assert.match(note, /An iframe can’t show your earlier findings and actions\./);
  });

  it('styles only one card on the page', () => {
    assert.match(codeFor('html', STYLED, FACTS).text, /pulse-card\[source-id="src_1"\] \{/);
  });

  for (const id of SCRIPT_TABS) {
    it(`contains the pinned script and the BFF’s address if the script is pinned: ${id}`, () => {
      const { text, note } = codeFor(id, { ...PLAIN, pinned: true }, FACTS);
      assert.ok(
        text.includes(
          'src="https://cdn.example.net/card@0.1.0/pulse-card.js" integrity="sha384-xyz" crossorigin="anonymous"',
        ),
      );
      assert.match(text, /base-url="https:\/\/pulse\.example\.com"|baseUrl/);
      assert.ok(!text.includes('https://pulse.example.com/pulse-card.js'));
      assert.match(note, /jsDelivr/);
    });
  }

  for (const id of ['html', 'short', 'wordpress'] as const) {
    it(`says where to put colors under a policy without inline styles: ${id}`, () => {
      assert.match(codeFor(id, STYLED, FACTS).note, /forbids inline styles/);
      assert.doesNotMatch(codeFor(id, PLAIN, FACTS).note, /inline styles/);
    });
  }

  it('doesn’t pin the script if the BFF has no script', () => {
    assert.ok(codeFor('html', { ...PLAIN, pinned: true }, { ...FACTS, pinned: null }).text.includes('/pulse-card.js"'));
    const own = codeFor('html', { ...PLAIN, pinned: true }, { ...FACTS, pinned: 'unpublished' });
    assert.ok(own.text.includes('/pulse-card.js"') && own.note.startsWith('Not pinned: '));
  });

  for (const id of ['html', 'short', 'react', 'vue', 'svelte', 'wordpress', 'server'] as const) {
    it(`requests a token from the page if readers need one: ${id}`, () => {
      const { text, note } = codeFor(id, PLAIN, { ...FACTS, isPrivate: true });
      assert.match(text, /tokenProvider/);
      assert.match(note, /^Make your backend respond to \/pulse-token/);
    });
  }

  it('doesn’t use an error page from the portal as a token', async () => {
    const { text } = codeFor('short', PLAIN, { ...FACTS, isPrivate: true });
    const [, script = ''] = /<script type="module">\n([^]*?)<\/script>/.exec(text) ?? [];
    const providerWhere = (fetch: () => Promise<Response>) => {
      const card: { tokenProvider?: () => Promise<string> } = {};
      runInNewContext(script, { document: { querySelector: () => card }, fetch, Error });
      return card.tokenProvider ?? assert.fail('no provider');
    };
    assert.equal(await providerWhere(async () => new Response('a.b.c'))(), 'a.b.c');
    const error = providerWhere(async () => new Response('<p>Sorry', { status: 503 }));
    await assert.rejects(error, { message: '/pulse-token returned 503' });
  });

  for (const id of ['react', 'vue', 'svelte'] as const) {
    it(`contains a token provider whose code runs: ${id}`, () => {
      const { text } = codeFor(id, PLAIN, { ...FACTS, isPrivate: true });
      const [, provider = ''] = /(const fetchToken = [^]*?\n *\};\n)/.exec(text) ?? [];
      assert.match(provider, /if \(!response\.ok\) throw/);
      runInNewContext(provider);
    });
  }

  for (const isPrivate of [false, true]) {
    it(`contains server code that runs, ${isPrivate ? 'with a token' : 'with no token'}`, async () => {
      const { text } = codeFor('server', PLAIN, { ...FACTS, isPrivate });
      const requests: unknown[] = [];
      await runInNewContext(`(async () => {${text.replaceAll(/^import .*$/gm, '')}})()`, {
        fetch: async (url: string, init?: RequestInit) => {
          requests.push([url, init?.headers]);
          return Response.json({});
        },
        renderPulseCard: () => '',
        mintToken: async (_key: object, { audience, sources }: { audience: string; sources: string[] }) =>
          `for ${sources.join()} at ${audience}`,
        process: { env: {} },
      });
      const headers = isPrivate ? { Authorization: 'Bearer for src_1 at https://pulse.example.com' } : undefined;
      assert.equal(
        JSON.stringify(requests),
        JSON.stringify([['https://pulse.example.com/v1/sources/src_1/pulse', headers]]),
      );
    });
  }

  it('contains no source id if no source is chosen', () =>
    assert.match(codeFor('short', DEFAULT_SETTINGS, FACTS).text, /source-id="SOURCE_ID"/));

  it('puts the look into the address of an iframe', () =>
    assert.match(
      codeFor('iframe', STYLED, FACTS).text,
      /&#38;theme=light&#38;[^"]*accent=5b3df0\.7a52f4&#38;radius=0"/,
    ));

  it('makes charts dark only in a dark iframe', () => {
    const addressOf = (theme: Settings['theme']) =>
      /src="([^"]*)"/.exec(codeFor('iframe', { ...PLAIN, theme }, FACTS).text)?.[1];
    assert.deepEqual(
      (['auto', 'dark'] as const).map(addressOf),
      ['theme=light', 'theme=dark&#38;chart-theme=auto'].map(
        (query) => `https://pulse.example.com/embed/src_1?${query}`,
      ),
    );
  });

  it('says what an iframe can’t show, and whether it is light or dark', () => {
    const { note } = codeFor('iframe', { ...PLAIN, reviewedBy: 'Ada' }, FACTS);
    assert.match(note, /^An iframe can’t show your reviewer\. The frame is light on every page/);
  });

  it('has no picture if the card loads after a click, and says what loads before', () => {
    const { text, note } = codeFor('html', { ...PLAIN, loading: 'click' }, FACTS);
    assert.match(text, /loading="click"/);
    assert.doesNotMatch(text, /<img/);
    assert.match(note, /only the script and its language file/);
  });

  it('names the scheme of an iframe and its height on pages that remove styles', () => {
    const { note } = codeFor('iframe', { ...PLAIN, variant: 'chart', theme: 'dark' }, FACTS);
    assert.match(note, /^The frame is dark on every page/);
    assert.match(note, /Drupal.*height="386" applies/);
  });

  it('makes the chart as wide as its column if its aspect ratio is known', () =>
    assert.match(codeFor('html', PLAIN, { ...FACTS, chartRatio: 16 / 9 }).text, /<img [^>]*width="100%"/));

  it('contains each of the card’s attributes once', () => {
    const { text } = codeFor('html', { ...PLAIN, theme: 'dark', loading: 'eager' }, FACTS);
    for (const attribute of [' theme="dark"', ' loading="eager"']) assert.equal(text.split(attribute).length, 2);
  });

  it('says that an iframe shows neither private charts nor custom fonts', () => {
    const settings = { ...STYLED, look: { ...STYLED.look, font: 'Lato', sizeEm: 1.25 } };
    const { note } = codeFor('iframe', settings, { ...FACTS, isPrivate: true });
    assert.match(note, /private/);
    assert.match(note, /can’t show your font and size/);
  });

  for (const id of ['html', 'short', 'wordpress', 'iframe', 'vue', 'svelte'] as const) {
    it(`doesn’t let a name break out of an attribute: ${id}`, () => {
      const { text } = codeFor(id, { ...PLAIN, label: '"><script>alert(1)</script>' }, FACTS);
      assert.doesNotMatch(text, /<script>alert/);
    });
  }

  it('names the reviewed run once, and labels text that is shown before the script runs', () => {
    const { text } = codeFor('html', { ...PLAIN, reviewedBy: 'Ada' }, FACTS);
    assert.match(text, />AI-generated</);
    assert.equal(text.split('ai-reviewed-by="Ada" ai-reviewed-run="run_1"').length, 2);
    const { run: _, ...facts } = FACTS;
    assert.doesNotMatch(codeFor('html', { ...PLAIN, reviewedBy: 'Ada' }, facts).text, /ai-reviewed/);
  });

  it('escapes names that Svelte would read as an expression', () =>
    assert.match(codeFor('svelte', { ...PLAIN, label: '{a}' }, FACTS).text, /label="&#123;a}"/));

  for (const id of ['react', 'server'] as const) {
    it(`doesn’t let a name break out of a string: ${id}`, () => {
      const { text } = codeFor(id, { ...PLAIN, label: 'it\'s \\ "</script>' }, FACTS);
      assert.ok(text.includes(String.raw`'it\'s \\ "<\/script>'`));
    });
  }
});

describe('boardCode()', () => {
  const options = { baseUrl: 'https://pulse.example.com', sources: [{ id: 'src_1', name: 'Q2 revenue' }] };

  it('links to each chart for readers who have disabled JavaScript', () =>
    assert.match(boardCode(options, false, PLAIN), /embed\/src_1/));

  it('has the look and the scheme of the board', () => {
    const code = boardCode(options, false, { ...STYLED, theme: 'light' });
    assert.match(code, /<\/script>\n<style>\n {2}pulse-board \{\n {4}--pulse-card-accent: #5b3df0;/);
    assert.match(code, /<pulse-board theme="light" chart-theme="auto">/);
  });

  it('contains the token code but no links for a private board', () => {
    const code = boardCode(options, true, PLAIN);
    assert.match(code, /querySelector\('pulse-board'\)\.tokenProvider/);
    assert.doesNotMatch(code, /embed/);
  });
});
