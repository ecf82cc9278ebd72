import { expect } from 'chai';
import { renderPulseCard } from '../ssr/index.ts';
import { clearStage, eventually, openPage, stageBoard, stageCard, StubBff, tokenFor, until } from './stage.ts';

describe('the defer-hydration attribute', () => {
  afterEach(clearStage);

  it('keeps a card from requesting anything until the attribute is removed', async () => {
    const bff = new StubBff('private');
    const card = await stageCard(bff, 'ready-1', { loading: 'eager', lang: 'de', 'defer-hydration': '' });
    expect(await card.refresh()).to.equal('idle');
    const other = await stageCard(bff, 'ready-2', { loading: 'eager' });
    await until(other, 'error');
    card.tokenProvider = () => tokenFor('alice');
    expect((await bff.asked('')).filter((url) => url.includes('ready-1') || url.includes('lang'))).to.deep.equal([]);
    card.removeAttribute('defer-hydration');
    await until(card, 'ready');
    expect(await bff.tokens()).to.have.length(1);
    expect(await bff.asked('ids=ready-1')).to.have.length(1);
  });

  it('keeps a board from requesting anything until the attribute is removed', async () => {
    const bff = new StubBff();
    const board = await stageBoard(bff, { loading: 'eager', 'defer-hydration': '' });
    expect(await board.refresh()).to.equal('idle');
    expect(await bff.asked('/v1/')).to.deep.equal([]);
    board.removeAttribute('defer-hydration');
    await until(board, 'ready');
  });

  it('makes the card remove server-rendered content only when the browser caches the page', async () => {
    const bff = new StubBff('private');
    const pulse = { jobRunId: 'run_1', sourceId: 'ready-1', aiSummaryShort: 'For alice' };
    const html = renderPulseCard({ pulse }, { sourceId: 'ready-1', baseUrl: bff.base, deferHydration: true });
    const frame = await openPage(`<script type="module" src="${bff.base}/pulse-card.js"></script>${html}`);
    const page = frame.contentWindow as Window & typeof globalThis;
    await eventually(() => page.customElements.get('pulse-card'));
    const card = page.document.querySelector('pulse-card');
    const shown = () => `${card?.innerHTML}${card?.shadowRoot?.innerHTML}`;
    expect(shown()).to.contain('For alice');
    expect(await bff.asked('/v1/')).to.deep.equal([]);
    page.dispatchEvent(new page.PageTransitionEvent('pagehide', { persisted: true }));
    expect(shown()).not.to.contain('For alice');
  });
});
