import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

/** A card in a box of this width. */
async function stageIn(widthPx: number, sourceId: string, attributes: Readonly<Record<string, string>>) {
  const box = document.createElement('div');
  box.className = 'stage';
  box.style.width = `${widthPx}px`;
  document.body.append(box);
  const card = await stageCard(new StubBff(), sourceId, { loading: 'eager', ...attributes });
  box.append(card);
  return { box, card: await until(card, 'ready') };
}

const toggleOf = (card: PulseCard) => card.shadowRoot?.querySelector<HTMLElement>('[part=toggle]');

/** The height of the finding's hidden part, in CSS pixels. */
function hiddenPx(card: PulseCard): number {
  const finding = within(card, '[part=summary]');
  const end = Math.min(
    ...[finding, within(card, '[part=heading]'), within(card, '.face'), within(card, 'article')].map(
      (box) => box.getBoundingClientRect().bottom,
    ),
  );
  return finding.getBoundingClientRect().top + finding.scrollHeight - end;
}

/** Waits until the card has measured its finding and rendered the result. */
async function settled(card: PulseCard): Promise<void> {
  for (let frame = 0; frame < 5; frame++) {
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    await card.updateComplete;
  }
}

describe('a long finding without an analysis', () => {
  afterEach(clearStage);

  for (const [sourceId, variant] of [
    ['verbose-1', 'card'],
    ['verbose-1', 'compact'],
    ['verbose-1', 'text'],
    ['verbosebare-1', 'card'],
    ['verbosebare-1', 'chart'],
    ['verbosebare-1', 'compact'],
  ] as const)
    for (const widthPx of [variant === 'chart' ? 360 : 240])
      it(`can be read in full: ${sourceId}, ${variant}, ${widthPx} px`, async () => {
        const { card } = await stageIn(widthPx, sourceId, { variant });
        expect(hiddenPx(card)).to.be.above(100);
        await eventually(() => toggleOf(card));
        const { height } = card.getBoundingClientRect();
        expect(toggleOf(card)?.textContent).to.equal('Read in full');
        toggleOf(card)?.click();
        await eventually(() => card.open);
        await card.updateComplete;
        expect(hiddenPx(card)).to.be.at.most(1);
        expect(card.getBoundingClientRect().height).to.be.above(height);
        toggleOf(card)?.click();
        await eventually(() => !card.open);
        expect(card.getBoundingClientRect().height).to.equal(height);
      });

  it('keeps the same toggle, and its focus, when it’s expanded or collapsed', async () => {
    const { card } = await stageIn(360, 'verbosebare-1', { variant: 'card' });
    await eventually(() => toggleOf(card));
    const toggle = toggleOf(card);
    toggle?.focus();
    for (const isOpen of [true, false, true, false]) {
      toggle?.click();
      await eventually(() => card.open === isOpen);
      // The card measures the finding after its size has changed.
      await settled(card);
      expect(toggleOf(card)).to.equal(toggle);
      expect(card.shadowRoot?.activeElement).to.equal(toggle);
    }
  });

  it('has a button that shows the whole finding if large text truncates it, even in an expanded card', async () => {
    const { card, box } = await stageIn(240, 'terse-1', { variant: 'text', open: '' });
    box.style.fontSize = '26px';
    await eventually(() => toggleOf(card));
    await settled(card);
    expect(card.open).to.equal(true);
    expect(hiddenPx(card)).to.be.at.most(1);
    toggleOf(card)?.click();
    await eventually(() => !card.open);
    await settled(card);
    expect(toggleOf(card)?.textContent).to.equal('Read in full');
  });

  for (const variant of ['text', 'compact'] as const)
    for (const widthPx of [240, 400, 447, 900])
      it(`shows only whole lines: ${variant}, ${widthPx} px`, async () => {
        const { card } = await stageIn(widthPx, 'verbose-1', { variant });
        await eventually(() => toggleOf(card));
        const [finding, face, article] = ['[part=summary]', '.face', 'article'].map(
          (selector) => within(card, selector).getBoundingClientRect().bottom,
        ) as [number, number, number];
        expect(finding).to.be.at.most(face + 0.5);
        expect(within(card, 'footer').getBoundingClientRect().bottom).to.be.closeTo(article, 0.5);
      });

  it('has no toggle while the whole finding is visible, even after the width changes', async () => {
    const { box, card } = await stageIn(360, 'verbosebare-1', { variant: 'card' });
    await eventually(() => toggleOf(card));
    box.style.width = '1100px';
    await eventually(() => !toggleOf(card));
    expect(hiddenPx(card)).to.be.at.most(1);
    box.style.width = '300px';
    await eventually(() => toggleOf(card));
  });

  it('stays collapsed if the page expands it and immediately collapses it', async () => {
    const { card } = await stageIn(1_100, 'verbosebare-1', { variant: 'card' });
    await settled(card);
    for (const isOpen of [true, false]) {
      card.open = isOpen;
      await card.updateComplete;
    }
    await settled(card);
    expect(card.open).to.equal(false);
  });

  it('gets a toggle if the card becomes narrower while its chart is enlarged', async () => {
    const { box, card } = await stageIn(600, 'terse-1', { variant: 'card' });
    await eventually(() => card.shadowRoot?.querySelector('[part=enlarge]'));
    expect(toggleOf(card) === null).to.equal(true);
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    Object.assign(box.style, { width: '240px', fontSize: '40px' });
    await eventually(() => toggleOf(card));
  });

  it('fills a card that has neither a chart nor an analysis', async () => {
    const { card } = await stageIn(360, 'verbosebare-1', { variant: 'card' });
    const [heading, footer] = [within(card, '[part=heading]'), within(card, 'footer')].map((box) =>
      box.getBoundingClientRect(),
    ) as [DOMRect, DOMRect];
    expect(heading.height).to.be.above(200);
    expect(footer.top - heading.bottom).to.be.below(2);
  });
});

describe('a compact card', () => {
  afterEach(clearStage);

  it('shows its chart once it is wide enough', async () => {
    const { box, card } = await stageIn(240, 'ready-1', { variant: 'compact' });
    await settled(card);
    expect(card.shadowRoot?.querySelector('[part=image]') === null).to.equal(true);
    box.style.width = '600px';
    await eventually(() => card.shadowRoot?.querySelector('[part=image]'));
  });
});
