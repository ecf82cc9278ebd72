import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { snippetFor } from '../snippet/index.ts';
import {
  advance,
  clearStage,
  eventually,
  loadedChart,
  stageCard,
  StubBff,
  tokenFor,
  until,
  within,
  withAlarms,
} from './stage.ts';

/** The content between a snippet's tags. */
function fallbackOf(bff: StubBff, sourceId: string, loading: 'lazy' | 'eager' = 'eager'): string {
  const html = snippetFor({ sourceId, baseUrl: bff.base, name: 'Q2 revenue', loading });
  return html.replaceAll(/<script.*?<\/script>|<\/?pulse-card.*?>/g, '');
}

/** Creates a card with the snippet's content. The image of a source `held-…` loads only when the test releases it. */
async function stageSnippet(
  bff: StubBff,
  sourceId: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<PulseCard> {
  const card = await stageCard(bff, sourceId, { label: 'Q2 revenue', loading: 'eager', ...attributes });
  card.innerHTML = fallbackOf(bff, sourceId);
  return card;
}

const pictureIn = (card: PulseCard) => card.querySelector('img') as HTMLImageElement;

describe('the image in the snippet', () => {
  afterEach(clearStage);

  it('makes the card wait for it to load, and is the only image that is downloaded', async () => {
    const bff = new StubBff();
    const card = await until(await stageSnippet(bff, 'held-1'), 'ready');
    expect(card.shadowRoot?.querySelector('[part=image]') === null).to.equal(true);
    await bff.release();
    expect((await loadedChart(card)).src).to.equal(pictureIn(card).src);
    expect(await bff.asked('.png')).to.deep.equal([]);
    expect(await bff.asked('/image')).to.have.length(1);
  });

  it('is loaded even if the card hides it before the browser starts to load it', () =>
    withAlarms(async () => {
      const bff = new StubBff();
      const far = document.createElement('div');
      far.className = 'stage';
      far.style.height = '9000px';
      document.body.prepend(far);
      const card = await stageSnippet(bff, 'proxied-1');
      card.innerHTML = fallbackOf(bff, 'proxied-1', 'lazy');
      await until(card, 'ready');
      expect((await loadedChart(card)).src).to.equal(pictureIn(card).src);
      expect(await bff.asked('/image')).to.have.length(1);
    }));

  it('makes the card wait no longer than 10 seconds', () =>
    withAlarms(async (alarms) => {
      const bff = new StubBff();
      await until(await stageSnippet(bff, 'held-1'), 'ready');
      expect(await bff.asked('chart.png')).to.deep.equal([]);
      advance(10_000);
      for (const { ring, afterMs } of alarms.splice(0)) if (afterMs <= 10_000) ring();
      await eventually(async () => (await bff.asked('chart.png')).length === 1);
      await bff.release();
    }));

  it('is replaced by the chart if it belongs to a different run', async () => {
    const bff = new StubBff();
    const card = await until(await stageSnippet(bff, 'heldnew-1'), 'ready');
    await bff.release();
    expect((await loadedChart(card)).src).to.contain('/chart.png');
  });

  it('is replaced by the chart if it can’t be loaded', async () => {
    const bff = new StubBff();
    const card = await stageSnippet(bff, 'ready-1');
    pictureIn(card).src = `${bff.base}/missing/v1/sources/ready-1/image`;
    expect((await loadedChart(await until(card, 'ready'))).src).to.contain('/chart.png');
  });

  it('isn’t shown by a card whose source has changed', async () => {
    const bff = new StubBff();
    const card = await stageSnippet(bff, 'proxied-1');
    card.sourceId = 'ready-1';
    expect((await loadedChart(await until(card, 'ready'))).src).to.contain('/chart.png');
  });

  it('is the only image each card downloads on a page with several cards', async () => {
    const bff = new StubBff();
    const ids = Array.from({ length: 4 }, (_, at) => `held-${at}`);
    const all = await Promise.all(ids.map((id) => stageSnippet(bff, id)));
    await Promise.all(all.map((card) => until(card, 'ready')));
    await bff.release();
    await Promise.all(all.map(loadedChart));
    expect([...(await bff.asked('/image')), ...(await bff.asked('chart.png'))]).to.have.length(4);
  });
});

describe('a public card that has only the image from the snippet', () => {
  afterEach(clearStage);

  for (const behavior of ['429-after-60', '500-after-60', '502-after-60', '503-after-60']) {
    it(`keeps the image, with a message and the name, if the response is ${behavior}`, async () => {
      const bff = new StubBff(behavior);
      const card = await stageSnippet(bff, 'proxied-1');
      await eventually(() => pictureIn(card).complete);
      await until(card, 'error');
      await loadedChart(card);
      expect(within(card, '[part=error]').innerText.trim()).to.equal('The text can’t be loaded right now.');
      expect(within(card, '[part=name]').innerText.trim()).to.equal('Q2 revenue');
      expect(within(card, '[part=note]').innerText).to.contain('AI');
      expect((await loadedChart(card)).src).to.equal(pictureIn(card).src);
      expect(await bff.asked('/image')).to.have.length(1);
      expect(card.failure?.message).to.equal('The text can’t be loaded right now.');
    });
  }

  it('keeps the image when the network fails', async () => {
    const card = await stageSnippet(new StubBff('not-json'), 'proxied-1');
    await eventually(() => pictureIn(card).complete);
    card.baseUrl = 'http://127.0.0.1:2';
    await until(card, 'error');
    await loadedChart(card);
  });

  it('shows the image as soon as it loads, even if the failure came first', async () => {
    const bff = new StubBff('503-after-60');
    const card = await until(await stageSnippet(bff, 'held-1'), 'error');
    expect(within(card, '.notice').innerText).to.contain('This chart can’t be shown right now.');
    await bff.release();
    await loadedChart(card);
    expect(card.shadowRoot?.querySelector('.notice') === null).to.equal(true);
  });

  it('shows the pulse with the same image after a good response', async () => {
    const bff = new StubBff('503-after-60,ok');
    const card = await stageSnippet(bff, 'proxied-1');
    await eventually(() => pictureIn(card).complete);
    await until(card, 'error');
    await card.refresh();
    expect(within(card, '[part=summary]').innerText).to.contain('143.1 million');
    await loadedChart(card);
    expect(await bff.asked('/image')).to.have.length(1);
  });

  for (const [what, behavior, attributes] of [
    ['the source is unknown', '404', {}],
    ['the page isn’t allowed to show it', '403', {}],
    ['the session has ended', 'login', {}],
    ['there is no space for it', '503-after-60', { variant: 'text' }],
    ['the card has a token', '503-after-60', { token: tokenFor('a') }],
  ] as const) {
    it(`removes the image if ${what}`, async () => {
      const card = await stageSnippet(new StubBff(behavior), 'proxied-1', attributes);
      await eventually(() => pictureIn(card).complete);
      await until(card, 'error');
      await eventually(() => card.shadowRoot?.querySelector('.notice'));
      expect(card.shadowRoot?.querySelector('img, slot:not([name])') === null).to.equal(true);
    });
  }

  it('removes the image if the card has a reader', async () => {
    const card = await stageSnippet(new StubBff('503-after-60'), 'proxied-1');
    card.reader = 'alice';
    await eventually(() => pictureIn(card).complete);
    await until(card, 'error');
    await eventually(() => card.shadowRoot?.querySelector('.notice'));
    expect(card.shadowRoot?.querySelector('img') === null).to.equal(true);
  });
});
