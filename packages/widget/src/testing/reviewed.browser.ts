import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, linesOf, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

const labelOf = (card: PulseCard) => within(card, '[part=note] span').textContent;
const REVIEWED = 'AI-generated, reviewed by Ada';

describe('a card whose text was reviewed', () => {
  afterEach(clearStage);

  it('shows the reviewer for the reviewed run but not for any other run', async () => {
    const bff = new StubBff();
    const review = { 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_1' };
    const card = await until(await stageCard(bff, 'ready-1', review), 'ready');
    expect(labelOf(card)).to.equal(REVIEWED);
    await bff.deliver('ready-1', 'run_10');
    await card.refresh();
    expect(labelOf(card)).to.equal('AI-generated');
    card.aiReviewedRun = 'run_1  run_10';
    await card.updateComplete;
    expect(labelOf(card)).to.equal(REVIEWED);
  });

  it('shows only "AI-generated" and logs one line if the page doesn’t specify the reviewed run', async () => {
    const lines = await linesOf(async () => {
      const cards = [1, 2].map(() => stageCard(new StubBff(), 'ready-1', { 'ai-reviewed-by': 'Ada' }));
      for (const card of await Promise.all(cards)) expect(labelOf(await until(card, 'ready'))).to.equal('AI-generated');
    });
    expect(lines.filter((line) => line.includes('ai-reviewed-run'))).to.have.length(1);
  });

  it('shows the reviewer on a board’s cards that show a reviewed run', async () => {
    const bff = new StubBff();
    await bff.deliver('ready-3', 'run_3');
    await bff.deliver('draft-1', 'run_4');
    const board = await stageBoard(bff, { 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_3 run_4' });
    await until(board, 'ready');
    const cards = [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    const shown = cards.filter(({ sourceId }) => !sourceId.startsWith('empty'));
    await Promise.all(shown.map((card) => until(card, 'ready')));
    const reviewed = shown.filter((card) => labelOf(card) === REVIEWED).map(({ sourceId }) => sourceId);
    expect(reviewed.sort()).to.deep.equal(['draft-1', 'ready-3']);
  });
});
