import { expect } from 'chai';
import { sendKeys } from '@web/test-runner-commands';
import type { PulseBoard, PulseCard } from '../elements/index.ts';
import { cardsOf, scriptOf, settled, shownIds, textOf } from './board-stage.ts';
import { clearStage, eventually, itEmulating, openPage, stageBoard, StubBff, tick, until, within } from './stage.ts';

describe('a board’s order', () => {
  afterEach(clearStage);

  const NEWEST = ['aged-1', 'aged-5', 'aged-48', 'aged-96', 'bare-1', 'empty-1'];
  const stageAged = async (behavior = 'ok', attributes = {}) => {
    const bff = new StubBff(`list:aged,${behavior}`);
    return { bff, board: await stageBoard(bff, attributes) };
  };

  it('is by completion time, newest first; sources without a time or a pulse come last', async () => {
    const { board } = await stageAged();
    await eventually(() => shownIds(board).length === 6);
    expect(shownIds(board)).to.deep.equal(NEWEST);
  });

  it('needs only one request, even for cards that aren’t near the viewport', async () => {
    const bff = new StubBff('list:aged');
    const frame = await openPage(`${scriptOf(bff)}<pulse-board></pulse-board>`, {}, 320);
    frame.height = '300';
    const board = () => frame.contentDocument?.querySelector('pulse-board') as PulseBoard;
    await eventually(() => shownIds(board()).length === 6);
    expect(shownIds(board())).to.deep.equal(NEWEST);
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
    expect(board().shadowRoot?.querySelector('pulse-card:last-of-type [part=image]')).to.equal(null);
  });

  it('isn’t shown until the pulses have loaded, so cards don’t move around', async () => {
    const { board } = await stageAged('hang');
    await until(board, 'ready');
    await eventually(() => cardsOf(board).length === 6 && cardsOf(board).every(({ state }) => state === 'loading'));
    expect(shownIds(board)).to.deep.equal([]);
    await board.updateComplete;
    expect(within(board, 'article').checkVisibility()).to.equal(true);
    expect(within(board, '[part=board]').ariaBusy).to.equal('true');
  });

  it('doesn’t wait for the pulses if the board is sorted by name or by attention', async () => {
    const { bff, board } = await stageAged('hang', { sort: 'name' });
    await eventually(() => shownIds(board).length === 6);
    // Cards that are removed before their shared request is sent would send six requests, which tie up all connections
    // for 15 s.
    await eventually(async () => (await bff.asked('/v1/pulses')).length === 1);
    expect(shownIds(board)).to.deep.equal(NEWEST.toSorted());
  });

  it('changes when pulses arrive after a failure', async () => {
    const { bff, board } = await stageAged('503-after-60,ok');
    await eventually(() => cardsOf(board).length === 6 && cardsOf(board).every(({ state }) => state === 'error'));
    await eventually(() => shownIds(board).length === 6);
    expect(shownIds(board)).to.deep.equal(['bare-1', 'empty-1', 'aged-48', 'aged-1', 'aged-96', 'aged-5']);
    await Promise.all(cardsOf(board).map((card) => card.refresh()));
    await eventually(() => shownIds(board)[0] === 'aged-1');
    expect(shownIds(board)).to.deep.equal(NEWEST);
    expect(await bff.asked('/v1/pulses')).to.have.length(2);
  });

  it('changes after a new run, but not while an analysis is expanded', async () => {
    const { bff, board } = await stageAged('ok', { live: '' });
    await eventually(() => shownIds(board).length === 6);
    const reading = cardsOf(board)[0] as PulseCard;
    reading.open = true;
    await bff.deliver('aged-96', 'run_2');
    await eventually(() => (tick(), cardsOf(board)[3]?.currentPulse?.jobRunId === 'run_2'));
    await board.updateComplete;
    expect(shownIds(board)).to.deep.equal(NEWEST);
    reading.open = false;
    await bff.deliver('aged-48', 'run_3');
    await eventually(() => (tick(), shownIds(board)[0] === 'aged-48'));
    expect(shownIds(board).slice(0, 3)).to.deep.equal(['aged-48', 'aged-96', 'aged-1']);
  });

  it('changes for a new run after refresh(), even while an analysis is expanded', async () => {
    const { bff, board } = await stageAged();
    await eventually(() => shownIds(board).length === 6);
    (cardsOf(board)[0] as PulseCard).open = true;
    await bff.deliver('aged-96', 'run_2');
    await board.refresh();
    expect(shownIds(board)[0]).to.equal('aged-96');
  });
});

describe('a board’s bar', () => {
  afterEach(clearStage);

  const choose = async (board: PulseBoard, label: string, option: string) => {
    const select = within<HTMLSelectElement>(board, `select[aria-label="${label}"]`);
    select.selectedIndex = [...select.options].findIndex((one) => textOf(one) === option);
    select.dispatchEvent(new Event('change'));
    await board.updateComplete;
  };

  it('lets keyboard users filter by attention and shows counts', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await board.updateComplete;
    const buttons = [...within(board, '.segments').querySelectorAll('button')];
    expect(buttons.map(textOf)).to.deep.equal(['All 6', 'Needs attention 1', 'Up to date 5']);
    buttons[1]?.focus();
    await sendKeys({ press: 'Enter' });
    await eventually(() => shownIds(board).length === 1);
    expect(shownIds(board)).to.deep.equal(['broken-1']);
    expect(buttons.map(({ ariaPressed }) => ariaPressed)).to.deep.equal(['false', 'true', 'false']);
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: ' ' });
    await eventually(() => shownIds(board)[0] === 'ready-1');
    expect(shownIds(board).toSorted()).to.deep.equal(['degraded-1', 'draft-1', 'empty-1', 'ready-1', 'ready-3']);
  });

  itEmulating({ forcedColors: 'active' })('marks the chosen filter even with forced colors', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    const [chosen, other] = [...within(board, '.segments').querySelectorAll('button')].map(
      (button) => getComputedStyle(button).color,
    );
    expect(chosen).not.to.equal(other);
  });

  it('filters by provider', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await board.updateComplete;
    await settled(board);
    await choose(board, 'Provider', 'Google (3)');
    expect(shownIds(board)).to.deep.equal(['ready-1', 'draft-1', 'empty-1']);
    await choose(board, 'Provider', 'All providers (6)');
    expect(shownIds(board)).to.have.length(6);
  });

  it('shows all sources again when the control for the active filter is removed', async () => {
    const board = await until(await stageBoard(new StubBff('list:ok,list:ten')), 'ready');
    await settled(board);
    await choose(board, 'Status', 'Needs attention (1)');
    await choose(board, 'Provider', 'Shopify (1)');
    expect(shownIds(board)).to.deep.equal(['broken-1']);
    await board.refresh();
    await eventually(() => shownIds(board).length === 10);
  });

  it('sorts the cards and keeps each card as the reader left it', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await settled(board);
    const [first] = cardsOf(board);
    if (first) first.open = true;
    await choose(board, 'Sort by', 'Needs attention first');
    expect(shownIds(board)).to.deep.equal(['broken-1', 'ready-1', 'degraded-1', 'draft-1', 'empty-1', 'ready-3']);
    expect(cardsOf(board)[1] === first && first?.open).to.equal(true);
    await choose(board, 'Sort by', 'Name');
    expect(cardsOf(board).map(({ _$listing }) => _$listing?.source.name)).to.deep.equal([
      null,
      'Ledger',
      'Orders',
      'Pipeline',
      'Store revenue',
      'US nonfarm employment',
    ]);
    await choose(board, 'Sort by', 'Newest first');
    expect(shownIds(board)[0]).to.equal('ready-1');
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
  });

  it('exposes parts for its status buttons, each select element, and the order', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await eventually(() => shownIds(board).length === 6);
    const partsOf = (selector: string) => within(board, selector).getAttribute('part');
    expect([partsOf('.segments'), partsOf('.narrow'), partsOf('.sort')]).to.deep.equal([
      'tabs',
      'select',
      'select sort',
    ]);
    expect(within(board, '[part=filter]').contains(within(board, '[part=tabs]'))).to.equal(true);
  });

  it('starts with the order that the page sets', async () => {
    const board = await until(await stageBoard(new StubBff(), { sort: 'attention' }), 'ready');
    await board.updateComplete;
    expect(shownIds(board)[0]).to.equal('broken-1');
  });

  it('is omitted if filters wouldn’t be useful', async () => {
    const board = await until(await stageBoard(new StubBff('list:ten')), 'ready');
    await board.updateComplete;
    expect(board.shadowRoot?.querySelector('[part=filter]') === null).to.equal(true);
  });

  it('becomes a row of select elements if space is tight', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}<pulse-board></pulse-board>`, {}, 390);
    const root = () => frame.contentDocument?.querySelector('pulse-board')?.shadowRoot;
    await eventually(() => root()?.querySelector('.bar'));
    expect(root()?.querySelector('.segments')?.checkVisibility()).to.equal(false);
    const options = [...(root()?.querySelectorAll('.narrow option') ?? [])].map(textOf);
    expect(options).to.deep.equal(['All (6)', 'Needs attention (1)', 'Up to date (5)']);
    expect(root()?.querySelector('.narrow select')?.checkVisibility()).to.equal(true);
    for (const label of root()?.querySelectorAll<HTMLElement>('.select') ?? []) {
      frame.contentWindow?.focus();
      label.querySelector('select')?.focus({ focusVisible: true });
      expect(label.ownerDocument.defaultView?.getComputedStyle(label).outlineStyle, label.className).to.equal('solid');
    }
  });
});
