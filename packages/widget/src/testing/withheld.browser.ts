import { expect } from 'chai';
import { brokenRulesOf, clearStage, loadedChart, stageCard, StubBff, until, within } from './stage.ts';

const WORDS = 'The text was withheld by this site.';

describe('a card whose text is withheld', () => {
  afterEach(clearStage);

  for (const variant of ['card', 'compact'])
    it(`keeps its chart and says that the text is withheld, without the AI label: ${variant}`, async () => {
      const card = await stageCard(new StubBff(), 'withheld-1', { variant, style: 'width: 600px' });
      await until(card, 'ready');
      await loadedChart(card);
      expect(within(card, '#finding').textContent).to.equal(WORDS);
      expect(within(card, '#finding').checkVisibility()).to.equal(true);
      for (const part of ['note', 'summary', 'analysis', 'toggle', 'lead'])
        expect(card.shadowRoot?.querySelector(`[part=${part}]`), part).to.equal(null);
      expect(within(card, '#name').role).to.equal('heading');
      expect(await brokenRulesOf(card)).to.deep.equal([]);
    });

  for (const [sourceId, variant] of [
    ['withheld-1', 'text'],
    ['withheld-noimage', 'card'],
  ] as const)
    it(`says that the text is withheld even if there is no chart: ${sourceId} as ${variant}`, async () => {
      const card = await until(await stageCard(new StubBff(), sourceId, { variant }), 'ready');
      expect(within(card, '#finding').textContent).to.equal(WORDS);
      expect(card.shadowRoot?.querySelector('[part=empty]')).to.equal(null);
    });

  it('says in its chart’s description that the text is withheld', async () => {
    const card = await until(await stageCard(new StubBff(), 'withheld-1', { variant: 'chart' }), 'ready');
    const chart = await loadedChart(card);
    expect(within(card, `#${chart.getAttribute('aria-describedby')}`).textContent).to.equal(WORDS);
    expect(within(card, '#finding').checkVisibility()).to.equal(false);
  });

  it('is redrawn without an event when the same run’s text is withheld or restored', async () => {
    const card = await until(await stageCard(new StubBff(), 'brake-1', { open: '' }), 'ready');
    const heard: string[] = [];
    for (const name of ['pulse-update', 'pulse-load', 'pulse-state'])
      card.addEventListener(name, () => heard.push(name));
    const finding = within(card, '#finding').textContent;
    await card.refresh();
    expect(within(card, '#finding').textContent).to.equal(WORDS);
    expect(card.shadowRoot?.textContent).not.to.contain('Payrolls');
    expect(card.currentPulse).to.include({ jobRunId: 'run_1', aiSummaryShort: null, withheld: true });
    await card.refresh();
    expect(within(card, '#finding').textContent).to.equal(finding);
    expect(within(card, '[part=analysis]').checkVisibility()).to.equal(true);
    expect(heard).to.deep.equal([]);
  });
});
