import { expect } from 'chai';
import { sendKeys } from '@web/test-runner-commands';
import type { Pulse } from '../data/pulse.ts';
import type { PulseCard } from '../elements/index.ts';
import {
  clearStage,
  eventually,
  itEmulating,
  loadedChart,
  openPage,
  stageCard,
  StubBff,
  tick,
  until,
  within,
} from './stage.ts';

const AXE = '<script src="/node_modules/axe-core/axe.min.js"></script>';

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

describe('a card in the accessibility tree', () => {
  afterEach(clearStage);

  const states = [
    ['idle', ''],
    ['ready', 'ready-1'],
    ['ready', 'nameless-1'],
    ['stale', 'stale-1'],
    ['empty', 'empty-1'],
    ['error', 'down-1'],
    ['loading', 'ready-2'],
  ] as const;
  // Colors don't depend on the direction.
  for (const [look, dir] of [
    ['light', 'ltr'],
    ['dark', 'rtl'],
    ['forced colors', 'ltr'],
  ] as const) {
    const run = look === 'forced colors' ? itEmulating({ forcedColors: 'active' }) : it;
    run(`passes the accessibility checks of axe in six states, with and without a name: ${look}, ${dir}`, async () => {
      const bff = new StubBff();
      const slow = new StubBff('503-after-60');
      const hung = new StubBff('hang');
      const cards = states.map(([state, id]) => {
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
      await eventually(() => all.every((card, at) => card.state === states[at]?.[0]));
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

  it('expands with Enter, collapses with Space, and dispatches an event for both', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const told: boolean[] = [];
    document.body.addEventListener('pulse-toggle', ({ detail }) => told.push(detail.open), { once: false });
    within(card, 'summary').focus();
    await sendKeys({ press: 'Enter' });
    await eventually(() => card.open);
    await eventually(() => within<HTMLDetailsElement>(card, 'details').open);
    await sendKeys({ press: ' ' });
    await eventually(() => !card.open);
    expect(told).to.deep.equal([true, false]);
    await eventually(() => !within<HTMLDetailsElement>(card, 'details').open);
  });

  it('labels its toggle the same in both states and adds the card’s name as a description', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const label = within(card, 'summary').textContent;
    card.open = true;
    await card.updateComplete;
    expect(within(card, 'summary').textContent).to.equal(label);
    const id = within(card, '[part=toggle]').getAttribute('aria-describedby') ?? '';
    expect(card.shadowRoot?.getElementById(id)?.textContent).to.contain('US nonfarm employment');
    expect(within(card, '[part=enlarge]').hasAttribute('aria-describedby')).to.equal(false);
  });

  it('stays expanded after the browser’s search expands it', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const details = within<HTMLDetailsElement>(card, 'details');
    expect(details.open).to.equal(false);
    expect(within(card, '[part=analysis]').checkVisibility({ contentVisibilityAuto: true })).to.equal(false);
    // The browser does the same when a search finds text.
    details.open = true;
    await eventually(() => card.open);
  });

  for (const font of ['serif', 'monospace', 'system-ui'])
    for (const size of ['0.75em', '1em', '1.5em'])
      it(`has a focus ring around the words of its toggle, not through them: ${font}, ${size}`, async () => {
        const style = `font: ${size}/1.2 ${font}`;
        const card = await until(await stageCard(new StubBff(), 'ready-1', { style }), 'ready');
        const toggle = within(card, 'summary');
        toggle.focus({ focusVisible: true });
        const words = document.createRange();
        words.selectNodeContents(toggle);
        const { outlineOffset, outlineStyle } = getComputedStyle(toggle);
        expect(outlineStyle).to.equal('solid');
        const inset = -Number.parseFloat(outlineOffset) - 0.5;
        const [ring, text] = [toggle.getBoundingClientRect(), words.getBoundingClientRect()];
        expect(text.left - ring.left).to.be.at.least(inset);
        expect(text.top - ring.top).to.be.at.least(inset);
        expect(ring.bottom - text.bottom).to.be.at.least(inset);
        expect(ring.right - text.right).to.be.at.least(inset);
      });

  it('keeps focus and scroll position when a new pulse arrives', async () => {
    const card = await until(await stageCard(new StubBff(), 'new-1', { open: '' }), 'ready');
    const toggle = within(card, 'summary');
    toggle.focus();
    await card.refresh();
    expect(within(card, '[part=summary]').textContent).to.equal('Summary 2');
    expect(card.shadowRoot?.activeElement === toggle).to.equal(true);
    expect(card.open).to.equal(true);
  });

  it('lets the browser find text in a collapsed analysis', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(within(card, '[part=analysis]').childElementCount).to.equal(0);
    expect(within(card, '[part=analysis]').textContent).to.contain('Payrolls rose in every month.');
    card.open = true;
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] strong')?.textContent === 'rose');
  });

  it('opens the enlarged view, closes it with Escape, and restores focus', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(card.shadowRoot?.querySelector('dialog') === null).to.equal(true);
    const button = within(card, '[part=enlarge]');
    button.focus();
    await sendKeys({ press: 'Enter' });
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.matches(':modal'));
    expect(within(card, 'dialog').ariaLabel).to.equal('US nonfarm employment');
    await sendKeys({ press: 'Escape' });
    await eventually(() => !within<HTMLDialogElement>(card, 'dialog').open);
    expect(card.shadowRoot?.activeElement === button).to.equal(true);
  });

  for (const [what, selector] of [
    ['its button', '[part=close]'],
    ['a click outside of it', '[part=dialog]'],
  ] as const) {
    it(`closes the enlarged view with ${what}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
      within(card, '[part=enlarge]').click();
      await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
      within(card, 'dialog img').click();
      await card.updateComplete;
      expect(within<HTMLDialogElement>(card, 'dialog').open).to.equal(true);
      within(card, selector).click();
      await eventually(() => !within<HTMLDialogElement>(card, 'dialog').open);
    });
  }

  it('closes the enlarged view when the reader clicks the close button’s icon', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    card.shadowRoot?.querySelector('[part=close] path')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await eventually(() => !within<HTMLDialogElement>(card, 'dialog').open);
  });

  for (const [lang, name] of [
    ['en', 'Chart'],
    ['de', 'Diagramm'],
  ] as const) {
    it(`labels the chart "${name}" if the source has no name: ${lang}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'nameless-1', { lang }), 'ready');
      await eventually(() => within<HTMLImageElement>(card, '[part=image]').alt === name);
      within(card, '[part=enlarge]').click();
      await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
      expect(within(card, 'dialog').ariaLabel).to.equal(name);
      for (const image of card.shadowRoot?.querySelectorAll('img') ?? [])
        expect([image.alt, image.lang]).to.deep.equal([name, lang]);
    });
  }

  it('repeats neither its name nor its finding in the chart’s alt text', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const image = within<HTMLImageElement>(card, '[part=image]');
    expect(image.alt).to.equal('Chart');
    expect(image.hasAttribute('aria-describedby')).to.equal(false);
  });

  it('marks the finding, the analysis, and the chart with the AI-generated text’s language', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { lang: 'de', 'summary-lang': 'en' }), 'ready');
    await loadedChart(card);
    for (const part of ['summary', 'analysis', 'image']) expect(within(card, `[part=${part}]`).lang).to.equal('en');
  });

  it('marks the analysis’s date with the card’s own language', async () => {
    const attributes = { lang: 'de', 'summary-lang': 'en', open: '' };
    const card = await until(await stageCard(new StubBff(), 'ready-1', attributes), 'ready');
    expect(within(card, '[part=analysis] > small').lang).to.equal('de');
  });

  it('describes its chart with the finding if the card has no heading', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { variant: 'chart' }), 'ready');
    const id = within(card, '[part=image]').getAttribute('aria-describedby') ?? '';
    const description = card.shadowRoot?.getElementById(id);
    expect(description?.checkVisibility()).to.equal(false);
    expect(description?.textContent?.trim()).to.match(/^AI-generated:\s+Payrolls reached 143\.1/);
  });

  it('shows the date to readers who can’t hover', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { open: '' }), 'ready');
    const time = within<HTMLTimeElement>(card, 'time');
    expect(Number.isNaN(Date.parse(time.dateTime))).to.equal(false);
    expect(within(card, '[part=analysis] > :first-child').textContent).to.equal(time.title);
  });

  it('keeps the bullets in the analysis’s lists', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { open: '' }), 'ready');
    // The blocks of the analysis are loaded after the first paint.
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] ul'));
    expect(getComputedStyle(within(card, '[part=analysis] ul')).listStyleType).to.equal('disc');
  });

  it('keeps the analysis’s elements while it’s collapsed, so that it expands without a flash', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { open: '' }), 'ready');
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] ul'));
    const list = within(card, '[part=analysis] ul');
    card.open = false;
    await card.updateComplete;
    expect(within(card, '[part=analysis] ul')).to.equal(list);
  });

  it('focuses its toggle or its retry button on focus()', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    card.focus();
    expect(card.shadowRoot?.activeElement === within(card, '[part=toggle]')).to.equal(true);
    const failed = await until(await stageCard(new StubBff('503-after-60'), 'ready-1', { loading: 'eager' }), 'error');
    failed.focus();
    expect(failed.shadowRoot?.activeElement === within(failed, '[part=retry]')).to.equal(true);
  });

  it('has no animations', async () => {
    const bff = new StubBff('hang');
    const card = await until(await stageCard(bff, 'ready-1'), 'loading');
    await card.updateComplete;
    expect(card.shadowRoot?.getAnimations()).to.deep.equal([]);
  });

  for (const width of [240, 320]) {
    it(`doesn’t need horizontal scrolling at ${width} px and a text size of 200%`, async () => {
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

describe('a page’s announcements to screen readers', () => {
  afterEach(clearStage);

  const region = () => document.querySelector<HTMLElement>('body > [role=status]');

  it('are made once for twenty cards with the same message and then removed', async () => {
    const bff = new StubBff('503-after-60');
    const cards = await Promise.all(
      Array.from({ length: 20 }, (_, at) => stageCard(bff, `ready-${at}`, { lang: 'de', loading: 'eager' })),
    );
    await eventually(() => cards.every(({ state }) => state === 'error'));
    await eventually(() => region()?.textContent === 'Dieses Diagramm kann gerade nicht angezeigt werden.');
    expect(region()?.lang).to.equal('de');
    expect(document.querySelectorAll('[role=status]').length).to.equal(1);
    await eventually(() => region() === null);
  });

  it('put the label before AI-generated text and mark each text with its language', async () => {
    const bff = new StubBff();
    const attributes = { lang: 'de', 'summary-lang': 'en', live: '' };
    const card = await until(await stageCard(bff, 'ready-1', attributes), 'ready');
    await eventually(() => within(card, '[part=toggle]').textContent === 'Analyse lesen');
    await bff.deliver('ready-1', 'run_2');
    tick();
    await eventually(() => region()?.textContent);
    expect(region()?.textContent).to.equal('US nonfarm employment, KI-generiert: Summary of run_2');
    const [finding] = region()?.children ?? [];
    expect([region()?.lang, finding?.textContent, (finding as HTMLElement).lang]).to.deep.equal([
      'de',
      'Summary of run_2',
      'en',
    ]);
  });

  it('say only that the chart was updated if the pulse has no finding', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    card.pulse = { ...(card.currentPulse as Pulse), jobRunId: 'run_2', aiSummaryShort: null };
    await eventually(() => region()?.textContent === 'US nonfarm employment, Charts updated: 1');
  });

  it('say how many charts were updated together', async () => {
    const bff = new StubBff();
    const ids = ['ready-1', 'ready-2', 'ready-3'];
    const cards = await Promise.all(ids.map((id) => stageCard(bff, id, { lang: 'de', live: '', variant: 'text' })));
    await Promise.all(cards.map((card) => until(card, 'ready')));
    await eventually(() => within(cards[0] as PulseCard, '[part=toggle]').textContent === 'Analyse lesen');
    for (const id of ids) await bff.deliver(id, 'run_2');
    tick();
    await eventually(() => region()?.textContent === 'Aktualisierte Diagramme: 3');
  });

  it('don’t wait for a translation that hangs', async () => {
    const [fetchForReal, timeoutForReal] = [window.fetch, AbortSignal.timeout.bind(AbortSignal)];
    const limitsMs: number[] = [];
    AbortSignal.timeout = (ms) => {
      limitsMs.push(ms);
      return timeoutForReal(20);
    };
    window.fetch = (_address, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)));
    try {
      const card = await stageCard(new StubBff(), 'ready-1', { lang: 'ko', loading: 'eager' });
      await until(card, 'error');
      await eventually(() => region()?.textContent === 'This chart can’t be shown right now.');
      expect(limitsMs).to.include.members([10_000, 15_000]);
    } finally {
      window.fetch = fetchForReal;
      AbortSignal.timeout = timeoutForReal;
    }
  });

  it('aren’t made for a removed card', async () => {
    region()?.replaceChildren();
    const card = await until(await stageCard(new StubBff('503-after-60'), 'ready-1'), 'error');
    card.remove();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(region()?.textContent ?? '').to.equal('');
  });

  it('are made inside an open modal dialog', async () => {
    const dialog = document.createElement('dialog');
    dialog.className = 'stage';
    document.body.append(dialog);
    dialog.showModal();
    await stageCard(new StubBff('503-after-60'), 'ready-1', { loading: 'eager' });
    await eventually(() => dialog.querySelector('[role=status]')?.textContent);
    expect(region() === null).to.equal(true);
  });

  it('are repeated after the reader retries without success', async () => {
    const card = await until(await stageCard(new StubBff('503-after-60'), 'ready-1'), 'error');
    await eventually(() => region()?.textContent);
    const first = region();
    within(card, '[part=retry]').click();
    await until(card, 'loading');
    await until(card, 'error');
    await eventually(() => region() !== first && region()?.textContent === 'This chart can’t be shown right now.');
  });
});
