import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { clearStage, eventually, openPage, stageCard, StubBff, until, within } from './stage.ts';

const AXE = '<script src="/node_modules/axe-core/axe.min.js"></script>';

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

describe('a card in the accessibility tree', () => {
  afterEach(async () => {
    clearStage();
    await emulateMedia({ forcedColors: 'none' });
  });

  const states = {
    idle: '',
    ready: 'ready-1',
    stale: 'stale-1',
    empty: 'empty-1',
    error: 'down-1',
    loading: 'ready-2',
  };
  for (const look of ['light', 'dark', 'forced colours'] as const) {
    for (const dir of ['ltr', 'rtl'] as const) {
      it(`has no fault that axe finds, in six states: ${look}, ${dir}`, async () => {
        if (look === 'forced colours') await emulateMedia({ forcedColors: 'active' });
        const bff = new StubBff();
        const slow = new StubBff('503-after-60');
        const hung = new StubBff('hang');
        const cards = Object.entries(states).map(([state, id]) => {
          const base = state === 'loading' ? hung.base : state === 'error' ? slow.base : bff.base;
          return `<pulse-card loading="eager" open source-id="${id}" base-url="${base}" theme="${look === 'dark' ? 'dark' : 'light'}"></pulse-card>`;
        });
        const html = `${AXE}<script type="module" src="${bff.base}/pulse-card.js"></script><main><h1>Reports</h1><h2>Today</h2>${cards.join('')}</main>`;
        const frame = await openPage(html, {
          dir,
          lang: dir === 'rtl' ? 'ar' : 'en',
          scheme: look === 'dark' ? 'dark' : 'light',
        });
        const all = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
        await eventually(() => all.every((card, at) => card.state === Object.keys(states)[at]));
        await eventually(() => all.every((card) => card.shadowRoot?.querySelector('article')));
        const { axe } = frame.contentWindow as unknown as { axe: Axe };
        const { violations } = await axe.run();
        expect(
          violations.flatMap(({ id, nodes }) =>
            nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
          ),
        ).to.deep.equal([]);
      });
    }
  }

  it('unfolds by Enter, folds by Space, and tells the page', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const told: boolean[] = [];
    document.body.addEventListener('pulse-toggle', ({ detail }) => told.push(detail.open), { once: false });
    within(card, 'summary').focus();
    await sendKeys({ press: 'Enter' });
    await eventually(() => card.open);
    expect(within(card, 'summary').textContent).to.equal('Hide the analysis');
    await sendKeys({ press: 'Space' });
    await eventually(() => !card.open);
    expect(told).to.deep.equal([true, false]);
    expect(card.hasAttribute('open')).to.equal(false);
  });

  it('stays unfolded where the search of the browser unfolded it', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const details = within<HTMLDetailsElement>(card, 'details');
    expect(details.open).to.equal(false);
    expect(within(card, '[part=analysis]').checkVisibility({ contentVisibilityAuto: true })).to.equal(false);
    // What a browser does with what it found.
    details.open = true;
    await eventually(() => card.open);
  });

  it('keeps focus and place while a new pulse arrives', async () => {
    const card = await until(await stageCard(new StubBff(), 'new-1', { open: '' }), 'ready');
    const toggle = within(card, 'summary');
    toggle.focus();
    await card.refresh();
    expect(within(card, '[part=summary]').textContent).to.equal('Summary 2');
    expect(card.shadowRoot?.activeElement === toggle).to.equal(true);
    expect(card.open).to.equal(true);
  });

  it('shows its chart large, closes by Escape and gives the focus back', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const button = within(card, '[aria-label="Enlarge the chart"]');
    button.focus();
    await sendKeys({ press: 'Enter' });
    const dialog = within<HTMLDialogElement>(card, 'dialog');
    await eventually(() => dialog.matches(':modal'));
    await sendKeys({ press: 'Escape' });
    await eventually(() => !dialog.open);
    expect(card.shadowRoot?.activeElement === button).to.equal(true);
  });

  it('closes the large chart by a click', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    within(card, '[aria-label="Enlarge the chart"]').click();
    const dialog = within<HTMLDialogElement>(card, 'dialog');
    expect(dialog.open).to.equal(true);
    within(dialog.getRootNode() instanceof ShadowRoot ? card : card, 'dialog button').click();
    expect(dialog.open).to.equal(false);
  });

  it('says the date to those who can’t see how long ago', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { open: '' }), 'ready');
    const time = within<HTMLTimeElement>(card, 'time');
    expect(Number.isNaN(Date.parse(time.dateTime))).to.equal(false);
    expect(within(card, '[part=analysis] small').textContent?.trim()).to.equal(time.title);
  });

  it('holds still', async () => {
    const bff = new StubBff('hang');
    const card = await until(await stageCard(bff, 'ready-1'), 'loading');
    await card.updateComplete;
    expect(card.shadowRoot?.getAnimations()).to.deep.equal([]);
  });

  for (const width of [240, 320]) {
    it(`needs no sideways scrolling at ${width} px and 200 % text`, async () => {
      const bff = new StubBff();
      const kinds = ['ready', 'stale', 'broken', 'empty', 'unknown', 'wordy', 'arabic', 'noimage'];
      const cards = kinds
        .map((kind) => `<pulse-card source-id="${kind}-1" loading="eager" open></pulse-card>`)
        .join('');
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script>${cards}`,
        { style: 'body{font-size:32px}' },
        width,
      );
      const all = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
      await eventually(() => all.every(({ state }) => /ready|stale|empty|error/.test(state)));
      expect(frame.contentDocument?.documentElement.scrollWidth).to.be.at.most(width);
    });
  }
});
