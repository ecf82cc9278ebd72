import { expect } from 'chai';
import { clearStage, eventually, linesOf, openPage, StubBff } from './stage.ts';

/** Opens a page with one card and returns its window and the card. */
async function openCard(bff: StubBff, attributes: string, page: Readonly<Record<string, string>> = {}) {
  const html = `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card ${attributes}></pulse-card>`;
  const { contentWindow } = await openPage(html, page);
  const frame = contentWindow as Window & typeof globalThis;
  await eventually(() => frame.customElements.get('pulse-card'));
  return { frame, card: frame.document.querySelector('pulse-card') as HTMLElementTagNameMap['pulse-card'] };
}

const requestsFor = (frame: Window & typeof globalThis): string[] =>
  frame.performance.getEntriesByType('resource').map(({ name }) => name);

describe('the code loaded after the first paint', () => {
  afterEach(clearStage);

  it('is requested after the pulse and the chart, and only once for all cards', async () => {
    const bff = new StubBff();
    const more = '"></pulse-card><pulse-card source-id="ready-2" loading="eager';
    const { frame } = await openCard(bff, `source-id="ready-1" loading="eager${more}"`);
    // A request is listed once its response has arrived.
    const isListed = (part: string) => requestsFor(frame).some((url) => url.includes(part));
    await eventually(() => isListed('after-paint') && isListed('chart.png'));
    const order = requestsFor(frame).filter((url) => /after-paint|v1.pulses|chart\.png/.test(url));
    expect(order.findIndex((url) => url.includes('after-paint'))).to.be.above(1);
    expect(await bff.asked('after-paint')).to.have.length(1);
  });

  it('isn’t requested while the card is waiting for a click', async () => {
    const bff = new StubBff();
    const { card } = await openCard(bff, 'source-id="ready-1" loading="click"');
    await card.updateComplete;
    expect(await bff.asked('after-paint')).to.deep.equal([]);
    await card.refresh();
    await eventually(async () => (await bff.asked('after-paint')).length === 1);
  });

  it('shows the analysis as Markdown blocks', async () => {
    const { card } = await openCard(new StubBff(), 'source-id="ready-1" open');
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] li'));
  });

  describe('that can’t be loaded', () => {
    it('shows the analysis as plain text', async () => {
      const { card } = await openCard(new StubBff('incomplete'), 'source-id="ready-1" open');
      await eventually(() => card.shadowRoot?.querySelector('[part=analysis] > p'));
      expect(card.shadowRoot?.querySelector('[part=analysis] li')).to.equal(null);
      expect(card.shadowRoot?.querySelector('[part=analysis]')?.textContent).not.to.contain('**');
    });

    it('doesn’t prevent a failure from being announced and logged with its status and code', async () => {
      const bff = new StubBff('incomplete');
      const { frame, card } = await openCard(bff, 'source-id="unknown-1" defer-hydration');
      const spoken = () => frame.document.querySelector('[role=status]')?.textContent;
      const lines = await linesOf(async () => {
        card.removeAttribute('defer-hydration');
        await eventually(() => spoken() === 'Chart not found.');
      }, frame);
      expect(lines.at(-1)).to.equal(`pulse-card: Can’t load from ${bff.base} (404 source_unknown)`);
      expect(lines[0]).to.match(/^pulse-card: Can’t load .*pulse-card-after-paint-\w+\.js: put it next to/);
    });

    it('doesn’t keep a long finding from being read in full', async () => {
      const { card } = await openCard(new StubBff('incomplete'), 'source-id="verbose-1"');
      await eventually(() => card.shadowRoot?.querySelector('[part=toggle]')?.textContent === 'Read in full');
    });

    it('is requested again when the analysis is opened', async () => {
      const bff = new StubBff('unreliable');
      const { frame, card } = await openCard(bff, 'source-id="ready-1" defer-hydration');
      await linesOf(async (lines) => {
        card.removeAttribute('defer-hydration');
        await eventually(() => lines.length > 0);
      }, frame);
      card.open = true;
      await eventually(() => card.shadowRoot?.querySelector('[part=analysis] li'));
    });
  });
});
