import { expect } from 'chai';
import { setViewport } from '@web/test-runner-commands';
import { VARIANTS, type Variant } from '../elements/variants.ts';
import { snippetFor } from '../snippet/index.ts';
import { clearStage, eventually, loadedChart, openPage, StubBff } from './stage.ts';

const BELOW = '<p>Text below the card, which must not move.</p>'.repeat(8);
const SCRIPT_LATE_MS = 700;

/**
 * Opens the snippet in a separate page, with a delayed script and delayed data. Returns the layout shift until the card
 * is in `state`.
 */
async function shiftOf(
  sourceId: string,
  state: string,
  width: number,
  { variant = 'card', ...options }: { variant?: Variant; csp?: string; style?: string } = {},
): Promise<{ shift: number; bff: StubBff; frame: HTMLIFrameElement }> {
  const bff = new StubBff('ok+400');
  const snippet = snippetFor({ sourceId, baseUrl: bff.base, name: 'US nonfarm employment', variant });
  const html = snippet.replace('pulse-card.js', `pulse-card.js?delay=${SCRIPT_LATE_MS}`) + BELOW;
  const frame = await openPage(html, options, width);
  const page = frame.contentWindow as Window & typeof globalThis;
  const shifts: PerformanceEntry[] = [];
  new page.PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({
    type: 'layout-shift',
    buffered: true,
  });
  const card = frame.contentDocument?.querySelector('pulse-card');
  await eventually(() => card?.state === state);
  await card?.updateComplete;
  const image = () => card?.shadowRoot?.querySelector('img');
  await eventually(() => !image()?.checkVisibility() || image()?.complete);
  await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
  const shift = shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0);
  return { shift, bff, frame };
}

describe('the snippet', () => {
  beforeEach(() => setViewport({ width: 1300, height: 1400 }));
  afterEach(clearStage);

  for (const [sourceId, state, width] of [
    ['late-1', 'ready', 320],
    ['late-1', 'ready', 600],
    ['late-1', 'ready', 1200],
    ['stale-1', 'stale', 320],
    ['square-1', 'ready', 600],
    ['badimage-1', 'ready', 600],
    ['empty-1', 'empty', 600],
    ['unknown-1', 'error', 1200],
  ] as const) {
    it(`doesn’t move anything at ${width} px when the card is ${state} ("${sourceId}")`, async () => {
      expect((await shiftOf(sourceId, state, width)).shift).to.equal(0);
    });
  }

  for (const variant of ['compact', 'chart', 'text'] as const) {
    it(`doesn’t move anything in the "${variant}" variant`, async () => {
      expect((await shiftOf('late-1', 'ready', 320, { variant })).shift).to.equal(0);
    });
  }

  it('doesn’t move anything under a policy that forbids all inline styles', async () => {
    const { origin } = location;
    const csp = `default-src 'none'; script-src ${origin}; connect-src ${origin}; img-src ${origin}`;
    expect((await shiftOf('late-1', 'ready', 600, { csp })).shift).to.equal(0);
  });

  for (const [theme, style] of [
    ['of Bootstrap or Pico', 'p{margin-top:0;margin-bottom:1rem}'],
    ['of Docusaurus', 'p{margin:0 0 1.25rem}'],
    ['without margins', '*{margin:0;padding:0;box-sizing:border-box}'],
    ['that hides empty paragraphs and has a rule for the card', 'p:empty{display:none} pulse-card{margin:0}'],
  ] as const)
    it(`doesn’t move anything in a theme ${theme}`, async () => {
      expect((await shiftOf('late-1', 'ready', 600, { style })).shift).to.equal(0);
    });

  for (const rule of ['width:1em;height:1em', 'max-height:24px', 'margin:1em auto', 'position:absolute;display:none'])
    it(`doesn’t move anything in a theme with svg{${rule}} and the rule from docs/embed.md`, async () => {
      const page = await (await fetch('/__wds-outside-root__/2/docs/embed.md')).text();
      const [exclusion] = /pulse-card svg \{[^}]*\}/.exec(page) ?? [''];
      expect((await shiftOf('late-1', 'ready', 600, { style: `svg{${rule}} ${exclusion}` })).shift).to.equal(0);
    });

  it('doesn’t move anything at a text size of 200%', async () => {
    const style = 'html{font-size:200%} body{font-size:1rem}';
    expect((await shiftOf('late-1', 'ready', 600, { style })).shift).to.equal(0);
  });
});

describe('the chart in the snippet', () => {
  afterEach(clearStage);

  it('is shown before the script has loaded and is reused by the card without another download', async () => {
    const { bff, frame } = await shiftOf('proxied-1', 'ready', 600);
    const image = frame.contentDocument?.querySelector('pulse-card')?.shadowRoot?.querySelector('img');
    expect(image?.src).to.equal(`${bff.base}/v1/sources/proxied-1/image`);
    expect(image?.naturalWidth).to.equal(1_600);
    expect(await bff.asked('/image')).to.have.length(1);
  });

  it('stays in the card if a request returns the same run', async () => {
    const { bff, frame } = await shiftOf('proxied-1', 'ready', 600);
    // After this, the browser no longer lists the page's downloads.
    (frame.contentWindow as Window).performance.clearResourceTimings();
    const card = frame.contentDocument?.querySelector('pulse-card');
    await card?.refresh();
    await card?.updateComplete;
    expect((await loadedChart(card)).src).to.equal(`${bff.base}/v1/sources/proxied-1/image`);
    expect(await bff.asked('/image')).to.have.length(1);
  });

  it('isn’t used by the card if it belongs to a different run', async () => {
    const { bff, frame } = await shiftOf('newer-1', 'ready', 600);
    const image = frame.contentDocument?.querySelector('pulse-card')?.shadowRoot?.querySelector('img');
    expect(image?.src).to.equal(`${bff.base}/v1/sources/newer-1/image?run=run_2`);
  });
});

describe('the chart in the snippet, with any aspect ratio', () => {
  afterEach(clearStage);

  for (const [shape, chartRatio, style] of [
    ['800x450', undefined, ''],
    ['2400x1800', undefined, ''],
    ['900x900', undefined, ''],
    ['2400x1800', 4 / 3, ''],
    ['900x900', 1, ''],
    ['2100x900', 21 / 9, ''],
    ['2400x1800', 4 / 3, 'img{max-width:100%;height:auto}'],
    ['1050x450', 21 / 9, 'img{display:block;max-width:100%;height:auto}'],
  ] as const) {
    const known = chartRatio ? 'known' : 'not known';
    it(`is shown in full both before and after the script runs: ${shape}, ratio ${known}, style "${style}"`, async () => {
      const bff = new StubBff();
      const sourceId = `sized-${shape}`;
      const snippet = snippetFor({ sourceId, baseUrl: bff.base, chartRatio });
      const [script = '', ...rest] = snippet.split('\n');
      const frame = await openPage(rest.join('\n'), { style }, 600);
      const page = frame.contentDocument as Document;
      const image = page.querySelector<HTMLImageElement>('svg img');
      const room = page.querySelector('svg[viewBox]')?.getBoundingClientRect() as DOMRect;
      await eventually(() => image?.complete && image.naturalWidth);
      const [width = 0, height = 0] = shape.split('x').map(Number);
      const scale = Math.min(room.width / width, room.height / height);
      const box = image?.getBoundingClientRect() as DOMRect;
      expect(box.width).to.be.closeTo(width * scale, 0.5);
      expect(box.height).to.be.closeTo(height * scale, 0.5);
      expect([box.left, box.right]).to.satisfy(([left = 0, right = 0]) => left > -0.5 && right < room.right + 0.5);
      expect(box.bottom).to.be.closeTo(room.bottom, 0.5);

      const late = page.createElement('script');
      late.type = 'module';
      late.src = /src="([^"]*)"/.exec(script)?.[1] ?? '';
      page.head.append(late);
      const card = page.querySelector('pulse-card');
      await eventually(() => card?.state === 'ready');
      const shown = await loadedChart(card);
      expect([shown.naturalWidth, getComputedStyle(shown).objectFit]).to.deep.equal([width, 'contain']);
      expect(await bff.asked('/image')).to.have.length(1);
    });
  }
});

describe('a collapsed card', () => {
  afterEach(clearStage);

  const KINDS = [
    'ready',
    'stale',
    'broken',
    'noimage',
    'badimage',
    'short',
    'bare',
    'empty',
    'unknown',
    'arabic',
    'wordy',
  ];
  const PLACES = [
    [240, 16],
    [320, 32],
    [380, 12],
    [448, 16],
    [600, 24],
    [1_200, 16],
  ] as const;
  for (const variant of VARIANTS) {
    it(`has the height that the snippet reserves, in every state and at every width: ${variant}`, async () => {
      const bff = new StubBff();
      const card = (id: string, content = '') =>
        `<pulse-card source-id="${id}" base-url="${bff.base}" loading="eager" variant="${variant}">${content}</pulse-card>`;
      const room = snippetFor({
        sourceId: 'x',
        baseUrl: 'https://pulse.example.com',
        variant,
        picture: false,
      }).replaceAll(/<script.*?<\/script>|<\/?pulse-card.*?>/g, '');
      const hanging = new StubBff('hang');
      const waiting = [card('x'), card('x', room)].join('').replaceAll(bff.base, hanging.base);
      const html = `<script type="module" src="${bff.base}/pulse-card.js"></script><div id="room">${room}</div>${KINDS.map((kind) => card(`${kind}-1`)).join('')}${waiting}`;
      const frame = await openPage(html, { style: '#room{line-height:0}' }, 600);
      const page = frame.contentDocument as Document;
      const all = [...page.querySelectorAll('pulse-card')];
      await eventually(() =>
        all.every(({ state, sourceId }) => sourceId === 'x' || /ready|stale|empty|error/.test(state)),
      );
      await Promise.all(all.map((element) => element.updateComplete));
      const differences: string[] = [];
      for (const [width, fontPx] of PLACES) {
        frame.width = String(width);
        page.body.style.fontSize = `${fontPx}px`;
        const reserved = page.querySelector('#room')?.getBoundingClientRect().height ?? 0;
        for (const element of all) {
          const difference = Math.round(10 * (element.getBoundingClientRect().height - reserved));
          if (difference !== 0) differences.push(`${element.sourceId} ${width} ${fontPx} ${difference / 10}`);
        }
      }
      expect(differences).to.deep.equal([]);
    });
  }

  for (const [variant, width, height] of [
    ['card', 240, 287],
    ['card', 360, 354.5],
    ['card', 600, 489.5],
    ['card', 900, 658.25],
    ['chart', 240, 183],
    ['chart', 900, 554.25],
    ['text', 600, 160],
    ['compact', 600, 160],
  ] as const) {
    it(`is ${height} px high at ${width} px: ${variant}`, async () => {
      const bff = new StubBff();
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1" variant="${variant}"></pulse-card>`,
        {},
        width,
      );
      const card = frame.contentDocument?.querySelector('pulse-card');
      await eventually(() => card?.state === 'ready');
      await card?.updateComplete;
      expect(card?.getBoundingClientRect().height).to.equal(height);
    });
  }
});

describe('an expanded card', () => {
  afterEach(clearStage);

  for (const width of [240, 360, 600, 900]) {
    it(`keeps its toggle under the pointer if it is ${width} px wide`, async () => {
      const bff = new StubBff();
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="short-2"></pulse-card><pulse-card source-id="ready-1"></pulse-card>`,
        {},
        width,
      );
      const card = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])][1];
      await eventually(() => card?.shadowRoot?.querySelector('summary'));
      const topOf = () => card?.shadowRoot?.querySelector('summary')?.getBoundingClientRect().top ?? 0;
      const folded = topOf();
      card?.shadowRoot?.querySelector('summary')?.click();
      await eventually(() => card?.open);
      await card?.updateComplete;
      const { fontSize, lineHeight } = getComputedStyle(card?.shadowRoot?.querySelector('[part=summary]') as Element);
      const isCut = folded !== topOf();
      // When the rest of the finding appears, the toggle can move down by whole lines.
      if (isCut)
        expect((topOf() - folded) % Number.parseFloat(lineHeight)).to.be.closeTo(0, Number.parseFloat(fontSize));
      else expect(topOf()).to.equal(folded);
    });
  }
});
