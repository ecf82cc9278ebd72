import { expect } from 'chai';
import { clearStage, eventually, stageBoard, stageCard, StubBff, until } from './stage.ts';

const MAX_NODES = 86;

/** Counts the card, its shadow root, and every node in the shadow root: elements, text, white space, and comments. */
function nodesOf(card: Element): number {
  const walker = document.createTreeWalker(card.shadowRoot as ShadowRoot);
  let count = 2;
  while (walker.nextNode()) count += 1;
  return count;
}

describe('a collapsed card', () => {
  afterEach(clearStage);

  for (const variant of ['card', 'compact', 'chart', 'text']) {
    it(`has no more than ${MAX_NODES} nodes: ${variant}`, async () => {
      for (const id of ['ready-1', 'stale-1', 'empty-1', 'badimage-1']) {
        const card = await until(
          await stageCard(new StubBff(), id, { variant, loading: 'eager' }),
          'ready',
          'stale',
          'empty',
        );
        expect(nodesOf(card), id).to.be.at.most(MAX_NODES);
      }
    });
  }

  it(`contains no more than ${MAX_NODES} nodes on a board`, async () => {
    const board = await until(await stageBoard(new StubBff(), { loading: 'eager' }), 'ready');
    const cards = [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    expect(cards.length).to.be.above(0);
    await eventually(() => cards.every(({ state }) => state !== 'idle' && state !== 'loading'));
    await Promise.all(cards.map(({ updateComplete }) => updateComplete));
    for (const card of cards) expect(nodesOf(card), card.sourceId).to.be.at.most(MAX_NODES);
  });

  it('renders the analysis and the enlarged view only when they are first needed', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const before = nodesOf(card);
    card.open = true;
    await card.updateComplete;
    expect(nodesOf(card)).to.be.above(before);
    expect(card.shadowRoot?.querySelector('dialog') === null).to.equal(true);
  });
});
