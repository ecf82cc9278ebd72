import { expect } from 'chai';
import { sendKeys } from '@web/test-runner-commands';
import type { PulseBoardLoadDetail, PulseErrorDetail } from '../elements/index.ts';
import { cardsOf, scriptOf, settled, shownIds, textOf } from './board-stage.ts';
import { clearStage, eventually, openPage, stageBoard, StubBff, tokenFor, until, within } from './stage.ts';

const ASK_LATER = 'list:503-after-60';

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

  it('doesn’t break a provider’s name across lines in a narrow card', async () => {
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

  it('requests the list once and the pulses for all its cards once', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await settled(board);
    expect(await bff.asked('/v1/sources')).to.have.length(1);
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
  });

  it('loads even cards far below the viewport, because it sorts them by their pulses', async () => {
    const board = await stageBoard(new StubBff('list:ten'), { columns: '1' });
    await settled(board);
    await eventually(() => (cardsOf(board).at(-1)?.getBoundingClientRect().top ?? 0) > innerHeight + 200);
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

  it('lets the page style its cards’ parts', async () => {
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

  it('is a list for screen readers, even in browsers that ignore lists without bullets', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    await board.updateComplete;
    const list = within(board, 'ul');
    expect(getComputedStyle(list).listStyleType).to.equal('none');
    expect(list.role).to.equal('list');
    expect([...list.children].map(({ localName }) => localName)).to.deep.equal(Array(6).fill('li'));
  });

  it('dispatches an event that contains its list', async () => {
    const heard: PulseBoardLoadDetail[] = [];
    document.body.addEventListener('pulse-board-load', ({ detail }) => heard.push(detail), { once: true });
    await until(await stageBoard(new StubBff('list:stale')), 'stale');
    await eventually(() => heard.length);
    expect(heard[0]?.stale).to.equal(true);
    expect(heard[0]?.sources.map(({ id }) => id)).to.include('ready-1');
  });

  it('lists only the given provider’s sources and updates when the provider attribute changes', async () => {
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

  it('shows that the account has no sources', async () => {
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

  it('shows hostile text as text and contains only https links', async () => {
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

  it('requests the list again when the reader clicks the button, and keeps focus', async () => {
    const bff = new StubBff(`${ASK_LATER},list:ok`);
    const board = await until(await stageBoard(bff), 'error');
    within(board, '[part=retry]').focus();
    await sendKeys({ press: 'Enter' });
    await until(board, 'ready');
    await board.updateComplete;
    expect(cardsOf(board)).to.have.length(6);
    expect(document.activeElement === board).to.equal(true);
  });

  it('keeps showing the current list if a later request fails', async () => {
    const board = await until(await stageBoard(new StubBff('list:ok,list:503')), 'ready');
    await board.refresh();
    await until(board, 'stale');
    expect(cardsOf(board)).to.have.length(6);
  });
});
