import { expect } from 'chai';
import { setViewport } from '@web/test-runner-commands';
import { boardSnippetFor } from '../snippet/index.ts';
import { cardsOf, scriptOf } from './board-stage.ts';
import { clearStage, eventually, itEmulating, loadedChart, openPage, StubBff, within } from './stage.ts';

const ASK_LATER = 'list:503-after-60';

describe('a board’s columns', () => {
  afterEach(clearStage);

  for (const [widthPx, columns, expected] of [
    [600, '', 1],
    [700, '', 2],
    [1200, '2', 2],
    [1200, '4', 3],
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

  it('still works if a different version of the script is also loaded', async () => {
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

  // Colors don't depend on the direction.
  for (const [look, dir] of [
    ['light', 'ltr'],
    ['dark', 'rtl'],
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

describe('a board’s reserved space', () => {
  afterEach(clearStage);

  const BELOW = '<p>Text below the board, which must not move.</p>'.repeat(8);

  /** Loads the board in a separate page, with a delayed script and delayed data. Returns the layout shift. */
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
