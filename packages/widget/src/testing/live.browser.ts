import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import {
  advance,
  clearStage,
  eventually,
  itEmulating,
  loadAfterPaint,
  openPage,
  setHidden,
  stageCard,
  StubBff,
  tick,
  until,
  within,
} from './stage.ts';

/** The runs that a card reports to the page, in order. */
function updatesOf(card: PulseCard): string[] {
  const runs: string[] = [];
  card.addEventListener('pulse-update', ({ detail }) =>
    runs.push(`${detail.previous.jobRunId}>${detail.pulse.jobRunId}`),
  );
  return runs;
}

/** Puts a live card on the page, waits until it shows the first pulse, and then delivers a new run. */
async function stageLive(attributes: Readonly<Record<string, string>> = {}) {
  const bff = new StubBff();
  const card = await until(await stageCard(bff, 'ready-1', { live: '', ...attributes }), 'ready');
  await bff.deliver('ready-1', 'run_2');
  return { bff, card, updates: updatesOf(card) };
}

const region = () => document.querySelector('body > [role=status]');

describe('a live card', () => {
  before(loadAfterPaint);
  afterEach(clearStage);

  it('sends a request every 30 seconds, shows a new pulse, and dispatches an event for it', async () => {
    const { bff, card, updates } = await stageLive();
    tick();
    await eventually(() => updates.length);
    expect(within(card, '[part=summary]').textContent).to.equal('Summary of run_2');
    expect(within<HTMLImageElement>(card, '[part=image]').src).to.contain('square.png');
    expect([updates, card.state]).to.deep.equal([['run_1>run_2'], 'ready']);
    tick();
    await eventually(async () => (await bff.asked()).length === 3);
    expect(updates).to.have.length(1);
  });

  it('shares one request with all visible live cards on the page', async () => {
    const bff = new StubBff();
    const far = document.createElement('div');
    far.className = 'stage';
    far.style.height = '12000px';
    const seen = ['ready-1', 'ready-2', 'ready-2'].map((id) => stageCard(bff, id, { live: '', variant: 'text' }));
    await Promise.all(seen.map(async (card) => until(await card, 'ready')));
    document.body.append(far);
    await until(await stageCard(bff, 'ready-3', { live: '', loading: 'eager' }), 'ready');
    await until(await stageCard(bff, 'ready-4', { loading: 'eager' }), 'ready');
    const before = (await bff.asked()).length;
    tick();
    await eventually(async () => (await bff.asked()).length > before);
    expect((await bff.asked()).slice(before)).to.deep.equal([
      `${new URL(bff.base).pathname}/v1/pulses?ids=ready-1,ready-2`,
    ]);
  });

  it('sends no requests while the page is hidden, and sends one when it is shown again', async () => {
    const { bff, card, updates } = await stageLive();
    setHidden(true);
    tick();
    advance(59_000);
    setHidden(false);
    setHidden(true);
    advance(61_000);
    expect(await bff.asked()).to.have.length(1);
    setHidden(false);
    await eventually(() => updates.length);
    expect(await bff.asked()).to.have.length(2);
    expect(card.state).to.equal('ready');
  });

  it('starts and stops its requests as the live attribute is added and removed', async () => {
    const { bff, card, updates } = await stageLive();
    card.live = false;
    tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await bff.asked()).to.have.length(1);
    card.live = true;
    tick();
    await eventually(() => updates.length);
  });

  it('sends no requests after it’s removed', async () => {
    const { bff, card } = await stageLive();
    card.remove();
    tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await bff.asked()).to.have.length(1);
  });

  it('keeps its expanded state, focus, and scroll position', async () => {
    const { card, updates } = await stageLive({ open: '' });
    const toggle = within(card, 'summary');
    toggle.focus();
    const below = document.createElement('div');
    below.className = 'stage';
    below.style.height = '3000px';
    document.body.append(below);
    scrollTo(0, 200);
    const scrolled = scrollY;
    tick();
    await eventually(() => updates.length);
    expect(card.open).to.equal(true);
    expect(within<HTMLDetailsElement>(card, 'details').open).to.equal(true);
    expect(card.shadowRoot?.activeElement === toggle).to.equal(true);
    expect(scrollY).to.equal(scrolled);
    scrollTo(0, 0);
  });

  it('fades in a new pulse', async () => {
    const { card } = await stageLive();
    const faded = new Promise((resolve) => {
      card.addEventListener('pulse-update', () => resolve(within(card, '[part=base]').getAnimations().length));
    });
    tick();
    expect(await faded).to.equal(1);
  });

  itEmulating({ reducedMotion: 'reduce' })('has no animation for readers who prefer reduced motion', async () => {
    const { card } = await stageLive();
    const faded = new Promise((resolve) => {
      card.addEventListener('pulse-update', () => resolve(document.getAnimations().length));
    });
    tick();
    expect(await faded).to.equal(0);
  });

  it('announces a new pulse once, in the page’s only live region', async () => {
    const { bff, updates } = await stageLive();
    // Without this pause, the second card would show the response that the first card received.
    advance(15_000);
    const other = await until(await stageCard(bff, 'ready-1', { live: '' }), 'ready');
    const said: (string | null)[] = [];
    const counts: number[] = [];
    const observer = new MutationObserver(() => {
      said.push(region()?.textContent ?? null);
      counts.push(document.querySelectorAll('body > [role=status]').length);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    expect(within(other, '[part=summary]').textContent).to.equal('Summary of run_2');
    tick();
    await eventually(() => updates.length && region()?.textContent);
    tick();
    await new Promise((resolve) => setTimeout(resolve, 700));
    observer.disconnect();
    expect(Math.max(...counts)).to.equal(1);
    expect(new Set(said.filter(Boolean))).to.deep.equal(
      new Set(['US nonfarm employment, AI-generated: Summary of run_2']),
    );
    expect(updates).to.have.length(1);
  });

  it('shows the first pulse of a source', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'empty-1', { live: '' }), 'empty');
    await bff.deliver('empty-1', 'run_1');
    tick();
    await until(card, 'ready');
  });

  it('retries the request for a source without a pulse when the reader returns to the page', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'empty-1'), 'empty');
    await bff.deliver('empty-1', 'run_1');
    setHidden(true);
    setHidden(false);
    await until(card, 'ready');
  });

  it('sends its requests at random intervals of 24 to 36 seconds', async () => {
    const periods: number[] = [];
    Object.assign(globalThis, { periods });
    const bff = new StubBff();
    for (const random of [0, 0.5, 0.999]) {
      await openPage(
        `<script>Math.random = () => ${random}; setInterval = (_, ms) => parent.periods.push(ms)</script>
        <pulse-card source-id="ready-1"></pulse-card><script type="module" src="${bff.base}/pulse-card.js"></script>`,
      );
    }
    expect(periods.map(Math.round)).to.deep.equal([24_000, 30_000, 35_988]);
  });
});

describe('every card', () => {
  afterEach(clearStage);

  it('sends a request when its page becomes visible again after more than a minute', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    await bff.deliver('ready-1', 'run_2');
    setHidden(true);
    advance(61_000);
    setHidden(false);
    await eventually(() => within(card, '[part=summary]').textContent === 'Summary of run_2');
  });

  it('sends a request when a page that was opened in the background becomes visible after more than a minute', async () => {
    const bff = new StubBff();
    const page = `<script>setVisible = (value) => {
      Object.defineProperty(document, 'hidden', { value: !value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    setVisible(false)</script>`;
    const frame = await openPage(
      `${page}<pulse-card source-id="ready-1" loading="eager"></pulse-card><script type="module" src="${bff.base}/pulse-card.js"></script>`,
    );
    const view = frame.contentWindow as Window & typeof globalThis & { setVisible(value: boolean): void };
    const card = view.document.querySelector('pulse-card') as PulseCard;
    await eventually(() => card.state === 'ready');
    view.Date.now = () => Date.now() + 61_000;
    view.setVisible(true);
    await eventually(async () => (await bff.asked()).length === 2, 5_000);
  });

  it('sends a request when its page comes back online', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    await bff.deliver('ready-1', 'run_2');
    dispatchEvent(new Event('online'));
    await eventually(() => within(card, '[part=summary]').textContent === 'Summary of run_2');
  });

  it('continues to retry automatically after an outage, together with all other failed cards', async () => {
    const bff = new StubBff('503-after-60,503-after-60,ok');
    const cards = [];
    for (const id of ['ready-1', 'ready-2']) cards.push(await until(await stageCard(bff, id), 'error'));
    expect(await bff.asked()).to.have.length(2);
    tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await bff.asked()).to.have.length(2);
    advance(65_000);
    tick();
    for (const card of cards) await until(card, 'ready');
    expect((await bff.asked())[2]).to.contain('?ids=ready-1,ready-2');
  });
});
