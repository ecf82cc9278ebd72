import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { VARIANTS } from '../elements/variants.ts';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

/** A card in a box of this size. */
async function stageIn(
  style: Partial<CSSStyleDeclaration>,
  sourceId = 'ready-1',
  attributes: Readonly<Record<string, string>> = {},
): Promise<{ box: HTMLElement; card: PulseCard }> {
  const box = document.createElement('div');
  box.className = 'stage';
  Object.assign(box.style, style);
  document.body.append(box);
  const card = await stageCard(new StubBff(), sourceId, { loading: 'eager', ...attributes });
  box.append(card);
  await until(card, 'ready', 'empty', 'error');
  return { box, card };
}

const heightOf = (element: Element) => element.getBoundingClientRect().height;
const bottomOf = (element: Element) => element.getBoundingClientRect().bottom;

/** Whether a reader can press the middle of a part. */
function isThere(card: PulseCard, selector: string): boolean {
  const part = within(card, selector);
  part.scrollIntoView();
  const { left, top, width, height } = part.getBoundingClientRect();
  const hit = card.shadowRoot?.elementFromPoint(left + width / 2, top + height / 2);
  return !!hit && (part.contains(hit) || hit === part);
}

describe('a card with a fixed height', () => {
  afterEach(clearStage);

  for (const variant of VARIANTS)
    for (const height of [60, 200]) {
      it(`keeps its content inside ${height} px: ${variant}`, async () => {
        for (const id of ['ready-1', 'wordy-1', 'empty-1', 'unknown-1']) {
          const { card } = await stageIn({ width: '360px' }, id, { variant, style: `height:${height}px` });
          expect(heightOf(card)).to.equal(height);
          expect(heightOf(within(card, 'article'))).to.be.at.most(height);
          expect(getComputedStyle(within(card, 'article')).overflow).to.equal('clip');
        }
      });
    }

  it('shrinks the chart, then hides it, and always shows the finding and the toggle', async () => {
    const { card } = await stageIn({ width: '360px' }, 'ready-1', { style: 'height:300px' });
    const chart = within(card, '[part=chart]');
    expect(heightOf(chart)).to.be.within(64, 190);
    expect(isThere(card, '[part=enlarge]')).to.equal(true);
    card.style.height = '190px';
    expect(heightOf(chart)).to.be.below(64);
    expect(isThere(card, '[part=enlarge]')).to.equal(false);
    for (const part of ['[part=summary]', '[part=toggle]']) {
      expect(isThere(card, part)).to.equal(true);
      expect(bottomOf(within(card, part))).to.be.at.most(bottomOf(card));
    }
  });

  it('shows the whole chart or no chart in the compact variant', async () => {
    const { card } = await stageIn({ width: '480px' }, 'ready-1', { variant: 'compact', style: 'height:120px' });
    const chart = within(card, '[part=chart]');
    expect(heightOf(chart)).to.be.above(64);
    expect(bottomOf(chart)).to.be.below(bottomOf(card));
    card.style.height = '80px';
    expect(heightOf(chart)).to.be.below(64);
    expect(isThere(card, '[part=enlarge]')).to.equal(false);
    card.style.height = '';
    await eventually(() => heightOf(chart) === 136);
    card.open = true;
    await card.updateComplete;
    expect(heightOf(chart)).to.equal(136);
  });

  it('scrolls the expanded analysis', async () => {
    const { card } = await stageIn({ width: '360px' }, 'ready-1', { style: 'height:200px', open: '' });
    const article = within(card, 'article');
    await eventually(() => article.scrollHeight > 250);
    expect(heightOf(article)).to.equal(200);
    article.scrollTop = 999;
    expect(article.scrollTop).to.be.above(50);
  });

  it('is as tall on a page with vertical writing', async () => {
    const { card } = await stageIn({ writingMode: 'vertical-rl' }, 'ready-1', { style: 'width:360px' });
    expect(heightOf(within(card, 'article'))).to.equal(354.5);
  });

  it('is only as tall as its content if the given height is larger', async () => {
    const { card } = await stageIn({ width: '360px' }, 'ready-1', { style: 'height:900px' });
    expect(heightOf(within(card, 'article'))).to.equal(354.5);
  });
});

describe('a card with fill', () => {
  afterEach(clearStage);

  for (const height of [200, 900]) {
    it(`is as tall as its container: ${height} px`, async () => {
      const { card } = await stageIn({ width: '360px', height: `${height}px` }, 'ready-1', { fill: '' });
      expect(heightOf(within(card, 'article'))).to.equal(height);
      expect(bottomOf(within(card, '[part=footer]'))).to.be.closeTo(bottomOf(card), 1);
    });
  }

  it('shows the first lines of the analysis if the chart leaves space', async () => {
    const { card } = await stageIn({ width: '360px', height: '600px' }, 'ready-1', { fill: '' });
    expect(heightOf(within(card, '[part=chart]'))).to.be.within(190, 220);
    expect(heightOf(within(card, '[part=lead]'))).to.be.above(100);
  });

  it('has its usual height if its container has no fixed height', async () => {
    const { card } = await stageIn({ width: '360px' }, 'ready-1', { fill: '' });
    expect(heightOf(within(card, 'article'))).to.equal(354.5);
  });
});
