import { expect } from 'chai';
import { clearStage, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

const isShown = (element: Element) => element.getBoundingClientRect().width > 1;

describe('a card whose source is overdue', () => {
  afterEach(clearStage);

  for (const [usual, words] of [
    ['hourly', 'usually hourly'],
    ['daily', 'usually daily'],
    ['weekdays', 'usually on weekdays'],
    ['weekly', 'usually weekly'],
    ['monthly', 'usually monthly'],
  ] as const)
    it(`shows that it is "${words}", has a badge, and matches :state(overdue)`, async () => {
      const card = await stageCard(new StubBff(), `overdue-${usual}`, { style: 'width: 700px' });
      await until(card, 'ready');
      expect(within(card, 'time').textContent).to.equal(`3 days ago · ${words}`);
      expect(within(card, '[part=status]').textContent).to.equal('Overdue');
      expect(card.matches(':state(overdue):state(ready)')).to.equal(true);
    });

  it('shows only the badge if its source’s usual interval has no name', async () => {
    const card = await until(await stageCard(new StubBff(), 'overdue-irregular'), 'ready');
    expect(within(card, 'time').textContent).to.equal('3 days ago');
    expect(within(card, '[part=status]').textContent).to.equal('Overdue');
  });

  it('doesn’t show a badge while the source isn’t overdue', async () => {
    const card = await until(await stageCard(new StubBff(), 'steady-daily'), 'ready');
    expect(within(card, 'time').textContent).to.equal('2 hours ago');
    expect(card.shadowRoot?.querySelector('[part=status]')).to.equal(null);
    expect(card.matches(':state(overdue)')).to.equal(false);
  });

  it('shows the badge for a more serious state instead, if there is one', async () => {
    const card = await until(await stageCard(new StubBff('stale'), 'overdue-daily'), 'stale');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
    expect(card.matches(':state(overdue)')).to.equal(true);
  });

  for (const [width, shown] of [
    [700, ['note', 'usual', 'time', 'words', 'badge']],
    [560, ['usual', 'time', 'words', 'badge']],
    [520, ['time', 'words', 'badge']],
    [400, ['words', 'badge']],
    [200, ['badge']],
  ] as const)
    it(`leaves space for the name at ${width} px and keeps the details in the badge’s title`, async () => {
      const card = await stageCard(new StubBff(), 'overdue-daily', { style: `width: ${width}px` });
      await until(card, 'ready');
      const parts = {
        note: '[part=note] span',
        usual: 'time span',
        time: 'time',
        words: '[part=status] span',
        badge: '[part=status]',
      };
      const visible = Object.entries(parts).filter(([, selector]) => isShown(within(card, selector)));
      expect(visible.map(([name]) => name)).to.deep.equal(shown);
      expect(within(card, '[part=status]').title).to.equal('Overdue · 3 days ago · usually daily');
      expect(within(card, '#name').clientWidth).to.be.above(45);
    });

  it('marks the text about its usual interval with that text’s language', async () => {
    const card = await until(await stageCard(new StubBff(), 'overdue-daily', { lang: 'cs' }), 'ready');
    expect(within(card, 'time span').lang).to.equal('en');
  });

  it('counts as needing attention on a board as soon as its source is overdue', async () => {
    const board = await until(await stageBoard(new StubBff('ok,list:rhythms'), { sort: 'attention' }), 'ready');
    const cards = () => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    await Promise.all(cards().map((card) => until(card, 'ready')));
    await board.updateComplete;
    expect(cards().map(({ sourceId }) => sourceId)).to.deep.equal(['overdue-daily', 'silent-daily', 'steady-daily']);
    expect(cards().map((card) => card.matches(':state(overdue)'))).to.deep.equal([true, false, false]);
    await board.refresh();
    expect(cards().map(({ sourceId }) => sourceId)).to.deep.equal(['silent-daily', 'overdue-daily', 'steady-daily']);
    expect(within(board, '[part=tabs]').textContent).to.match(/Needs attention\s+2/);
  });
});
