import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys, setViewport } from '@web/test-runner-commands';
import type { PulseBoardLoadDetail, PulseErrorDetail } from '../pulse-events.ts';
import { boardSnippetFor } from '../snippet.ts';
import { clearStage, eventually, openPage, stageBoard, StubBff, tokenFor, until, within } from './stage.ts';

const ASK_LATER = 'list:503-after-60';

const cardsOf = (board: Element) => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
const textOf = (element: Element) => element.textContent?.replace(/\s+/g, ' ').trim();
const factsOf = (board: Element) =>
  [...(board.shadowRoot?.querySelectorAll('[part=facts]') ?? [])].map(({ children }) =>
    [...children].map(textOf).join(' ').trim(),
  );
const shownIds = (board: Element) =>
  cardsOf(board)
    .filter((card) => card.checkVisibility())
    .map(({ sourceId }) => sourceId);
const scriptOf = (bff: StubBff, query = '') =>
  `<script type="module" src="${bff.base}/pulse-card.js${query}"></script>`;

describe('<pulse-board>', () => {
  afterEach(clearStage);

  it('lists every source in the order of the list, with status, meaning, provider, connections and dashboard', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    expect(factsOf(board)).to.deep.equal([
      'ACTIVE · Delivering on schedule GOOGLE Connections: 0 Open in the dashboard',
      'DEGRADED · Needs attention HUBSPOT Connections: 1 Open in the dashboard',
      'BROKEN · Needs reconnection SHOPIFY Connections: 2 Open in the dashboard',
      'DRAFT · Not ready to deliver GOOGLE Connections: 3 Open in the dashboard',
      'PENDING · Not authorized yet GOOGLE Connections: 4 Open in the dashboard',
      'PAUSED QUICKBOOKS Connections: 5 Open in the dashboard',
    ]);
    expect(within<HTMLAnchorElement>(board, '[part=link]').href).to.equal('https://dashboard.test/sources/ready-1');
    expect(cardsOf(board).map(({ sourceId }) => sourceId)).to.deep.equal([
      'ready-1',
      'degraded-1',
      'broken-1',
      'ready-2',
      'empty-1',
      'ready-3',
    ]);
  });

  it('leaves out what the BFF does not expose', async () => {
    const board = await until(await stageBoard(new StubBff('list:bare')), 'ready');
    expect(factsOf(board)[0]).to.equal('ACTIVE · Delivering on schedule GOOGLE');
    expect(board.shadowRoot?.querySelector('a[href]')).to.equal(null);
  });

  it('names each card as its source is named now, and one without a name after its pulse', async () => {
    const board = await until(await stageBoard(new StubBff(), { loading: 'eager' }), 'ready');
    const cards = cardsOf(board);
    await eventually(() => cards.every(({ state }) => /ready|empty/.test(state)));
    const names = cards.map((card) => {
      const slot = within<HTMLSlotElement>(card, 'slot[name=heading]');
      return slot.assignedElements()[0]?.textContent ?? slot.textContent;
    });
    expect(names).to.deep.equal([
      'US nonfarm employment',
      'Pipeline',
      'Orders',
      'US nonfarm employment',
      'Store revenue',
      'Ledger',
    ]);
  });

  it('asks once for the list and once for all its cards', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await eventually(() => cardsOf(board).every(({ state }) => /ready|empty/.test(state)));
    expect(await bff.asked('/v1/sources')).to.have.length(1);
    expect(await bff.asked('/v1/pulses')).to.have.length(1);
  });

  it('hands on to its cards how they are to be', async () => {
    const attributes = { variant: 'compact', theme: 'dark', 'heading-level': '4', loading: 'eager', live: '' };
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, attributes), 'ready');
    for (const card of cardsOf(board)) {
      for (const [name, value] of Object.entries({ ...attributes, 'base-url': bff.base })) {
        expect(card.getAttribute(name), name).to.equal(value);
      }
    }
    board.variant = 'text';
    board.live = false;
    await board.updateComplete;
    expect(cardsOf(board).map(({ variant }) => variant)).to.deep.equal(Array(6).fill('text'));
    expect(cardsOf(board).some((card) => card.hasAttribute('live'))).to.equal(false);
  });

  it('tells the page of its list', async () => {
    const heard: PulseBoardLoadDetail[] = [];
    const bff = new StubBff('list:stale');
    document.body.addEventListener('pulse-board-load', ({ detail }) => heard.push(detail), { once: true });
    await until(await stageBoard(bff), 'stale');
    await eventually(() => heard.length);
    expect(heard[0]?.stale).to.equal(true);
    expect(heard[0]?.sources.map(({ id }) => id)).to.include('ready-1');
  });

  it('asks for the sources of one provider alone, and follows that attribute', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { provider: 'GOOGLE' }), 'ready');
    expect(shownIds(board)).to.deep.equal(['ready-1', 'ready-2', 'empty-1']);
    expect(board.shadowRoot?.querySelector('[part=filter]')).to.equal(null);
    board.provider = 'A&B';
    await eventually(() => board.state === 'ready');
    await eventually(() => board.shadowRoot?.textContent?.includes('No sources yet.'));
    expect((await bff.asked('/v1/sources')).map((url) => url.split('?')[1])).to.deep.equal([
      'provider=GOOGLE',
      'provider=A%26B',
    ]);
  });

  it('asks for list and pulses again when the page wishes', async () => {
    const bff = new StubBff();
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    await eventually(() => cardsOf(board).every(({ state }) => /ready|empty/.test(state)));
    await board.refresh();
    expect(await bff.asked('/v1/sources')).to.have.length(2);
    expect(await bff.asked('/v1/pulses')).to.have.length(2);
  });

  it('asks once for a token, for the list and for all its cards', async () => {
    const bff = new StubBff('private,list:private');
    const board = await stageBoard(bff, { loading: 'eager' });
    let asked = 0;
    board.tokenProvider = () => {
      asked++;
      return tokenFor('good');
    };
    await until(board, 'ready');
    await eventually(() => cardsOf(board).every(({ state }) => /ready|empty/.test(state)));
    expect(asked).to.equal(1);
    expect(await bff.tokens()).to.deep.equal([tokenFor('good'), tokenFor('good')]);
  });

  it('says that the account has no sources', async () => {
    const board = await until(await stageBoard(new StubBff('list:empty')), 'ready');
    expect(within(board, 'slot[name=empty]').textContent).to.equal('No sources yet.');
    expect(cardsOf(board)).to.deep.equal([]);
  });

  it('shows bones until the list is there, or what the page gives', async () => {
    const board = await until(await stageBoard(new StubBff('list:hang')), 'loading');
    await board.updateComplete;
    const bones = cardsOf(board).map((card) => within(card, '[part=skeleton]').checkVisibility());
    expect(bones).to.deep.equal(Array(6).fill(true));
    expect(within(board, '[part=board]').ariaBusy).to.equal('true');
    board.innerHTML = '<p>Our sources</p>';
    expect(board.querySelector('p')?.checkVisibility()).to.equal(true);
    expect(cardsOf(board).some((card) => card.checkVisibility())).to.equal(false);
  });

  it('takes over properties that were set before it was defined', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `<pulse-board></pulse-board><script>Object.assign(document.querySelector('pulse-board'), { variant: 'text', provider: 'GOOGLE' })</script>${scriptOf(bff)}`,
    );
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board?.state === 'ready');
    expect(board?.getAttribute('variant')).to.equal('text');
    expect(await bff.asked('provider=GOOGLE')).to.have.length(1);
  });

  it('says all of it in the language of the page', async () => {
    const board = await until(await stageBoard(new StubBff(), { lang: 'de' }), 'ready');
    await eventually(
      () => factsOf(board)[0] === 'ACTIVE · Liefert nach Plan GOOGLE Verbindungen: 0 Im Dashboard öffnen',
    );
    expect(within(board, '[part=filter]').ariaLabel).to.equal('Anbieter');
  });

  it('shows hostile text as text, and leads nowhere but to https', async () => {
    const board = await until(await stageBoard(new StubBff('list:hostile')), 'ready');
    expect(factsOf(board)[0]).to.equal('PLATE BOARD "><b> Connections: 0');
    expect(board.shadowRoot?.querySelector('a[href]')).to.equal(null);
    expect(board.shadowRoot?.querySelector('img, b')).to.equal(null);
    expect(within(board, '[slot=heading]').textContent).to.equal('<img src=x onerror="window.pwned = 1">');
    expect((globalThis as { pwned?: number }).pwned).to.equal(undefined);
  });
});

describe('the filter of a board', () => {
  afterEach(clearStage);

  it('leaves the sources of the provider that is pressed, and all when that is pressed again', async () => {
    const board = await until(await stageBoard(new StubBff()), 'ready');
    const buttons = [...within(board, '[part=filter]').querySelectorAll('button')];
    expect(buttons.map(textOf)).to.deep.equal(['GOOGLE', 'HUBSPOT', 'SHOPIFY', 'QUICKBOOKS']);
    buttons[0]?.focus();
    await sendKeys({ press: 'Enter' });
    await board.updateComplete;
    expect(shownIds(board)).to.deep.equal(['ready-1', 'ready-2', 'empty-1']);
    expect(buttons.map(({ ariaPressed }) => ariaPressed)).to.deep.equal(['true', 'false', 'false', 'false']);
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Space' });
    await board.updateComplete;
    expect(shownIds(board)).to.deep.equal(['degraded-1']);
    await sendKeys({ press: 'Space' });
    await board.updateComplete;
    expect(shownIds(board)).to.have.length(6);
  });
});

describe('a board that gets no list', () => {
  const rejections: unknown[] = [];
  addEventListener('unhandledrejection', ({ reason }) => rejections.push(reason));
  afterEach(() => {
    clearStage();
    expect(rejections).to.deep.equal([]);
  });

  for (const [behaviour, code, status, retriable] of [
    ['list:403', 'origin_forbidden', 403, false],
    ['list:429-after-60', 'rate_limited', 429, true],
    [ASK_LATER, 'upstream_unavailable', 503, true],
  ] as const) {
    it(`says so in words and in an event: ${behaviour}`, async () => {
      const errors: PulseErrorDetail[] = [];
      document.body.addEventListener('pulse-error', ({ detail }) => errors.push(detail), { once: true });
      const board = await until(await stageBoard(new StubBff(behaviour)), 'error');
      await eventually(() => errors.length);
      const message = 'The sources can’t be shown right now.';
      expect(errors).to.deep.equal([{ code, status, retriable, message }]);
      expect(within(board, '[part=error]').textContent).to.contain(message);
      expect(!!board.shadowRoot?.querySelector('[part=error] button')).to.equal(retriable);
      expect(board.matches(':state(error)')).to.equal(true);
    });
  }

  for (const behaviour of ['list:not-json', 'list:500', 'list:503-after-1']) {
    it(`asks again by itself, and shows what comes then: ${behaviour}`, async () => {
      const board = await stageBoard(new StubBff(`${behaviour},list:ok`));
      await until(board, 'ready');
      expect(cardsOf(board)).to.have.length(6);
    });
  }

  it('tries again when the reader presses the button, and keeps the focus', async () => {
    const bff = new StubBff(`${ASK_LATER},list:ok`);
    const board = await until(await stageBoard(bff), 'error');
    within(board, '[part=error] button').focus();
    await sendKeys({ press: 'Enter' });
    await until(board, 'ready');
    expect(cardsOf(board)).to.have.length(6);
    expect(document.activeElement === board).to.equal(true);
  });

  it('keeps the list that it has', async () => {
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
    [600, '', 2],
    [1200, '', 3],
    [1200, '2', 2],
    [1200, '4', 4],
    [1200, '1', 1],
    [600, '2', 2],
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
      const lefts = new Set(cardsOf(board as Element).map((card) => Math.round(card.getBoundingClientRect().left)));
      expect(lefts.size).to.equal(expected);
      expect(frame.contentDocument?.documentElement.scrollWidth).to.be.at.most(widthPx);
    });
  }

  it('need no sideways scrolling at 320 px and 200 % text', async () => {
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
  afterEach(async () => {
    clearStage();
    await emulateMedia({ forcedColors: 'none' });
  });

  it('is not harmed by a second copy of the script, in another version', async () => {
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

  it('violates no strict policy', async () => {
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

  for (const look of ['light', 'dark', 'forced colours'] as const) {
    for (const dir of ['ltr', 'rtl'] as const) {
      it(`has no fault that axe finds, listing, empty, failing and loading: ${look}, ${dir}`, async () => {
        if (look === 'forced colours') await emulateMedia({ forcedColors: 'active' });
        const bffs = ['ok', 'list:empty', ASK_LATER, 'list:hang'].map((behaviour) => new StubBff(behaviour));
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
        within(listed, 'button').click();
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
      });
    }
  }
});

describe('the room of a board', () => {
  afterEach(clearStage);

  const BELOW = '<p>Text below the board, which must not move.</p>'.repeat(8);

  /** Loads the board in a page of its own, script and data late, and adds up what moved. */
  async function shiftOf(bff: StubBff, html: string, widthPx: number): Promise<number> {
    await setViewport({ width: 1300, height: 1700 });
    const frame = await openPage(html.replace('pulse-card.js', 'pulse-card.js?delay=700') + BELOW, {}, widthPx);
    const page = frame.contentWindow as Window & typeof globalThis;
    const shifts: PerformanceEntry[] = [];
    new page.PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({
      type: 'layout-shift',
      buffered: true,
    });
    const board = frame.contentDocument?.querySelector('pulse-board');
    await eventually(() => board && cardsOf(board)[0]?.state === 'ready');
    const image = board && cardsOf(board)[0]?.shadowRoot?.querySelector('img');
    await eventually(() => image?.complete);
    await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
    return shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0);
  }

  for (const widthPx of [320, 600, 1200]) {
    it(`is a screen in the snippet, so that nothing moves at ${widthPx} px`, async () => {
      const bff = new StubBff('ok+400,list:ten+400');
      expect(await shiftOf(bff, boardSnippetFor({ baseUrl: bff.base }), widthPx)).to.be.at.most(0.001);
    });
  }
});
