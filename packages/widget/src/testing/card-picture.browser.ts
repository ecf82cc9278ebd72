import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import {
  allowSharing,
  buttonsOf,
  clearActions,
  replace,
  stageActions,
  watchDownloads,
  watchWindows,
} from './action-stage.ts';
import { eventually, StubBff, tokenFor } from './stage.ts';

const FOREIGN = location.origin.replace('localhost', '127.0.0.1');

/** An image whose pixels can be read. */
async function pixelsOf(blob: Blob | undefined) {
  const bitmap = await createImageBitmap(blob as Blob);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const grayAt = (x: number, y: number) => data[4 * (y * width + x)] ?? -1;
  /** The number of pixels in a box whose color differs from the color of the box's corner. */
  const inkIn = (left: number, top: number, right: number, bottom: number) => {
    let ink = 0;
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) ink += +(grayAt(x, y) !== grayAt(0, 0));
    return ink;
  };
  return { width, height, grayAt, inkIn };
}

async function pictureOf(card: PulseCard) {
  return pixelsOf(await card.toBlob());
}

/** Replaces part of the pulse that `card` shows. */
async function give(card: PulseCard, part: Partial<NonNullable<PulseCard['pulse']>>): Promise<void> {
  card.pulse = { ...(card.currentPulse as NonNullable<PulseCard['pulse']>), ...part };
  await card.updateComplete;
}

/** Presses `button` down without releasing it. */
function startPress(button: Element | undefined): void {
  button?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, composed: true }));
}

describe('a card’s image', () => {
  afterEach(clearActions);

  it('is a PNG that is 1,200 px wide and contains the BFF’s chart for the visible run', async () => {
    const { bff, card } = await stageActions({ sourceId: 'ready-1' });
    const blob = await card.toBlob();
    expect(blob.type).to.equal('image/png');
    const { width, height, grayAt } = await pixelsOf(blob);
    expect(width).to.equal(1_200);
    expect(height).to.be.within(850, 1_100);
    // The chart in these tests is a single color.
    expect([grayAt(600, height - 300), grayAt(5, height - 300)]).to.deep.equal([0xd8, 0xff]);
    expect((await bff.asked('/image')).join()).to.match(/\/v1\/sources\/ready-1\/image\?run=run_1$/);
  });

  it('can be read as a PNG even if the chart comes from a different origin', async () => {
    const { card } = await stageActions({ sourceId: 'ready-1', bff: new StubBff('ok', FOREIGN) });
    const { height, grayAt } = await pictureOf(card);
    expect(grayAt(600, height - 300)).to.equal(0xd8);
  });

  it('contains the name, label, date, finding, and source', async () => {
    const { card } = await stageActions({ sourceId: 'noimage-1' });
    const { height, inkIn } = await pictureOf(card);
    expect(inkIn(64, 64, 400, 92)).to.be.above(100);
    expect(inkIn(64, 110, 1_136, height - 100)).to.be.above(1_000);
    expect(inkIn(64, height - 80, 600, height - 40)).to.be.above(100);
    expect(inkIn(900, height - 80, 1_136, height - 40)).to.be.above(100);
  });

  it('is mirrored in a right-to-left card', async () => {
    const name = async (dir: string) => {
      const { card } = await stageActions({ sourceId: 'noimage-1', attributes: { dir } });
      const { inkIn } = await pictureOf(card);
      return [inkIn(64, 64, 400, 92) > 0, inkIn(800, 64, 1_136, 92) > 0];
    };
    expect(await name('ltr')).to.deep.equal([true, false]);
    expect(await name('rtl')).to.deep.equal([false, true]);
  });

  it('keeps all text inside its edges even if names are long', async () => {
    const { card } = await stageActions({
      sourceId: 'noimage-1',
      attributes: { 'ai-reviewed-by': 'Maximiliane Featherstonehaugh-B', 'ai-reviewed-run': 'run_1' },
    });
    await give(card, {
      sourceName: 'Seasonally adjusted payrolls '.repeat(8),
      aiSummaryShort: 'Payrollsrose'.repeat(40),
    });
    const { height, inkIn } = await pictureOf(card);
    expect([inkIn(0, 0, 60, height), inkIn(1_140, 0, 1_200, height)]).to.deep.equal([0, 0]);
  });

  it('doesn’t reserve space for a chart if the pulse has none', async () => {
    const { card } = await stageActions({ sourceId: 'noimage-1' });
    expect((await pictureOf(card)).height).to.be.below(500);
  });

  it('is a copy of the chart if there is no finding', async () => {
    const { card } = await stageActions({ sourceId: 'ready-1' });
    await give(card, { aiSummaryShort: null });
    expect((await pictureOf(card)).height).to.equal(890);
  });

  it('uses a chart that the page provides as a data URL, without a request', async () => {
    const { bff, card } = await stageActions({ sourceId: 'noimage-1' });
    const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
    await give(card, { imageUrl: canvas.toDataURL() });
    await eventually(() => card.currentPulse?.imageUrl);
    expect((await pictureOf(card)).height).to.be.above(800);
    expect(await bff.asked('/image')).to.deep.equal([]);
  });

  for (const chartTheme of ['light', 'auto'])
    it(`is dark in a dark card, with a readable chart: chart-theme="${chartTheme}"`, async () => {
      const { card } = await stageActions({
        sourceId: 'ready-1',
        attributes: { theme: 'dark', 'chart-theme': chartTheme },
      });
      const { height, grayAt } = await pictureOf(card);
      expect(grayAt(5, 5)).to.be.below(0x20);
      expect(grayAt(600, height - 300)).to.be.above(0xa0);
    });

  it('is fetched with the card’s token', async () => {
    const bff = new StubBff('private');
    const { card } = await stageActions({ bff, attributes: { token: tokenFor('Ada') } });
    const before = (await bff.tokens()).length;
    await card.toBlob();
    expect((await bff.tokens()).slice(before)).to.have.length(1);
    expect((await bff.asked('/image')).join()).not.to.contain('sig=');
  });

  it('is saved under the card’s name', async () => {
    const saved = watchDownloads();
    const { card } = await stageActions({ actions: 'save' });
    await give(card, { sourceName: 'Q2/Q3: "jobs" ' });
    buttonsOf(card)[0]?.click();
    await eventually(() => saved[0]);
    expect(saved).to.deep.equal(['Q2 Q3 jobs.png']);
  });

  it('is shared as a file', async () => {
    const shared = allowSharing();
    const { card } = await stageActions({ actions: 'share' });
    buttonsOf(card)[0]?.click();
    await eventually(() => shared[0]);
    expect(shared[0]?.files?.[0]?.name).to.equal('US nonfarm employment.png');
  });

  it('is created only once until the visible content changes', async () => {
    const shared = allowSharing();
    const { bff, card } = await stageActions({ sourceId: 'ready-1', actions: 'share', attributes: { theme: 'light' } });
    const [button] = buttonsOf(card);
    for (let times = 0; times < 5; times += 1) startPress(button);
    button?.click();
    await eventually(() => shared.length === 1);
    expect(await bff.asked('image?run=')).to.have.length(1);
    card.theme = 'dark';
    await card.updateComplete;
    button?.click();
    await eventually(() => shared.length === 2);
    const pictures = await Promise.all(shared.map(({ files }) => pixelsOf(files?.[0])));
    expect(pictures[0]?.grayAt(5, 5)).to.equal(0xff);
    expect(pictures[1]?.grayAt(5, 5)).to.be.below(0x20);
  });

  describe('if the BFF has no chart for the run', () => {
    it('is replaced by the chart’s URL', async () => {
      const [saved, opened] = [watchDownloads(), watchWindows()];
      const { card, bff } = await stageActions({ sourceId: 'gone-1', actions: 'save' });
      expect(await card.toBlob().catch((error: Error) => error.message)).to.match(/^Can’t load .*: not_found/);
      buttonsOf(card)[0]?.click();
      await eventually(() => opened[0]);
      expect([opened, saved]).to.deep.equal([[`${bff.base}/chart.png`], []]);
    });

    it('is retried on the next click', async () => {
      const opened = watchWindows();
      const { card, bff } = await stageActions({ sourceId: 'gone-1', actions: 'save' });
      const [button] = buttonsOf(card);
      button?.click();
      await eventually(() => opened.length === 1);
      expect(await bff.asked('image?run=')).to.have.length(1);
      startPress(button);
      await eventually(async () => (await bff.asked('image?run=')).length === 2);
    });
  });

  it('is replaced by the chart’s URL if the BFF can’t be reached', async () => {
    const opened = watchWindows();
    const { card, bff } = await stageActions({ sourceId: 'ready-1', actions: 'save' });
    const { fetch } = globalThis;
    const cut: typeof fetch = (input, init) =>
      typeof input === 'string' && input.includes('/image?run=')
        ? Promise.reject(new TypeError('Failed to fetch'))
        : fetch(input, init);
    replace(globalThis, 'fetch', cut);
    buttonsOf(card)[0]?.click();
    await eventually(() => opened[0]);
    expect(opened).to.deep.equal([`${bff.base}/chart.png`]);
  });
});
