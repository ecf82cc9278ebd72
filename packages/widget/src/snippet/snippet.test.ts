import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VARIANTS } from '../elements/variants.ts';
import { boardSnippetFor, frameHeightPx, snippetFor } from './index.ts';

describe('snippetFor()', () => {
  it('is script, card, a link, and the room with the chart in it', () => {
    assert.equal(
      snippetFor({ sourceId: 'src_1', baseUrl: 'https://pulse.example.com/', name: 'Q2 revenue' }),
      `<script type="module" src="https://pulse.example.com/pulse-card.js"></script>
<pulse-card source-id="src_1" label="Q2 revenue">
  <svg width="100%" height="6.75em" display="block"><text x="1.25em" y="2.4em" font-size="0.8125em" direction="ltr" fill="currentColor"><a href="https://pulse.example.com/embed/src_1" text-decoration="underline">Q2 revenue</a><tspan dx="0.75em">AI-generated</tspan></text></svg>
  <svg viewBox="0 0 1600 900" width="100%" display="block" role="img" aria-label="Q2 revenue"><foreignObject width="1600" height="900"><img src="https://pulse.example.com/v1/sources/src_1/image" alt="" height="900" loading="lazy"></foreignObject></svg>
  <svg width="100%" height="2.75em" display="block"></svg>
</pulse-card>
`,
    );
  });

  it('says that the texts are an AI’s, and who has reviewed them', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: '', isPrivate: true, aiReviewedBy: 'Ada <Lovelace>' });
    assert.match(html, />AI-generated, reviewed by Ada &#60;Lovelace&#62;<\/tspan>/);
  });

  it('names nothing that has no name', () => {
    assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: '' }), / label=/);
  });

  it('has no room for a chart that the variant leaves out', () => {
    assert.doesNotMatch(snippetFor({ sourceId: 'a', baseUrl: '', variant: 'text' }), /viewBox|image/);
  });

  it('leaves out what needs a token, chart and link, not its room', () => {
    const html = snippetFor({ sourceId: 'a', baseUrl: '', isPrivate: true });
    assert.doesNotMatch(html, /<img|<a |embed/);
    assert.match(html, />Chart<tspan/);
    assert.match(html, /viewBox="0 0 1600 900"/);
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
      `<iframe src="https://pulse.example.com/embed/src_1#?secret=pulse" title="Q2 revenue" width="100%" height="490" loading="lazy" frameborder="0" sandbox="allow-scripts allow-same-origin"></iframe>
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
    assert.match(html, /src_1\?variant=compact&#38;theme=dark&#38;lang=de" .* width="400" height="160"/);
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

describe('snippetFor() as a frame in a look', () => {
  it('has the look in its address', () =>
    assert.match(
      snippetFor({
        as: 'frame',
        sourceId: 'src_1',
        baseUrl: 'https://a.test',
        theme: 'dark',
        look: 'accent=fff.&radius=0',
      }),
      /src="https:\/\/a\.test\/embed\/src_1\?theme=dark&#38;accent=fff\.&#38;radius=0#\?secret=pulse"/,
    ));
});

describe('frameHeightPx()', () => {
  it('is that of a folded card', () => assert.equal(frameHeightPx(320), 180 + 9.5 * 16));
});

describe('boardSnippetFor()', () => {
  it('is script, board and a screen of room', () => {
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

  it('has words for readers without scripts where it has no name', () => {
    for (const name of [undefined, null, ''])
      assert.match(boardSnippetFor({ baseUrl: '', ...(name !== undefined && { name }) }), />Charts<\/text>/);
  });

  it('leads readers without scripts to the chart of each source that it is given', () => {
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

  it('says nothing that is so anyway', () => {
    assert.match(boardSnippetFor({ baseUrl: '', variant: 'card' }), /<pulse-board>/);
    assert.match(boardSnippetFor({ baseUrl: '', variant: 'text' }), /<pulse-board variant="text">/);
  });

  it('T-35: can’t be broken out of', () => {
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
