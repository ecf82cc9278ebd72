import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VARIANTS } from '../elements/variants.ts';
import { boardSnippetFor, frameHeightPx, snippetFor } from './index.ts';

const BASE = 'https://pulse.example.com';

/** URLs that pages can't load a script from. */
const NO_ADDRESSES = [
  '',
  '/pulse',
  'pulse.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://a.test',
  'https://',
];

/**
 * Names that would end an attribute, a block of HTML, or a string in one of the places that a snippet is pasted into.
 */
const HOSTILE_NAMES = [
  'Sales\n\n<script>alert(1)</script>',
  'Sales\r\r[secret] [x](https://evil.test) ![y](z)',
  'A {{ constructor }} ${alert(1)} {% raw %} @if (true) { `b` }',
  "A' onload=alert(1) ]]> --> | **b** ~~c~~ </pulse-card>",
  'A\u2028\u2028B \u202egnp\u2066 \u{e0041}\u{e007f} \u0085\u000b',
];

describe('snippetFor()', () => {
  it('contains the script, the card, a link, and the chart in the space reserved for it', () => {
    assert.equal(
      snippetFor({ sourceId: 'src_1', baseUrl: 'https://pulse.example.com/', name: 'Q2 revenue' }),
      `<script type="module" src="https://pulse.example.com/pulse-card.js"></script>
<div>
<pulse-card source-id="src_1" label="Q2 revenue">
  <svg width="100%" height="6.75em" display="block"><text x="1.25em" y="2.4em" font-size="0.8125em" direction="ltr" fill="currentColor"><a href="https://pulse.example.com/embed/src_1" text-decoration="underline">Q2 revenue</a> <tspan dx="0.5em">AI-generated</tspan></text><rect x=".1%" width="99.8%" y=".5" height="200%" rx=".75em" fill="none" stroke="currentColor" stroke-opacity=".13"></rect></svg>
  <svg viewBox="0 0 1600 900" width="100%" display="block" role="img" aria-label="Q2 revenue"><foreignObject width="1600" height="900"><img src="https://pulse.example.com/v1/sources/src_1/image" alt="" height="900" loading="lazy" /></foreignObject><rect x=".1%" width="99.8%" y="-50%" height="200%" vector-effect="non-scaling-stroke" rx=".75em" fill="none" stroke="currentColor" stroke-opacity=".13"></rect></svg>
  <svg width="100%" height="2.75em" display="block"><rect x=".1%" width="99.8%" y="-101%" height="200%" rx=".75em" fill="none" stroke="currentColor" stroke-opacity=".13"></rect></svg>
</pulse-card>
<p></p>
</div>
`,
    );
  });

  it('contains the label "AI-generated" and the reviewer’s name only in attributes', () => {
    const review = { aiReviewedBy: 'Ada <Lovelace>', aiReviewedRun: 'run"1' };
    const html = snippetFor({ sourceId: 'a', baseUrl: BASE, ...review });
    assert.match(html, />AI-generated<\/tspan>/);
    assert.match(html, / ai-reviewed-by="Ada &#60;Lovelace&#62;" ai-reviewed-run="run&#34;1">/);
    assert.match(
      boardSnippetFor({ baseUrl: BASE, aiReviewedBy: 'Ada', aiReviewedRun: 'run_1 run_2' }),
      /<pulse-board ai-reviewed-by="Ada" ai-reviewed-run="run_1 run_2">/,
    );
  });

  for (const name of HOSTILE_NAMES)
    it(`is one block of HTML without template, shortcode, or Markdown syntax: ${JSON.stringify(name)}`, () => {
      for (const html of [
        snippetFor({ sourceId: 'a', baseUrl: BASE, name }),
        snippetFor({ sourceId: 'a', baseUrl: BASE, name, as: 'frame' }),
        boardSnippetFor({ baseUrl: BASE, name, sources: [{ id: 'a', name }] }),
      ]) {
        assert.doesNotMatch(html, /[[\]{}`'@|*~]|\n\s*\n|alert\(1\)<\/script|--></);
        assert.doesNotMatch(
          html.replaceAll('\n', ''),
          /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
        );
      }
    });

  it('has no underscore that begins or ends emphasis, even in a run of underscores', () => {
    const html = snippetFor({ sourceId: 'src_us_employment', baseUrl: BASE, name: '__init__ a__b_ __' });
    assert.doesNotMatch(html, /[^a-z]_|_[^a-z]/);
    assert.match(html, /source-id="src_us_employment"/);
  });

  it('closes image tags as XML requires, so that MDX accepts them', () =>
    assert.match(snippetFor({ sourceId: 'a', baseUrl: BASE }), /<img [^>]* \/>/));

  it('is wrapped in a block, so that a layout that limits its children’s width limits the card before the script runs', () =>
    assert.match(
      snippetFor({ sourceId: 'a', baseUrl: BASE }),
      /\n<div>\n<pulse-card [^]*\n<\/pulse-card>\n<p><\/p>\n<\/div>\n$/,
    ));

  it('omits the label attribute if there is no name', () => {
    assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: BASE }), / label=/);
  });

  it('reserves no space for a chart if the variant has none', () => {
    assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: BASE, variant: 'text' }), /viewBox|image/);
  });

  it('omits a private card’s chart and link and reserves the chart’s space', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: BASE, isPrivate: true });
    assert.doesNotMatch(html, /<img|<a |embed/);
    assert.match(html, />Chart <tspan/);
    assert.match(html, /viewBox="0 0 1600 900"/);
  });

  for (const [without, options] of [
    ['if it is omitted', { picture: false }],
    ['before the reader presses a button', { loading: 'click' }],
  ] as const)
    it(`doesn’t request a chart ${without}, but keeps its space and the link`, () => {
      const html = snippetFor({ sourceId: 'a', baseUrl: BASE, name: 'Q2 revenue', ...options });
      assert.doesNotMatch(html, /<img|foreignObject|preload|role="img"/);
      assert.match(html, /viewBox="0 0 1600 900"/);
      assert.match(html, /<a href="https:\/\/pulse\.example\.com\/embed\/a"/);
    });

  it('writes the options as the card’s attributes', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: BASE, loading: 'eager', theme: 'dark' });
    assert.match(html, /<pulse-card source-id="a" loading="eager" theme="dark">/);
    assert.doesNotMatch(html, /loading="lazy"/);
  });

  for (const [theme, background, text] of [
    ['light', '#fff', '#5a6270'],
    ['dark', '#16191f', '#a0a8b6'],
  ] as const)
    it(`has the colors of a ${theme} card until the card is ready`, () => {
      for (const variant of VARIANTS) {
        const html = snippetFor({ sourceId: 'a', baseUrl: BASE, variant, theme });
        assert.doesNotMatch(html, /currentColor|fill="none"/);
        // Each background is below the text or the chart.
        const lines = html.split('\n').filter((line) => line.includes('<svg'));
        for (const line of lines) assert.match(line, new RegExp(`^  <svg [^>]*><rect [^>]* fill="${background}"`));
        assert.match(html, new RegExp(`<text [^>]* fill="${text}">`));
      }
    });

  it('fits the chart into its column on sites that keep only the image', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: BASE, chartRatio: 16 / 9 });
    assert.match(
      html,
      /<foreignObject width="1600" height="900"><img src="[^"]*" alt="" width="100%" loading="lazy" \/>/,
    );
  });

  it('reserves the height that a larger heading adds', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: BASE, extraHeight: 1.5 });
    assert.match(html, /<svg width="100%" height="8\.25em"/);
    assert.match(html, /<svg width="100%" height="2\.75em"/);
  });

  for (const extraHeight of [-1, NaN, Infinity, 101])
    it(`rejects ${extraHeight} em as the extra height`, () =>
      assert.throws(() => snippetFor({ sourceId: 'a', baseUrl: BASE, extraHeight }), /extraHeight is .*Use 0 to 100/));

  for (const baseUrl of NO_ADDRESSES)
    it(`rejects "${baseUrl}" as a BFF’s URL`, () => {
      for (const as of ['card', 'frame'] as const)
        assert.throws(() => snippetFor({ sourceId: 'a', baseUrl, as }), /baseUrl is .*Use the URL of the BFF/);
    });

  it('T-35: doesn’t let text break out of the HTML', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = snippetFor({ sourceId: hostile, baseUrl: `https://a.test/${hostile}`, name: hostile });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.doesNotMatch(html, /alert\(1\)<\/script>/);
  });

  it('has no inline style', () => {
    for (const variant of VARIANTS)
      assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: BASE, variant }), / style=/);
  });
});

describe('snippetFor() with as="frame"', () => {
  const asFrame = {
    as: 'frame',
    sourceId: 'src_1',
    baseUrl: 'https://pulse.example.com/',
    name: 'Q2 revenue',
  } as const;

  it('returns an iframe in a wrapper that reserves the collapsed card’s height without needing a script', () => {
    assert.equal(
      snippetFor(asFrame),
      `<div><div STYLE="position:relative;padding-top:calc(56.25% + 152px);margin-bottom:1em"><iframe src="https://pulse.example.com/embed/src_1?theme=light" title="Q2 revenue" width="100%" height="490" STYLE="position:absolute;top:0;left:0;width:100%;height:100%;color-scheme:light" loading="lazy" frameborder="0" sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe></div></div>
`,
    );
  });

  for (const [variant, padding, heightPx] of [
    ['card', 'calc(56.25% + 152px)', 490],
    ['chart', 'calc(56.25% + 48px)', 386],
    ['text', '160px', 160],
    ['compact', '160px', 160],
  ] as const)
    it(`reserves the height of the "${variant}" variant`, () => {
      const html = snippetFor({ ...asFrame, variant });
      assert.ok(html.includes(`padding-top:${padding};`), html);
      assert.ok(html.includes(` height="${heightPx}"`), html);
    });

  it('reserves the height that a larger heading adds', () => {
    const html = snippetFor({ ...asFrame, extraHeight: 1.5 });
    assert.match(html, /padding-top:calc\(56\.25% \+ 176px\);/);
    assert.match(html, / height="514"/);
  });

  it('uses its page’s color scheme, because browsers paint a white canvas behind a frame with a different scheme', () => {
    assert.match(snippetFor({ ...asFrame, theme: 'dark' }), /<iframe [^>]*;color-scheme:dark"/);
    assert.match(snippetFor({ ...asFrame, theme: 'auto' }), /<iframe [^>]*;color-scheme:light"/);
  });

  it('avoids a lowercase style attribute, because React and MDX reject a string value for it', () =>
    assert.doesNotMatch(snippetFor(asFrame), / style=/));

  it('sets the height with a script instead of a wrapper if resizes is true', () => {
    const html = snippetFor({ ...asFrame, resizes: true });
    assert.match(html, /^<iframe src="[^"]*\?theme=light#\?secret=pulse" /);
    assert.match(html, /<script type="module" src="https:\/\/pulse\.example\.com\/pulse-frame\.js"><\/script>\n$/);
    assert.doesNotMatch(html, /style=|<div/i);
  });

  for (const [theme, written] of [
    [undefined, 'light'],
    ['auto', 'light'],
    ['light', 'light'],
    ['dark', 'dark'],
  ] as const)
    it(`specifies the ${written} scheme for the ${theme} theme`, () =>
      assert.match(snippetFor({ ...asFrame, ...(theme && { theme }) }), new RegExp(`\\?theme=${written}"`)));

  it('includes the card’s settings in its URL and has no wrapper if its size is given', () => {
    const html = snippetFor({ ...asFrame, variant: 'compact', theme: 'dark', language: 'de', width: 400 });
    assert.match(html, /^<iframe .*src_1\?variant=compact&#38;theme=dark&#38;lang=de" .* width="400" height="160"/);
    assert.doesNotMatch(html, /<script|style=/i);
  });

  it('doesn’t let text break out of the HTML', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = snippetFor({ as: 'frame', sourceId: hostile, baseUrl: `https://a.test/${hostile}`, name: hostile });
    assert.doesNotMatch(html, /<script/);
    assert.equal(html.match(/<iframe/g)?.length, 1);
  });

  it('rejects an invalid size', () => {
    for (const width of [0, -1, NaN, Infinity]) assert.throws(() => snippetFor({ ...asFrame, width }), RangeError);
  });
});

describe('snippetFor() with as="frame" and a theme', () => {
  it('writes the theme into the frame’s URL', () =>
    assert.match(
      snippetFor({
        as: 'frame',
        sourceId: 'src_1',
        baseUrl: 'https://a.test',
        theme: 'dark',
        look: 'accent=fff.&radius=0',
      }),
      /src="https:\/\/a\.test\/embed\/src_1\?theme=dark&#38;accent=fff\.&#38;radius=0"/,
    ));
});

describe('frameHeightPx()', () => {
  it('returns the height of a collapsed card', () => assert.equal(frameHeightPx(320), 180 + 9.5 * 16));
});

describe('boardSnippetFor()', () => {
  it('contains the script and the board, and reserves the height of the screen', () => {
    assert.equal(
      boardSnippetFor({ baseUrl: 'https://pulse.example.com/', name: 'Our figures', provider: 'GOOGLE', columns: 2 }),
      `<script type="module" src="https://pulse.example.com/pulse-board.js"></script>
<pulse-board provider="GOOGLE" columns="2">
  <svg width="100%" height="100vh" display="block">
    <text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">Our figures</text>
  </svg>
</pulse-board>
`,
    );
  });

  it('has fallback text for readers who have disabled JavaScript, even if the board has no name', () => {
    for (const name of [undefined, null, ''])
      assert.match(boardSnippetFor({ baseUrl: BASE, ...(name !== undefined && { name }) }), />Charts<\/text>/);
  });

  it('links to each given source’s chart for readers who have disabled JavaScript', () => {
    const sources = [
      { id: 'src_1', name: 'Q2 <revenue>' },
      { id: 'src_2', name: null },
    ];
    const html = boardSnippetFor({ baseUrl: 'https://pulse.example.com', sources });
    const links = [...html.matchAll(/<a href="([^"]+)"><text [^>]*y="([\d.]+)em"[^>]*>([^<]*)<\/text><\/a>/g)];
    assert.deepEqual(
      links.map(([, url, y, text]) => [url, y, text]),
      [
        ['https://pulse.example.com/embed/src_1', '3.5', 'Q2 &#60;revenue&#62;'],
        ['https://pulse.example.com/embed/src_2', '5.25', 'Chart'],
      ],
    );
  });

  it('omits default values', () => {
    assert.match(boardSnippetFor({ baseUrl: BASE, variant: 'card' }), /<pulse-board>/);
    assert.match(boardSnippetFor({ baseUrl: BASE, variant: 'text' }), /<pulse-board variant="text">/);
  });

  for (const baseUrl of NO_ADDRESSES)
    it(`rejects "${baseUrl}" as a BFF’s URL`, () => assert.throws(() => boardSnippetFor({ baseUrl }), /baseUrl is /));

  it('T-35: doesn’t let text break out of the HTML', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = boardSnippetFor({
      baseUrl: `https://a.test/${hostile}`,
      name: hostile,
      provider: hostile,
      sources: [{ id: hostile, name: hostile }],
    });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.doesNotMatch(html, /alert\(1\)<\/script>| style=/);
  });
});
