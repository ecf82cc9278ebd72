import { expect } from 'chai';
import { clearStage, eventually, loadedChart, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

describe('a card for screen readers', () => {
  afterEach(clearStage);

  for (const [what, attributes, label] of [
    ['a wide card', {}, 'AI-generated'],
    ['a narrow card', { style: 'display:block;width:240px' }, 'AI-generated'],
    ['a compact card', { variant: 'compact' }, 'AI-generated'],
    ['a text card', { variant: 'text' }, 'AI-generated'],
    ['a German card', { lang: 'de' }, 'KI-generiert'],
    ['a reviewed card', { 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_1' }, 'AI-generated, reviewed by Ada'],
  ] as const)
    it(`tells readers who navigate by headings that the finding is AI-generated: ${what}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { loading: 'eager', ...attributes }), 'ready');
      await eventually(() => within(card, '[part=note]').textContent?.includes(label));
      const heading = within(card, '[part=heading]');
      const names = (heading.getAttribute('aria-labelledby') ?? '')
        .split(' ')
        .map((id) => card.shadowRoot?.getElementById(id));
      expect(names).to.deep.equal([within(card, '[part=note] [id]'), within(card, '[part=summary]')]);
      expect(names[0]?.textContent).to.equal(label);
    });

  it('contains its name only once, next to its label', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { loading: 'eager' }), 'ready');
    await loadedChart(card);
    expect(within<HTMLImageElement>(card, '[part=image]').alt).to.equal('Chart');
    expect(within(card, '[part=base]').getAttribute('aria-labelledby')).to.equal('name');
  });

  it('labels each enlarge button with its chart’s name', async () => {
    const board = await until(await stageBoard(new StubBff('list:ten'), { loading: 'eager' }), 'ready');
    const cards = () => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    await eventually(
      () => cards().length > 1 && cards().every((card) => card.shadowRoot?.querySelector('[part=enlarge]')),
    );
    for (const card of cards()) {
      const button = within(card, '[part=enlarge]');
      const ids = (button.getAttribute('aria-labelledby') ?? '').split(' ');
      expect(ids.map((id) => card.shadowRoot?.getElementById(id))).to.deep.equal([button, within(card, '#name')]);
      expect(button.ariaLabel).to.equal('Enlarge the chart');
    }
  });

  it('describes each action’s button and the menu’s button with the chart’s name', async () => {
    const card = await until(
      await stageCard(new StubBff(), 'ready-1', { actions: 'copy save', loading: 'eager' }),
      'ready',
    );
    await eventually(() => card.shadowRoot?.querySelector('[part=actions]'));
    const buttons = [...(card.shadowRoot?.querySelectorAll('[part=actions] button') ?? [])];
    expect(buttons.map((button) => button.getAttribute('aria-describedby'))).to.deep.equal(['name', 'name', 'name']);
  });
});
