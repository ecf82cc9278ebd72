import { expect } from '@open-wc/testing';
import { sendKeys, setViewport } from '@web/test-runner-commands';
import type { PulseBoard, PulseBoardLoadDetail, PulseCard, PulseErrorDetail } from '../elements/index.ts';
import { boardSnippetFor } from '../snippet/index.ts';
import {
  clearStage,
  eventually,
  itEmulating,
  loadedChart,
  openPage,
  stageBoard,
  StubBff,
  tick,
  tokenFor,
  until,
  within,
} from './stage.ts';

const ASK_LATER = 'list:503-after-60';

const cardsOf = (board: Element) => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
const textOf = (element: Element | null | undefined) => element?.textContent?.replaceAll(/\s+/g, ' ').trim();
const shownIds = (board: Element) =>
  cardsOf(board)
    .filter((card) => card.checkVisibility())
    .map(({ sourceId }) => sourceId);
const settled = (board: Element) =>
  eventually(() => cardsOf(board)[0] && cardsOf(board).every(({ state }) => /ready|empty/.test(state)));
const scriptOf = (bff: StubBff, query = '') =>
  `<script type="module" src="${bff.base}/pulse-board.js${query}"></script>`;

interface Manifest {
  readonly modules: {
    readonly declarations: { readonly tagName?: string; readonly cssParts: { readonly name: string }[] }[];
  }[];
}

describe('<pulse-board>', () => {
  afterEach(clearStage);

  it('shows every source as a card, with its name, badge, and provider', async () => {
    const board = await until(await stageBoard(new StubBff(), { loading: 'eager' }), 'ready');
    await settled(board);
    await eventually(() => cardsOf(board).at(-1)?.sourceId === 'empty-1');
    await Promise.all(cardsOf(board).map((card) => card.updateComplete));
    const facts = cardsOf(board).map(({ sourceId, shadowRoot }) => [
      sourceId,
      ...['#name', '[part=status]', '[part=source] small'].map(
        (selector) => textOf(shadowRoot?.querySelector(selector)) ?? '',
      ),
    ]);
    expect(facts).to.deep.equal([
      ['ready-1', 'US nonfarm employment', '', 'Google'],
      ['degraded-1', 'Pipeline', 'Updates delayed', 'HubSpot'],
      ['broken-1', 'Orders', 'Updates paused', 'Shopify'],
      ['draft-1', 'US nonfarm employment', 'Draft', 'Google'],
      ['ready-3', 'Ledger', '', 'QuickBooks'],
      ['empty-1', 'Store revenue', '', 'Google'],
    ]);
    expect(within(board, 'ul').getAttribute('role')).to.equal('list');
  });

  it('links to the dashboard only if the BFF exposes the link', async () => {
    const linked = await until(await stageBoard(new StubBff(), { loading: 'eager' }), 'ready');
    await settled(linked);
    const card = cardsOf(linked)[0] as Element;
    await eventually(() => card.shadowRoot?.querySelector('a'));
    const link = within<HTMLAnchorElement>(card, 'a');
    expect([link.href, link.title]).to.deep.equal(['https://dashboard.test/sources/ready-1', 'Open in the dashboard']);
    const bare = await until(await stageBoard(new StubBff('list:bare'), { loading: 'eager' }), 'ready');
    await settled(bare);
    expect(cardsOf(bare).some(({ shadowRoot }) => shadowRoot?.querySelector('a'))).to.equal(false);
  });

  it('doesn’t break a provider’s name in a narrow card', async () => {
    const board = await stageBoard(new StubBff(), { loading: 'eager' });
    board.style.width = '320px';
    await until(board, 'ready');
    await settled(board);
    for (const card of cardsOf(board)) {
      await eventually(() => card.shadowRoot?.querySelector('[part=source] small'));
      expect(within(card, '[part=source] small').getBoundingClientRect().height).to.be.below(20);
    }
  });

  for (const width of ['240px', '320px', '700px'])
    it(`keeps "AI-generated" and a provider’s long name on one line each: ${width}`, async () => {
      const board = await stageBoard(new StubBff('list:wordy'), { loading: 'eager' });
      board.style.width = width;
      await until(board, 'ready');
      await settled(board);
      for (const card of cardsOf(board)) {
        const provider = '[part=source] small';
        await eventually(() => card.shadowRoot?.querySelector('[part=note]'));
        const notes = [...(card.shadowRoot?.querySelectorAll(`[part=note], ${provider}`) ?? [])];
        expect(notes).to.have.length(2);
        for (const note of notes) {
          const { height, right } = note.getBoundingClientRect();
          expect(height, note.textContent).to.be.below(20);
          expect(right, note.textContent).to.be.at.most(within(card, 'footer').getBoundingClientRect().right);
        }
        expect(notes[0]?.scrollWidth).to.equal(notes[0]?.clientWidth);
      }
    });

  it('requests the list once, and the pulses of all its cards once', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await settled(board);
    expect(await bff.asked('/v1/sources')).to.have.length(1);
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
  });

  it('passes its properties to its cards', async () => {
    const bff = new StubBff();
    const attributes = { variant: 'compact', theme: 'dark', 'heading-level': '4', loading: 'eager', live: '' };
    const board = await until(await stageBoard(bff, attributes), 'ready');
    await board.updateComplete;
    for (const card of cardsOf(board)) {
      const { variant, theme, headingLevel, loading, live, baseUrl } = card;
      expect([variant, theme, headingLevel, loading, live, baseUrl]).to.deep.equal([
        'compact',
        'dark',
        4,
        'eager',
        true,
        bff.base,
      ]);
    }
    board.variant = 'text';
    board.live = false;
    await board.updateComplete;
    expect(cardsOf(board).map(({ variant, live }) => [variant, live])).to.deep.equal(
      Array.from({ length: 6 }, () => ['text', false]),
    );
  });

  it('lets the page style the parts of its cards', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}<pulse-board loading="eager"></pulse-board>`, {
      style: 'pulse-board::part(summary) { color: rgb(1, 2, 3) }',
    });
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board && cardsOf(board)[0]?.shadowRoot?.querySelector('[part=summary]'));
    const summary = within(cardsOf(board as Element)[0] as Element, '[part=summary]');
    expect(getComputedStyle(summary).color).to.equal('rgb(1, 2, 3)');
  });

  it('exports every part that the manifest lists for a card', async () => {
    const board = await until(await stageBoard(new StubBff(), { loading: 'eager' }), 'ready');
    await settled(board);
    const { modules } = (await (await fetch('/custom-elements.json')).json()) as Manifest;
    const declarations = modules.flatMap((module) => module.declarations);
    const card = declarations.find(({ tagName }) => tagName === 'pulse-card');
    const exported = cardsOf(board)[0]?.getAttribute('exportparts')?.split(',');
    expect(exported?.toSorted()).to.deep.equal(card?.cssParts.map(({ name }) => name).toSorted());
  });

  it('is a list for screen readers, even if the browser ignores lists without bullets', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await board.updateComplete;
    const list = within(board, 'ul');
    expect(getComputedStyle(list).listStyleType).to.equal('none');
    expect(list.role).to.equal('list');
    expect([...list.children].map(({ localName }) => localName)).to.deep.equal(Array(6).fill('li'));
  });

  it('dispatches an event with its list to the page', async () => {
    const heard: PulseBoardLoadDetail[] = [];
    document.body.addEventListener('pulse-board-load', ({ detail }) => heard.push(detail), { once: true });
    await until(await stageBoard(new StubBff('list:stale')), 'stale');
    await eventually(() => heard.length);
    expect(heard[0]?.stale).to.equal(true);
    expect(heard[0]?.sources.map(({ id }) => id)).to.include('ready-1');
  });

  it('lists only the given provider’s sources, and updates when the provider attribute changes', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { provider: 'GOOGLE' }), 'ready');
    await eventually(() => shownIds(board).length === 3);
    expect(shownIds(board)).to.deep.equal(['ready-1', 'draft-1', 'empty-1']);
    board.provider = 'A&B';
    await eventually(() => board.shadowRoot?.textContent?.includes('No sources yet.'));
    expect((await bff.asked('/v1/sources')).map((url) => url.split('?')[1])).to.deep.equal([
      'provider=GOOGLE',
      'provider=A%26B',
    ]);
  });

  it('requests the list and the pulses again on refresh()', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await settled(board);
    await board.refresh();
    expect(await bff.asked('/v1/sources')).to.have.length(2);
    expect(await bff.asked('/v1/pulses')).to.have.length(2);
  });

  it('shares its tokens with its cards', async () => {
    const bff = new StubBff('private,list:private');
    const board = await stageBoard(bff, { loading: 'eager' });
    let asked = 0;
    board.tokenProvider = () => {
      asked++;
      return tokenFor('good');
    };
    await until(board, 'ready');
    await settled(board);
    expect(asked).to.equal(1);
    expect(new Set(await bff.tokens()).size).to.equal(1);
  });

  it('says that the account has no sources', async () => {
    const board = await until(await stageBoard(new StubBff('list:empty')), 'ready');
    expect(textOf(within(board, 'slot[name=empty]'))).to.equal('No sources yet.');
    expect(cardsOf(board)).to.deep.equal([]);
  });

  it('shows skeletons, or the page’s content, until the list has loaded', async () => {
    const board = await until(await stageBoard(new StubBff('list:hang')), 'loading');
    await board.updateComplete;
    expect(board.shadowRoot?.querySelectorAll('[part=skeleton]')).to.have.length(6);
    expect(within(board, '[part=board]').ariaBusy).to.equal('true');
    board.innerHTML = '<p>Our sources</p>';
    await eventually(() => board.shadowRoot?.querySelector('[part=skeleton]') === null);
    expect(board.querySelector('p')?.checkVisibility()).to.equal(true);
  });

  it('picks up properties that were set before the element was defined', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `<pulse-board></pulse-board><script>Object.assign(document.querySelector('pulse-board'), { variant: 'text', provider: 'GOOGLE' })</script>${scriptOf(bff)}`,
    );
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board?.state === 'ready' && cardsOf(board)[0]);
    expect(cardsOf(board as Element)[0]?.variant).to.equal('text');
    await eventually(async () => (await bff.asked('provider=GOOGLE')).length === 1);
  });

  it('uses the page’s language', async () => {
    const board = await until(await stageBoard(new StubBff(), { lang: 'de' }), 'ready');
    await eventually(() => textOf(board.shadowRoot?.querySelector('.segments button')) === 'Alle 6');
  });

  it('shows hostile text as text, and contains only https links', async () => {
    const board = await until(await stageBoard(new StubBff('list:hostile'), { loading: 'eager' }), 'ready');
    await settled(board);
    const root = cardsOf(board)[0]?.shadowRoot;
    await eventually(() => root?.querySelector('small'));
    expect(textOf(root?.querySelector('#name'))).to.equal('<img src=x onerror="window.pwned = 1">');
    expect(textOf(root?.querySelectorAll('small')[1])).to.equal('"><b>');
    expect(root?.querySelector('a, b, #name img')).to.equal(null);
    expect((globalThis as { pwned?: number }).pwned).to.equal(undefined);
  });
});

describe('the order of a board', () => {
  afterEach(clearStage);

  const NEWEST = ['aged-1', 'aged-5', 'aged-48', 'aged-96', 'bare-1', 'empty-1'];
  const stageAged = async (behavior = 'ok', attributes = {}) => {
    const bff = new StubBff(`list:aged,${behavior}`);
    return { bff, board: await stageBoard(bff, attributes) };
  };

  it('is by completion time, newest first, with sources without a time or a pulse last', async () => {
    const { board } = await stageAged();
    await eventually(() => shownIds(board).length === 6);
    expect(shownIds(board)).to.deep.equal(NEWEST);
  });

  it('needs one request, even for cards that are not near the viewport', async () => {
    const bff = new StubBff('list:aged');
    const frame = await openPage(`${scriptOf(bff)}<pulse-board></pulse-board>`, {}, 320);
    frame.height = '300';
    const board = () => frame.contentDocument?.querySelector('pulse-board') as PulseBoard;
    await eventually(() => shownIds(board()).length === 6);
    expect(shownIds(board())).to.deep.equal(NEWEST);
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
    expect(board().shadowRoot?.querySelector('pulse-card:last-of-type [part=image]')).to.equal(null);
  });

  it('is not shown before the pulses have loaded, so cards don’t move around', async () => {
    const { board } = await stageAged('hang');
    await until(board, 'ready');
    await eventually(() => cardsOf(board).length === 6 && cardsOf(board).every(({ state }) => state === 'loading'));
    expect(shownIds(board)).to.deep.equal([]);
    await board.updateComplete;
    expect(within(board, 'article').checkVisibility()).to.equal(true);
    expect(within(board, '[part=board]').ariaBusy).to.equal('true');
  });

  it('does not wait for the pulses if the board is sorted by name or by attention', async () => {
    const { board } = await stageAged('hang', { sort: 'name' });
    await eventually(() => shownIds(board).length === 6);
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

describe('the bar of a board', () => {
  afterEach(clearStage);

  const choose = async (board: PulseBoard, label: string, option: string) => {
    const select = within<HTMLSelectElement>(board, `select[aria-label="${label}"]`);
    select.selectedIndex = [...select.options].findIndex((one) => textOf(one) === option);
    select.dispatchEvent(new Event('change'));
    await board.updateComplete;
  };

  it('filters by attention with the keyboard, and shows counts', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await board.updateComplete;
    const buttons = [...within(board, '.segments').querySelectorAll('button')];
    expect(buttons.map(textOf)).to.deep.equal(['All 6', 'Needs attention 3', 'Up to date 3']);
    buttons[1]?.focus();
    await sendKeys({ press: 'Enter' });
    await eventually(() => shownIds(board).length === 3);
    expect(shownIds(board)).to.deep.equal(['degraded-1', 'broken-1', 'empty-1']);
    expect(buttons.map(({ ariaPressed }) => ariaPressed)).to.deep.equal(['false', 'true', 'false']);
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: ' ' });
    await eventually(() => shownIds(board)[0] === 'ready-1');
    expect(shownIds(board).toSorted()).to.deep.equal(['draft-1', 'ready-1', 'ready-3']);
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

  it('shows all sources again when the control of a chosen filter is removed', async () => {
    const board = await until(await stageBoard(new StubBff('list:ok,list:ten')), 'ready');
    await settled(board);
    await choose(board, 'Status', 'Needs attention (3)');
    await choose(board, 'Provider', 'HubSpot (1)');
    expect(shownIds(board)).to.deep.equal(['degraded-1']);
    await board.refresh();
    await eventually(() => shownIds(board).length === 10);
  });

  it('sorts the cards, and keeps each card as the reader left it', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await settled(board);
    const [first] = cardsOf(board);
    if (first) first.open = true;
    await choose(board, 'Sort by', 'Needs attention first');
    expect(shownIds(board)).to.deep.equal(['degraded-1', 'broken-1', 'empty-1', 'ready-1', 'draft-1', 'ready-3']);
    expect(cardsOf(board)[3] === first && first?.open).to.equal(true);
    await choose(board, 'Sort by', 'Name');
    expect(cardsOf(board).map(({ _listing }) => _listing?.source.name)).to.deep.equal([
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

  it('has parts for its status buttons, for each select element, and for the order', async () => {
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

  it('starts with the order that the page has set', async () => {
    const board = await until(await stageBoard(new StubBff(), { sort: 'attention' }), 'ready');
    await board.updateComplete;
    expect(shownIds(board)[0]).to.equal('degraded-1');
  });

  it('is omitted if no filter would be useful', async () => {
    const board = await until(await stageBoard(new StubBff('list:ten')), 'ready');
    await board.updateComplete;
    expect(board.shadowRoot?.querySelector('[part=filter]') === null).to.equal(true);
  });

  it('is a row of select elements if there is little space', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}<pulse-board></pulse-board>`, {}, 390);
    const root = () => frame.contentDocument?.querySelector('pulse-board')?.shadowRoot;
    await eventually(() => root()?.querySelector('.bar'));
    expect(root()?.querySelector('.segments')?.checkVisibility()).to.equal(false);
    const options = [...(root()?.querySelectorAll('.narrow option') ?? [])].map(textOf);
    expect(options).to.deep.equal(['All (6)', 'Needs attention (3)', 'Up to date (3)']);
    expect(root()?.querySelector('.narrow select')?.checkVisibility()).to.equal(true);
    for (const label of root()?.querySelectorAll<HTMLElement>('.select') ?? []) {
      frame.contentWindow?.focus();
      label.querySelector('select')?.focus({ focusVisible: true });
      expect(label.ownerDocument.defaultView?.getComputedStyle(label).outlineStyle, label.className).to.equal('solid');
    }
  });
});

describe('a board whose list can’t be loaded', () => {
  const rejections: unknown[] = [];
  addEventListener('unhandledrejection', ({ reason }) => rejections.push(reason));
  afterEach(() => {
    clearStage();
    expect(rejections).to.deep.equal([]);
  });

  for (const [behavior, code, status, retriable] of [
    ['list:403', 'origin_forbidden', 403, false],
    ['list:429-after-60', 'rate_limited', 429, true],
    [ASK_LATER, 'upstream_unavailable', 503, true],
  ] as const) {
    it(`shows a message and dispatches an event: ${behavior}`, async () => {
      const errors: PulseErrorDetail[] = [];
      document.body.addEventListener('pulse-error', ({ detail }) => errors.push(detail), { once: true });
      const board = await until(await stageBoard(new StubBff(behavior)), 'error');
      await eventually(() => errors.length);
      const message = 'The sources can’t be shown right now.';
      expect(errors).to.deep.equal([{ sourceId: null, code, status, retriable, message }]);
      expect(within(board, '[part=error]').textContent).to.contain(message);
      expect(!!board.shadowRoot?.querySelector('[part=retry]')).to.equal(retriable);
      expect(board.matches(':state(error)')).to.equal(true);
    });
  }

  for (const behavior of ['list:not-json', 'list:500', 'list:503-after-1']) {
    it(`requests the list again automatically, and shows the response: ${behavior}`, async () => {
      const board = await stageBoard(new StubBff(`${behavior},list:ok`));
      await until(board, 'ready');
      expect(cardsOf(board)).to.have.length(6);
    });
  }

  it('requests the list again when the reader presses the button, and keeps the focus', async () => {
    const bff = new StubBff(`${ASK_LATER},list:ok`);
    const board = await until(await stageBoard(bff), 'error');
    within(board, '[part=retry]').focus();
    await sendKeys({ press: 'Enter' });
    await until(board, 'ready');
    await board.updateComplete;
    expect(cardsOf(board)).to.have.length(6);
    expect(document.activeElement === board).to.equal(true);
  });

  it('keeps a list that it already shows if a later request fails', async () => {
    const board = await until(await stageBoard(new StubBff('list:ok,list:503')), 'ready');
    await board.refresh();
    await until(board, 'stale');
    expect(cardsOf(board)).to.have.length(6);
  });
});

describe('the columns of a board', () => {
  afterEach(clearStage);

  for (const [widthPx, columns, expected] of [
    [320, '', 1],
    [600, '', 1],
    [700, '', 2],
    [1200, '', 3],
    [1200, '2', 2],
    [1200, '4', 3],
    [1200, '1', 1],
    [700, '2', 2],
    [320, '3', 1],
    [1200, 'many', 3],
  ] as const) {
    it(`are ${expected} at ${widthPx} px with columns="${columns}"`, async () => {
      await setViewport({ width: 1300, height: 1400 });
      const bff = new StubBff();
      const attribute = columns ? ` columns="${columns}"` : '';
      const frame = await openPage(`${scriptOf(bff)}<pulse-board${attribute}></pulse-board>`, {}, widthPx);
      const board = frame.contentDocument?.querySelector('pulse-board');
      await eventually(() => board?.state === 'ready' && cardsOf(board)[5]?.sourceId);
      await eventually(() => cardsOf(board as Element)[5]?.checkVisibility());
      const lefts = new Set(cardsOf(board as Element).map((card) => Math.round(card.getBoundingClientRect().left)));
      expect(lefts.size).to.equal(expected);
      expect(frame.contentDocument?.documentElement.scrollWidth).to.be.at.most(widthPx);
    });
  }

  it('don’t need horizontal scrolling at a width of 320 px and a text size of 200%', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `${scriptOf(bff)}<pulse-board columns="3"></pulse-board>`,
      { style: 'body{font-size:32px}' },
      320,
    );
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board?.state === 'ready');
    await board?.updateComplete;
    expect(frame.contentDocument?.documentElement.scrollWidth).to.be.at.most(320);
  });
});

describe('a page with a board', () => {
  afterEach(clearStage);

  it('still works with a second copy of the script in a different version', async () => {
    const bff = new StubBff();
    const watch = `<script>addEventListener('error', (e) => (window.errors ??= []).push(e.message));
      for (const level of ['warn', 'error']) console[level] = (text) => (window.warnings ??= []).push(text);</script>`;
    const frame = await openPage(
      `${watch}${scriptOf(bff)}${scriptOf(bff, '?version=9.9.9')}<pulse-board></pulse-board>`,
    );
    const page = frame.contentWindow as unknown as { warnings?: string[]; errors?: string[] };
    await eventually(() => frame.contentDocument?.querySelector('pulse-board')?.state === 'ready');
    await eventually(() => page.warnings);
    expect(page.warnings).to.have.length(1);
    expect(page.errors).to.equal(undefined);
  });

  it('doesn’t violate a strict policy', async () => {
    const origin = location.origin.replace('localhost', '127.0.0.1');
    const bff = new StubBff('ok', origin);
    const csp = `default-src 'none'; script-src ${origin}; connect-src ${origin}; img-src ${origin}; require-trusted-types-for 'script'; trusted-types lit-html`;
    const violations: string[] = [];
    const frame = await openPage(
      `${scriptOf(bff, '?delay=300')}<pulse-board columns="2" loading="eager"></pulse-board>`,
      { csp },
      600,
      (page) =>
        page.document.body.addEventListener('securitypolicyviolation', (event) =>
          violations.push(event.violatedDirective),
        ),
    );
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board && cardsOf(board)[0]?.state === 'ready');
    board?.shadowRoot?.querySelector('button')?.click();
    await board?.updateComplete;
    expect(violations).to.deep.equal([]);
  });

  // The direction is left out, because colors don't depend on it.
  for (const [look, dir] of [
    ['light', 'ltr'],
    ['light', 'rtl'],
    ['dark', 'ltr'],
    ['forced colors', 'ltr'],
  ] as const) {
    const run = look === 'forced colors' ? itEmulating({ forcedColors: 'active' }) : it;
    run(
      `passes the accessibility checks of axe with a list, without sources, after a failure, and while loading: ${look}, ${dir}`,
      async () => {
        const bffs = ['ok', 'list:empty', ASK_LATER, 'list:hang'].map((behavior) => new StubBff(behavior));
        const theme = look === 'dark' ? 'dark' : 'light';
        const boards = bffs.map(
          ({ base }) =>
            `<pulse-board loading="eager" heading-level="2" base-url="${base}" theme="${theme}"></pulse-board>`,
        );
        const frame = await openPage(
          `<script src="/node_modules/axe-core/axe.min.js"></script>${scriptOf(bffs[0] as StubBff)}<main><h1>Sources</h1>${boards.join('')}</main>`,
          { dir, lang: dir === 'rtl' ? 'ar' : 'en', scheme: theme },
        );
        const all = [...(frame.contentDocument?.querySelectorAll('pulse-board') ?? [])];
        const states = ['ready', 'ready', 'error', 'loading'];
        await eventually(() => all.every(({ state }, at) => state === states[at]));
        const listed = all[0] as Element;
        await eventually(() => cardsOf(listed)[0]?.state === 'ready');
        await eventually(() => listed.shadowRoot?.querySelector('.segments button'));
        within(listed, '.segments button').click();
        await all[0]?.updateComplete;
        const { axe } = frame.contentWindow as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { failureSummary: string; html: string }[] }[] }> };
        };
        const { violations } = await axe.run();
        expect(
          violations.flatMap(({ id, nodes }) =>
            nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
          ),
        ).to.deep.equal([]);
      },
    );
  }
});

describe('the reserved space of a board', () => {
  afterEach(clearStage);

  const BELOW = '<p>Text below the board, which must not move.</p>'.repeat(8);

  /** Loads the board in a separate page, with a late script and late data, and returns the layout shift. */
  async function shiftOf(bff: StubBff, html: string, widthPx: number): Promise<number> {
    await setViewport({ width: 1300, height: 1700 });
    const frame = await openPage(html.replace('pulse-board.js', 'pulse-board.js?delay=700') + BELOW, {}, widthPx);
    const page = frame.contentWindow as Window & typeof globalThis;
    const shifts: PerformanceEntry[] = [];
    new page.PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({
      type: 'layout-shift',
      buffered: true,
    });
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board && cardsOf(board)[0]?.state === 'ready');
    await loadedChart(board && cardsOf(board)[0]);
    await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
    return shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0);
  }

  for (const widthPx of [320, 600, 1200]) {
    it(`is a screen’s height in the snippet, so that nothing moves at ${widthPx} px`, async () => {
      const bff = new StubBff('ok+400,list:ten+400');
      expect(await shiftOf(bff, boardSnippetFor({ baseUrl: bff.base }), widthPx)).to.be.at.most(0.001);
    });
  }
});
