import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { snippetFor } from '../snippet.ts';
import type { Variant } from '../card-size.ts';
import { clearStage, eventually, openPage, StubBff } from './stage.ts';

const STATES = { 'late-1': 'ready', 'square-1': 'ready', 'stale-1': 'stale', 'empty-1': 'empty', 'unknown-1': 'error' };
const BELOW = '<p>Text below the card, which must not move.</p>'.repeat(8);
const SCRIPT_LATE_MS = 700;

/** Loads the snippet in a page of its own, script and data late, and adds up what moved. */
async function shiftOf(
  sourceId: string,
  state: string,
  width: number,
  options: Readonly<Record<string, string>> = {},
  variant: Variant = 'card',
) {
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
  const image = card?.shadowRoot?.querySelector('img');
  await eventually(() => !image || image.complete);
  await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
  return shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0);
}

describe('the snippet', () => {
  afterEach(clearStage);

  for (const width of [320, 600, 1200]) {
    for (const [sourceId, state] of Object.entries(STATES)) {
      it(`moves nothing at ${width} px when the card is ${state} ("${sourceId}")`, async () => {
        await setViewport({ width: 1300, height: 1400 });
        expect(await shiftOf(sourceId, state, width)).to.be.at.most(0.001);
      });
    }
  }

  it('moves nothing under a policy that forbids all inline styles', async () => {
    const { origin } = location;
    const csp = `default-src 'none'; script-src ${origin}; connect-src ${origin}; img-src ${origin}`;
    expect(await shiftOf('late-1', 'ready', 600, { csp })).to.be.at.most(0.001);
  });

  for (const variant of ['compact', 'chart', 'text'] as const) {
    for (const width of [240, 600]) {
      it(`moves nothing at ${width} px in the variant "${variant}"`, async () => {
        expect(await shiftOf('late-1', 'ready', width, {}, variant)).to.be.at.most(0.001);
      });
    }
  }

  it('moves nothing at 200 % text', async () => {
    expect(await shiftOf('late-1', 'ready', 600, { style: 'html{font-size:200%} body{font-size:1rem}' })).to.be.at.most(
      0.001,
    );
  });
});

describe('every folded state', () => {
  afterEach(clearStage);

  const kinds = [
    'ready',
    'stale',
    'broken',
    'degraded',
    'noimage',
    'badimage',
    'short',
    'bare',
    'empty',
    'unknown',
    'arabic',
    'wordy',
    'square',
  ];
  for (const [width, fontPx] of [
    [240, 16],
    [320, 16],
    [320, 32],
    [380, 12],
    [448, 16],
    [600, 16],
    [1200, 16],
    [600, 24],
  ] as const) {
    for (const variant of ['card', 'compact', 'chart', 'text'] as const) {
      it(`is as high as the room reserved: ${variant}, ${width} px wide, text of ${fontPx} px`, async () => {
        const bff = new StubBff();
        const cards = kinds.map(
          (kind) => `<pulse-card source-id="${kind}-1" loading="eager" variant="${variant}"></pulse-card>`,
        );
        const room = snippetFor({ sourceId: 'x', baseUrl: '', variant }).replace(
          /<script.*?<\/script>|<\/?pulse-card.*?>/g,
          '',
        );
        const waiting = `<pulse-card variant="${variant}"></pulse-card><pulse-card variant="${variant}">${room}</pulse-card>`;
        const html = `<script type="module" src="${bff.base}/pulse-card.js"></script><div id="room">${room}</div>${cards.join('')}${waiting}`;
        const frame = await openPage(html, { style: `body{font-size:${fontPx}px} #room{line-height:0}` }, width);
        const all = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
        await eventually(() =>
          all.every(({ state, sourceId }) => /ready|stale|empty|error/.test(state) || (state === 'idle' && !sourceId)),
        );
        await Promise.all(all.map((card) => card.updateComplete));
        const reserved = frame.contentDocument?.querySelector('#room')?.getBoundingClientRect().height ?? 0;
        const heights = all.map(
          (card) => `${card.sourceId || 'idle-1'} ${Math.round(card.getBoundingClientRect().height - reserved)}`,
        );
        expect(heights).to.deep.equal([...kinds, 'idle', 'idle'].map((kind) => `${kind}-1 0`));
      });
    }
  }
});
