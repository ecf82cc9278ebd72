import { expect } from 'chai';
import type { Pulse } from '../data/pulse.ts';
import type { PulseCard } from '../elements/index.ts';
import { pulseOf } from '../fake-bff/index.ts';
import { renderPulseCard } from '../ssr/index.ts';
import { settled } from './board-stage.ts';
import { clearStage, eventually, openPage, stageBoard, stageCard, StubBff, tick, until, within } from './stage.ts';

/** The text nodes in a card's shadow root. */
function textsIn(card: Element): Text[] {
  const walker = document.createTreeWalker(card.shadowRoot as ShadowRoot, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  return texts.filter(({ data }) => data.trim() !== '');
}

/** What translators and other extensions do to a card. */
const CHANGES: Readonly<Record<string, (card: PulseCard) => void>> = {
  'wrapped each text': (card) => {
    for (const text of textsIn(card)) {
      const font = document.createElement('font');
      text.replaceWith(font);
      font.append(text);
    }
  },
  'replaced each text with an element': (card) => {
    for (const text of textsIn(card))
      text.replaceWith(Object.assign(document.createElement('font'), { textContent: 'Übersetzt' }));
  },
  'replaced each text with another text': (card) => {
    for (const text of textsIn(card)) text.replaceWith('Übersetzt');
  },
  'set the text of the finding': (card) => {
    within(card, '[part=summary]').textContent = 'Übersetzt';
  },
  'set the text of the whole card': (card) => {
    within(card, 'article').textContent = 'Übersetzt';
  },
  'removed the finding': (card) => within(card, '[part=heading]').remove(),
  'replaced the card with a copy': (card) => {
    const article = within(card, 'article');
    article.replaceWith(article.cloneNode(true));
  },
  'removed the comments': (card) => {
    const walker = document.createTreeWalker(card.shadowRoot as ShadowRoot, NodeFilter.SHOW_COMMENT);
    const comments: Comment[] = [];
    while (walker.nextNode()) comments.push(walker.currentNode as Comment);
    for (const comment of comments) comment.remove();
  },
};

describe('a card on a page that another program changes', () => {
  afterEach(clearStage);

  const pulse = pulseOf('mending-1', { jobRunId: 'run_1', aiSummaryShort: 'Finding', aiSummaryLong: 'Analysis' });

  for (const [what, change] of Object.entries(CHANGES))
    it(`shows each new run’s finding after a program has ${what}`, async () => {
      const bff = new StubBff();
      const card = await until(await stageCard(bff, 'ready-1', { open: '' }), 'ready');
      for (const run of ['run_2', 'run_3']) {
        change(card);
        await bff.deliver('ready-1', run);
        expect(await card.refresh()).to.equal('ready');
        await card.updateComplete;
        expect(card.currentPulse?.jobRunId).to.equal(run);
        expect(within(card, '[part=summary]').textContent).to.equal(`Summary of ${run}`);
        expect(within(card, 'article').textContent).not.to.contain('Übersetzt');
        expect(card.shadowRoot?.querySelectorAll('article')).to.have.length(1);
      }
    });

  for (const [what, part, text, correct, first = pulse] of [
    ['finding', 'summary', 'Corrected', (card) => (card.pulse = { ...pulse, aiSummaryShort: 'Corrected' })],
    ['analysis', 'analysis', 'Corrected', (card) => (card.pulse = { ...pulse, aiSummaryLong: 'Corrected' })],
    ['name', 'name', 'Corrected', (card) => (card.pulse = { ...pulse, sourceName: 'Corrected' })],
    ['label', 'name', 'Corrected', (card) => (card.label = 'Corrected'), { ...pulse, sourceName: null }],
    ['reviewer', 'note', 'AI-generatedAI', (card) => (card.aiReviewedRun = 'run_2')],
    ['badge', 'status', 'Updates delayed', (card) => card.refresh(), null],
  ] as [string, string, string, (card: PulseCard) => unknown, Pulse?][])
    it(`shows a new ${what} for the same run after a program has replaced each text`, async () => {
      const attributes = { label: 'Label', 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_1' };
      const card = await stageCard(new StubBff(), 'mending-1', attributes);
      card.pulse = first;
      await until(card, 'ready');
      CHANGES['replaced each text with an element']?.(card);
      await correct(card);
      await card.updateComplete;
      expect(within(card, `[part=${part}]`).textContent).to.equal(text);
    });

  it('keeps a translation until something changes', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    CHANGES['replaced each text with an element']?.(card);
    tick();
    expect(await card.refresh()).to.equal('ready');
    expect(within(card, '[part=summary]').textContent).to.equal('Übersetzt');
  });

  it('expands its analysis even after a program has removed the comments', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    CHANGES['removed the comments']?.(card);
    card.open = true;
    await card.updateComplete;
    expect(within(card, '[part=analysis]').checkVisibility()).to.equal(true);
  });

  it('shows a failure’s message even after a program has wrapped each text node', async () => {
    const card = await until(await stageCard(new StubBff('404,401'), 'ready-1'), 'error');
    CHANGES['replaced each text with an element']?.(card);
    await card.refresh();
    expect(within(card, '[part=error]').textContent).not.to.contain('Übersetzt');
  });

  it('shows the next list after a script changes the board’s text', async () => {
    const board = await until(await stageBoard(new StubBff('list:401,list:ten')), 'error');
    CHANGES['replaced each text with an element']?.(board as unknown as PulseCard);
    expect(await board.refresh()).to.equal('ready');
    expect(board.shadowRoot?.querySelectorAll('pulse-card')).to.have.length(10);
  });

  it('counts the cards that need attention after a program has replaced each text', async () => {
    const board = await until(await stageBoard(new StubBff('ok,list:rhythms')), 'ready');
    await settled(board);
    await board.updateComplete;
    CHANGES['replaced each text with an element']?.(board as unknown as PulseCard);
    await board.refresh();
    await eventually(() => /Needs attention\s+2/.test(within(board, '[part=tabs]').textContent));
  });
});

describe('a card on a morphed page', () => {
  afterEach(clearStage);

  it('uses a state instead of the open attribute, which a morph would remove', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(card.matches(':state(open)')).to.equal(false);
    within<HTMLDetailsElement>(card, 'details').open = true;
    await eventually(() => card.open);
    await card.updateComplete;
    expect(card.hasAttribute('open')).to.equal(false);
    expect(card.matches(':state(open)')).to.equal(true);
    card.open = false;
    await card.updateComplete;
    expect(card.matches(':state(open)')).to.equal(false);
  });

  it('adopts a fragment inserted with innerHTML', async () => {
    const bff = new StubBff();
    await until(await stageCard(bff, 'ready-2'), 'ready');
    const asked = (await bff.asked()).length;
    const pulse = {
      jobRunId: 'run_1',
      sourceId: 'ready-1',
      sourceName: 'Q2 revenue',
      status: 'SUCCESS',
      completedAt: new Date().toISOString(),
      imageUrl: null,
      aiSummaryShort: 'From the fragment.',
      aiSummaryLong: 'An analysis.',
    };
    const meta = { stale: false, requestedAt: new Date().toISOString() };
    const place = document.createElement('div');
    place.className = 'stage';
    document.body.append(place);
    place.innerHTML = renderPulseCard({ pulse, meta }, { sourceId: 'ready-1', baseUrl: bff.base });
    const card = place.firstElementChild as PulseCard;
    expect(card.shadowRoot?.textContent).to.contain('From the fragment.');
    await until(card, 'ready');
    expect(within(card, '[part=summary]').textContent).to.equal('From the fragment.');
    expect(card.querySelector('template')).to.equal(null);
    expect(card.shadowRoot?.querySelectorAll('article')).to.have.length(1);
    expect(await bff.asked()).to.have.length(asked);
  });
});

describe('a card in reader mode, which sees only the light DOM', () => {
  afterEach(clearStage);

  const textOf = (card: Element): string => (card.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

  it('contains its name, its label, its image, and a link once it has loaded', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    await eventually(() => textOf(card) === 'US nonfarm employment AI-generated');
    expect(card.querySelector('a')?.href).to.equal(`${bff.base}/embed/ready-1`);
    expect(card.querySelector('img')?.src).to.equal(card.currentPulse?.imageUrl);
    expect(card.querySelector('img')?.checkVisibility()).to.equal(false);
    await bff.deliver('ready-1', 'run_2');
    await card.refresh();
    expect(card.querySelectorAll('img')).to.have.length(1);
    expect(card.querySelector('img')?.src).to.contain('square.png');
  });

  it('keeps the content that the page provides', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, 'ready-1');
    card.innerHTML = '<p>From the page</p>';
    await until(card, 'ready');
    expect(card.innerHTML).to.equal('<p>From the page</p>');
  });

  for (const [what, behavior, prepare] of [
    ['a private response', 'own', () => undefined],
    ['a reader', 'ok', (card: PulseCard) => (card.reader = 'ada')],
  ] as const)
    it(`doesn’t contain anything if the card is private: ${what}`, async () => {
      const card = await stageCard(new StubBff(behavior), 'ready-1');
      prepare(card);
      await until(card, 'ready');
      expect(card.childNodes).to.have.length(0);
    });

  it('contains nothing from a source that is no longer shown', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    card.sourceId = 'unknown-1';
    await until(card, 'error');
    expect(card.childNodes).to.have.length(0);
  });

  it('has the same content when it’s rendered on a server', async () => {
    const bff = new StubBff();
    const pulse = {
      jobRunId: 'run_1',
      sourceId: 'ready-1',
      sourceName: 'Q2',
      imageUrl: 'https://charts.test/1.png',
      aiSummaryShort: 'Up.',
    };
    const html = renderPulseCard({ pulse }, { sourceId: 'ready-1', baseUrl: bff.base, isPublic: true });
    const frame = await openPage(html);
    const card = frame.contentDocument?.querySelector('pulse-card') as Element;
    expect(textOf(card).replace(/\{.*/, '')).to.equal('Q2 AI-generated');
    expect(card.querySelector('img')?.src).to.equal('https://charts.test/1.png');
  });
});

describe('a card in a theme', () => {
  afterEach(clearStage);

  /** The space between a card and the text below it, on a page with this style. */
  async function spaceBelow(style: string, tag = 'pulse-card'): Promise<number> {
    const bff = new StubBff();
    const html = `<${tag} source-id="ready-1" loading="eager"></${tag}><p>Below</p><script type="module" src="${bff.base}/pulse-board.js"></script>`;
    const { contentDocument } = await openPage(html, { style });
    const card = contentDocument?.querySelector(tag) as PulseCard;
    await until(card, 'ready');
    const below = contentDocument?.querySelector('p') as Element;
    return below.getBoundingClientRect().top - card.getBoundingClientRect().bottom;
  }

  for (const [theme, style] of [
    ['of a browser', ''],
    ['of Bootstrap or Pico', 'p{margin-top:0}'],
    ['of Tailwind', '*{margin:0;padding:0}'],
  ] as const)
    it(`leaves space between the card and the text below: ${theme}`, async () => {
      // A reset that selects all elements also selects the card.
      const reset = style.replace('*', ':not(pulse-card)');
      expect(await spaceBelow(reset)).to.equal(16);
      expect(await spaceBelow('p{margin:0}', 'pulse-board')).to.equal(16);
    });

  it('uses the margin that the page sets', async () => {
    expect(await spaceBelow('p{margin:0} pulse-card{margin:0 0 5px}')).to.equal(5);
  });
});
