import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD_SIZE, VARIANTS } from './card-size.ts';
import { cardStyles } from './pulse-card.styles.ts';
import { boardSnippetFor, frameHeightPx, snippetFor } from './snippet.ts';

describe('snippetFor()', () => {
  it('is script, card, the room for both and a link', () => {
    assert.equal(
      snippetFor({ sourceId: 'src_1', baseUrl: 'https://pulse.example.com/', name: 'Q2 revenue' }),
      `<script type="module" src="https://pulse.example.com/pulse-card.js"></script>
<pulse-card source-id="src_1">
  <svg viewBox="0 0 1600 900" width="100%" display="block"></svg>
  <svg width="100%" height="12em" display="block"><a href="https://pulse.example.com/embed/src_1"><text x="1.25em" y="1.5em" direction="ltr" fill="LinkText" text-decoration="underline">Q2 revenue</text></a></svg>
</pulse-card>
`,
    );
  });

  it('has no room for a chart that the variant leaves out', () => {
    assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: '', variant: 'text' }), /viewBox/);
  });

  it('T-35: can’t be broken out of', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = snippetFor({ sourceId: hostile, baseUrl: `https://a.test/${hostile}`, name: hostile });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.doesNotMatch(html, /alert\(1\)<\/script>/);
  });

  it('has no inline style', () => {
    for (const variant of VARIANTS) assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: '', variant }), / style=/);
  });
});

function selects(rule: string, selector: string): boolean {
  const [selectors = ''] = rule.split('{');
  return selectors.split(',').some((one) => one.trim() === selector);
}

describe('snippetFor() as a frame', () => {
  const asFrame = {
    as: 'frame',
    sourceId: 'src_1',
    baseUrl: 'https://pulse.example.com/',
    name: 'Q2 revenue',
  } as const;

  it('is an iframe as wide as there is room and as high as a card, and the script that resizes it', () => {
    assert.equal(
      snippetFor(asFrame),
      `<iframe src="https://pulse.example.com/embed/src_1" title="Q2 revenue" width="100%" height="530" loading="lazy" frameborder="0" sandbox="allow-scripts allow-same-origin"></iframe>
<script type="module" src="https://pulse.example.com/pulse-frame.js"></script>
`,
    );
  });

  it('asks for what it is to show, in a size', () => {
    const html = snippetFor({
      ...asFrame,
      variant: 'compact',
      theme: 'dark',
      language: 'de',
      width: 400,
      resizes: false,
    });
    assert.match(html, /src_1\?variant=compact&#38;theme=dark&#38;lang=de" .* width="400" height="204"/);
    assert.doesNotMatch(html, /<script/);
  });

  it('can’t be broken out of', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = snippetFor({ as: 'frame', sourceId: hostile, baseUrl: `https://a.test/${hostile}`, name: hostile });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.equal(html.match(/<iframe/g)?.length, 1);
  });

  it('refuses a size that is none', () => {
    for (const width of [0, -1, NaN, Infinity]) assert.throws(() => snippetFor({ ...asFrame, width }), RangeError);
  });
});

describe('frameHeightPx()', () => {
  it('is that of a folded card', () => assert.equal(frameHeightPx(320), 180 + 12 * 16));
});

describe('the style sheet', () => {
  for (const variant of VARIANTS) {
    it(`gives "${variant}" the height that snippets reserve`, () => {
      const { chart, rows } = CARD_SIZE[variant];
      const height = chart ? `calc(56.25cqi + ${rows}em)` : `${rows}em`;
      const selector = variant === 'card' ? 'article' : `.${variant}`;
      const rule = cardStyles.split('}').find((text) => selects(text, selector) && text.includes('min-height'));
      assert.ok(rule?.includes(`min-height: ${height};`), rule);
    });
  }
});

describe('boardSnippetFor()', () => {
  it('is script, board and a screen of room', () => {
    assert.equal(
      boardSnippetFor({ baseUrl: 'https://pulse.example.com/', name: 'Our figures', provider: 'GOOGLE', columns: 2 }),
      `<script type="module" src="https://pulse.example.com/pulse-card.js"></script>
<pulse-board provider="GOOGLE" columns="2">
  <svg width="100%" height="100vh" display="block"><text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">Our figures</text></svg>
</pulse-board>
`,
    );
  });

  it('says nothing that is so anyway', () => {
    assert.match(boardSnippetFor({ baseUrl: '', variant: 'card' }), /<pulse-board>/);
    assert.match(boardSnippetFor({ baseUrl: '', variant: 'text' }), /<pulse-board variant="text">/);
  });

  it('T-35: can’t be broken out of', () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const html = boardSnippetFor({ baseUrl: `https://a.test/${hostile}`, name: hostile, provider: hostile });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.doesNotMatch(html, /alert\(1\)<\/script>| style=/);
  });
});
