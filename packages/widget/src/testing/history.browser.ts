import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import {
  brokenRulesOf,
  clearStage,
  eventually,
  linesOf,
  restorePage,
  stageBoard,
  stageCard,
  storePage,
  StubBff,
  tokenFor,
  until,
  within,
} from './stage.ts';

const historyOf = (card: PulseCard) => card.shadowRoot?.querySelector<HTMLElement>('[part=history]');

async function shown(card: PulseCard): Promise<HTMLElement> {
  await eventually(() => historyOf(card));
  return historyOf(card) as HTMLElement;
}

const rowsOf = (history: HTMLElement) =>
  [...history.querySelectorAll('li')].map((row) => [...row.children].map((cell) => cell.textContent?.trim()));

describe('a card with history', () => {
  afterEach(clearStage);

  it('loads the earlier findings when the analysis is first expanded', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'past-1', { history: '' }), 'ready');
    expect(await bff.asked('/runs')).to.have.length(0);
    within(card, 'summary').click();
    await shown(card);
    within(card, 'summary').click();
    await eventually(() => !card.open);
    within(card, 'summary').click();
    await eventually(() => card.open);
    await card.updateComplete;
    expect(await bff.asked('/runs')).to.have.length(1);
    expect(historyOf(card)?.checkVisibility()).to.equal(true);
    expect(await brokenRulesOf(card)).to.deep.equal([]);
  });

  it('lists the five previous findings with dates, labels, links, and highlights on changed numbers', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'past-1', { history: '', open: '' }), 'ready');
    const history = await shown(card);
    expect(within(card, '[part=analysis]').lastElementChild).to.equal(history);
    const texts = rowsOf(history).map((cells) => cells.at(-1));
    expect(texts).to.deep.equal([
      'Payrolls reached 142.1 million in 2015, up 1.1%.',
      'Payrolls reached 142.2 million in 2015, up 1.1%.',
      'The text was withheld by this site.',
      'Payrolls reached 142.4 million in 2015, up 1.1%.',
      'Payrolls reached 142.5 million in 2015, up 1.1%.',
    ]);
    const marks = [...history.querySelectorAll('mark')].map(({ textContent }) => textContent);
    expect(marks).to.deep.equal(['142.1', '142.4', '142.5']);
    const labels = [...history.querySelectorAll('[part=note] span')].map(({ textContent }) => textContent);
    expect(labels).to.deep.equal(Array(4).fill('AI-generated'));
    expect(history.querySelectorAll('[ai-disclosure=ai-autonomous]')).to.have.length(4);
    const [link] = history.querySelectorAll('a');
    expect(link?.href).to.equal(`${bff.base}/embed/past-1?run=past_1`);
    expect(link?.target).to.equal('_blank');
  });

  it('requests the findings with the reader’s token and omits links if it is private', async () => {
    const bff = new StubBff('private');
    const card = await stageCard(bff, 'past-1', { history: '', open: '', token: tokenFor('ada') });
    const history = await shown(await until(card, 'ready'));
    expect(history.querySelector('a')).to.equal(null);
    expect(rowsOf(history)).to.have.length(5);
    expect(new Set(await bff.tokens()).size).to.equal(1);
    expect(await bff.tokens()).to.have.length(2);
  });

  it('removes the findings together with the pulse when the reader changes', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'past-1', { history: '', open: '' }), 'ready');
    await shown(card);
    card.reader = 'someone else';
    expect(historyOf(card)).to.equal(null);
    await shown(await until(card, 'ready'));
    expect(await bff.asked('/runs')).to.have.length(2);
  });

  it('removes the findings if the page turns history off', async () => {
    const card = await until(await stageCard(new StubBff(), 'past-1', { history: '', open: '' }), 'ready');
    await shown(card);
    card.history = false;
    await eventually(() => !historyOf(card));
  });

  it('removes the findings when the page provides a pulse, even if it is from the same run', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'past-1', { history: '', open: '' }), 'ready');
    await shown(card);
    const { currentPulse } = card;
    card.pulse = currentPulse && { ...currentPulse };
    await eventually(() => !historyOf(card));
    card.pulse = null;
    await shown(card);
    expect(await bff.asked('/runs')).to.have.length(2);
  });

  it('aborts the request for the findings when the reader changes', async () => {
    const fetchForReal = window.fetch.bind(window);
    const signals: (AbortSignal | null | undefined)[] = [];
    window.fetch = (url, init) => {
      if (!(url as string).endsWith('/runs')) return fetchForReal(url, init);
      signals.push(init?.signal);
      return new Promise(() => undefined);
    };
    try {
      const card = await until(await stageCard(new StubBff(), 'past-1', { history: '', open: '' }), 'ready');
      await eventually(() => signals.length === 1);
      card.reader = 'someone else';
      expect(signals[0]?.aborted).to.equal(true);
    } finally {
      window.fetch = fetchForReal;
    }
  });

  it('removes a private card’s findings before the browser caches the page', async () => {
    const card = await stageCard(new StubBff('own'), 'past-1', { history: '', open: '' });
    await shown(await until(card, 'ready'));
    storePage();
    expect(historyOf(card)).to.equal(null);
    restorePage();
    await shown(card);
  });

  for (const [what, behavior, sourceId, code] of [
    ['keeps no runs', 'ok', 'ready-1', 'not_found'],
    ['fails', 'noruns', 'past-1', 'internal'],
  ] as const)
    it(`doesn’t show findings and logs one line if the BFF ${what}`, async () => {
      const bff = new StubBff(behavior);
      const written = await linesOf(async (lines) => {
        const card = await until(await stageCard(bff, sourceId, { history: '', open: '' }), 'ready');
        await eventually(() => lines.length > 0);
        await card.updateComplete;
        expect(historyOf(card)).to.equal(null);
      });
      expect(written).to.deep.equal([
        `pulse-card: Can’t load earlier findings of "${sourceId}": ${code}. Check PULSE_HISTORY`,
      ]);
    });

  it('loads the findings again for a new run', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'past-1', { history: '', open: '' }), 'ready');
    await shown(card);
    await bff.deliver('past-1', 'run_9');
    await card.refresh();
    await eventually(async () => (await bff.asked('/runs')).length === 2);
    expect(rowsOf(await shown(card))).to.have.length(5);
  });

  it('shows earlier findings on a board, too', async () => {
    const board = await until(await stageBoard(new StubBff('ok,list:past'), { history: '' }), 'ready');
    const card = within<PulseCard>(board, 'pulse-card');
    await until(card, 'ready');
    card.open = true;
    expect(rowsOf(await shown(card))).to.have.length(5);
  });
});
