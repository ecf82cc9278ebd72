import { expect } from 'chai';
import { pulseOf } from '../fake-bff/index.ts';
import { snippetFor } from '../snippet/index.ts';
import { renderPulseCard } from '../ssr/index.ts';
import {
  clearStage,
  eventually,
  linesOf,
  loadedChart,
  openPage,
  stageBoard,
  stageCard,
  StubBff,
  tick,
  until,
  within,
} from './stage.ts';

const CLICK = { loading: 'click', label: 'Q2 revenue' };

const { host } = location;

describe('a card with loading="click"', () => {
  afterEach(clearStage);

  it('requests only the script and its language file until the reader clicks the button', async () => {
    const bff = new StubBff();
    const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: bff.base, name: 'Q2 revenue', loading: 'click' });
    const frame = await openPage(snippet, { lang: 'de' });
    const card = frame.contentDocument?.querySelector('pulse-card') as HTMLElementTagNameMap['pulse-card'];
    const button = () => card.shadowRoot?.querySelector<HTMLElement>('[part=show]');
    await eventually(() => button()?.innerText === `Diagramm von ${host} anzeigen`);
    frame.contentWindow?.dispatchEvent(new Event('beforeprint'));
    frame.contentWindow?.dispatchEvent(new Event('afterprint'));
    frame.contentWindow?.dispatchEvent(new Event('online'));
    await card.updateComplete;
    const files = (await bff.asked('')).map((url) =>
      new URL(url, location.href).pathname.split('/').slice(4).join('/'),
    );
    expect(files, files.join()).to.have.length(2);
    expect(files.join()).to.match(/^pulse-card\.js,pulse-card-lang\/de\b.*\.json$/);
    button()?.click();
    await until(card, 'ready');
    await loadedChart(card);
    expect(await bff.asked()).to.have.length(1);
  });

  it('shows its name, the AI label, and the host', async () => {
    const card = await stageCard(new StubBff(), 'ready-1', CLICK);
    await card.updateComplete;
    expect(within(card, '[part=show]').innerText.trim()).to.equal(`Show the chart from ${host}`);
    expect(within(card, '[part=name]').innerText.trim()).to.equal('Q2 revenue');
    expect(within(card, '[part=note]').innerText).to.contain('AI');
    expect(card.state).to.equal('idle');
  });

  it('requests only the script until the reader clicks the button, even if the card was rendered on a server', async () => {
    const bff = new StubBff();
    const pulse = pulseOf('ready-1', { imageUrl: `${bff.base}/chart.png` });
    const html = renderPulseCard({ pulse }, { sourceId: 'ready-1', baseUrl: bff.base, loading: 'click' });
    const frame = await openPage(html);
    const card = frame.contentDocument?.querySelector('pulse-card') as HTMLElementTagNameMap['pulse-card'];
    const height = card.getBoundingClientRect().height;
    const src = `${bff.base}/pulse-card.js`;
    card.after(Object.assign(frame.contentDocument?.createElement('script') as HTMLElement, { type: 'module', src }));
    const button = () => card.shadowRoot?.querySelector<HTMLElement>('[part=show]');
    await eventually(button);
    expect(card.getBoundingClientRect().height).to.equal(height);
    expect(await bff.asked('')).to.have.length(1);
    button()?.click();
    await until(card, 'ready');
    await loadedChart(card);
  });

  it('has the same height as any other card', async () => {
    for (const variant of ['card', 'compact', 'chart', 'text']) {
      const asking = await stageCard(new StubBff(), 'ready-1', { ...CLICK, variant });
      const ready = await until(await stageCard(new StubBff(), 'ready-1', { variant, loading: 'eager' }), 'ready');
      await asking.updateComplete;
      expect(asking.offsetHeight).to.equal(ready.offsetHeight);
    }
  });

  it('loads on refresh() and then behaves like any other card', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, 'ready-1', { ...CLICK, live: '' });
    tick();
    expect(await bff.asked()).to.deep.equal([]);
    expect(await card.refresh()).to.equal('ready');
    await loadedChart(card);
    card.sourceId = 'stale-1';
    await until(card, 'stale');
  });

  it('shows a failure immediately, with a button to retry', async () => {
    await linesOf(async () => {
      const card = await stageCard(new StubBff('503-after-60,ok'), 'ready-1', CLICK);
      await card.updateComplete;
      within(card, '[part=show]').click();
      await until(card, 'error');
      within(card, '[part=retry]').click();
      await until(card, 'ready');
    });
  });

  it('shows the button instead of the chart if the page provides the pulse', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, '', CLICK);
    card.pulse = {
      jobRunId: 'run_1',
      sourceId: 'ready-1',
      sourceName: 'Q2',
      imageUrl: `${bff.base}/chart.png`,
    } as never;
    await until(card, 'ready');
    expect(within(card, '[part=show]').checkVisibility()).to.equal(true);
    expect(await bff.asked('')).to.deep.equal([]);
    within(card, '[part=show]').click();
    await loadedChart(card);
  });

  it('loads when the loading property changes', async () => {
    const card = await stageCard(new StubBff(), 'ready-1', CLICK);
    await card.updateComplete;
    card.loading = 'lazy';
    await until(card, 'ready');
  });
});

describe('a board with loading="click"', () => {
  afterEach(clearStage);

  it('requests its list and its cards after a single click', async () => {
    const bff = new StubBff();
    const board = await stageBoard(bff, { loading: 'click' });
    await board.updateComplete;
    expect(within(board, '[part=show]').innerText.trim()).to.equal(`Show the charts from ${host}`);
    expect(await bff.asked('/v1/')).to.deep.equal([]);
    within(board, '[part=show]').click();
    await until(board, 'ready');
    await eventually(async () => (await bff.asked()).length > 0);
    await until(within<HTMLElementTagNameMap['pulse-card']>(board, 'pulse-card'), 'ready');
  });
});
