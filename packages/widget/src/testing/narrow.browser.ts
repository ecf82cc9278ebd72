import { expect } from '@open-wc/testing';
import type { PulseCard } from '../define.ts';
import { clearStage, stageCard, StubBff, until, within } from './stage.ts';

/** A card in a place so wide, of a page that runs so. */
async function stageIn(width: number, sourceId: string, attributes: Readonly<Record<string, string>>, dir = 'ltr') {
  const stage = document.createElement('div');
  stage.className = 'stage';
  Object.assign(stage.style, { width: `${width}px`, font: '16px sans-serif' });
  stage.dir = dir;
  document.body.append(stage);
  const card = await stageCard(new StubBff(), sourceId, { loading: 'eager', ...attributes });
  stage.append(card);
  return until(card, 'ready', 'stale', sourceId ? 'ready' : 'idle');
}

/** Where the letters of an element stand, leaving out how far its box goes. */
function lettersOf(card: PulseCard, selector: string): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(within(card, selector));
  return range.getBoundingClientRect();
}

describe('a card in a narrow place', () => {
  afterEach(clearStage);

  for (const [sourceId, lang] of [
    ['broken-1', 'en'],
    ['stale-1', 'en'],
    ['broken-1', 'de'],
    ['stale-1', 'de'],
  ] as const) {
    it(`shows badge, time and notes whole or not at all: ${sourceId}, ${lang}`, async () => {
      const card = await stageIn(240, sourceId, { lang });
      for (const line of card.shadowRoot?.querySelectorAll('small:has(*)') ?? []) {
        const { top, bottom } = line.getBoundingClientRect();
        const shown = [...line.children].filter((word) => word.getBoundingClientRect().top < bottom - 1);
        expect(shown).not.to.have.length(0);
        for (const word of shown) {
          expect(word.scrollWidth, word.outerHTML).to.be.at.most(word.clientWidth);
          expect(word.getBoundingClientRect().top).to.be.closeTo(top, 2);
        }
      }
    });
  }

  for (const width of [320, 480, 600, 1_200]) {
    it(`shows a sentence of usual length whole in "compact", ${width} px wide`, async () => {
      const summary = within(await stageIn(width, 'ready-1', { variant: 'compact' }), '[part=summary]');
      expect(summary.scrollHeight).to.be.at.most(summary.clientHeight + 1);
    });
  }

  it('gives the chart more room in "compact" where there is more', async () => {
    const chartAt = async (width: number) =>
      within(await stageIn(width, 'ready-1', { variant: 'compact' }), '[part=chart]').clientWidth;
    expect(await chartAt(1_200)).to.be.greaterThan(await chartAt(480));
  });

  it('draws no line above nothing', async () => {
    const footer = within(await stageIn(320, 'bare-1', {}), 'footer');
    expect(getComputedStyle(footer).borderTopWidth).to.equal('0px');
  });

  for (const [dir, sourceId] of [
    ['rtl', 'ready-1'],
    ['ltr', 'arabic-1'],
  ] as const) {
    it(`begins name, sentence and analysis at one edge, whatever their language: ${sourceId}, ${dir}`, async () => {
      const card = await stageIn(320, sourceId, { open: '' }, dir);
      const edges = ['[part=heading] slot', '[part=summary]', '[part=analysis] p'].map((part) => lettersOf(card, part));
      const { left, right } = within(card, '[part=chart]').getBoundingClientRect();
      for (const letters of edges) {
        if (dir === 'rtl') expect(letters.right).to.be.closeTo(right, 3);
        else expect(letters.left).to.be.closeTo(left, 3);
      }
    });
  }

  for (const width of [240, 600]) {
    it(`draws the bones of the chart where the chart will be, ${width} px wide`, async () => {
      const placeOf = (card: PulseCard) => {
        const { top, height } = within(card, '.plate').getBoundingClientRect();
        return [top - card.getBoundingClientRect().top, height].map(Math.round);
      };
      const waiting = await stageIn(width, '', {});
      const ready = await stageIn(width, 'ready-1', {});
      expect(placeOf(waiting)).to.deep.equal(placeOf(ready));
    });
  }
});
