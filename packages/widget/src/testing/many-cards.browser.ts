import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { buttonsOf } from './action-stage.ts';
import {
  advance,
  clearStage,
  eventually,
  setHidden,
  stageBoard,
  stageCard,
  StubBff,
  tick,
  until,
  untilAtRest,
  within,
} from './stage.ts';

describe('a hundred cards', () => {
  afterEach(clearStage);

  const stageHundred = async (attributes: Readonly<Record<string, string>> = {}) => {
    const bff = new StubBff();
    const cards = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        stageCard(bff, `proxied-${at}`, { variant: 'text', loading: 'eager', ...attributes }),
      ),
    );
    return { bff, cards };
  };

  /** Counts how often `elements` render. */
  function countRenders(elements: Iterable<PulseCard>): () => number {
    let renders = 0;
    for (const element of elements) element.addController({ hostUpdated: () => void renders++ });
    return () => renders;
  }

  it('each render at most three times before they settle', async () => {
    const { cards } = await stageHundred();
    const renders = countRenders(cards);
    await Promise.all(cards.map((card) => until(card, 'ready')));
    await untilAtRest(cards);
    expect(renders()).to.be.at.most(300);
  });

  it('don’t render on a tick or when the reader switches tabs, unless a relative time changes', async () => {
    const { cards } = await stageHundred();
    await Promise.all(cards.map((card) => until(card, 'ready')));
    await untilAtRest(cards);
    const renders = countRenders(cards);
    tick();
    setHidden(true);
    setHidden(false);
    tick();
    await untilAtRest(cards);
    expect(renders()).to.equal(0);
    const time = within(cards[0] as PulseCard, 'time').textContent;
    advance(3_600_000);
    tick();
    await eventually(() => within(cards[0] as PulseCard, 'time').textContent !== time);
    await eventually(() => renders() === 100);
  });

  it('don’t prepare an image until a button is pressed', async () => {
    const { bff, cards } = await stageHundred({ actions: 'save' });
    await Promise.all(cards.map((card) => until(card, 'ready')));
    for (const card of cards)
      buttonsOf(card)[0]?.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
    for (const card of cards)
      buttonsOf(card)[0]?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await bff.asked('/image')).to.have.length(0);
    buttonsOf(cards[0] as PulseCard)[0]?.dispatchEvent(
      new PointerEvent('pointerdown', { bubbles: true, composed: true }),
    );
    await eventually(async () => (await bff.asked('/image')).length === 1);
  });

  it('aren’t rendered again on a board while its reader and provider stay the same', async () => {
    const bff = new StubBff('ok,list:ten');
    const board = await stageBoard(bff, { loading: 'eager', variant: 'text' });
    board.reader = 'ada';
    await until(board, 'ready');
    const cards = () => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    await eventually(() => cards().length === 10 && cards().every(({ state }) => state !== 'loading'));
    await untilAtRest(cards());
    const renders = countRenders(cards());
    for (let updates = 0; updates < 3; updates++) {
      board.requestUpdate();
      await board.updateComplete;
    }
    await untilAtRest(cards());
    expect(renders()).to.equal(0);
  });
});
