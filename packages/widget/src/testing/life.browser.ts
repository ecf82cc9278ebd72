import { expect } from 'chai';
import { clearStage, eventually, loadAfterPaint, openPage, stageCard, StubBff, until, within } from './stage.ts';

describe('a card’s life cycle', () => {
  afterEach(clearStage);

  it('keeps its state when it is moved within the page', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1', { open: '' }), 'ready');
    const inside = within(card, 'article');
    const other = document.createElement('div');
    other.className = 'stage';
    document.body.append(other);
    other.append(card);
    document.body.append(card);
    await card.updateComplete;
    expect(card.state).to.equal('ready');
    expect(card.open).to.equal(true);
    expect(within(card, 'article') === inside).to.equal(true);
    expect(await bff.asked()).to.have.length(1);
  });

  it('completes a request even if it is moved within the page in the meantime', async () => {
    const bff = new StubBff('ok+200');
    const card = await until(await stageCard(bff, 'ready-1'), 'loading');
    document.body.prepend(card);
    await until(card, 'ready');
    expect(await bff.asked()).to.have.length(1);
  });

  it('shows only the last source if it changes several times', async () => {
    const bff = new StubBff('ok+200');
    const card = await stageCard(bff, 'ready-1');
    const loaded: string[] = [];
    card.addEventListener('pulse-load', ({ detail }) => loaded.push(detail.pulse.sourceId));
    card.sourceId = 'ready-2';
    await until(card, 'loading');
    card.sourceId = 'stale-3';
    await until(card, 'stale');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(loaded).to.deep.equal(['stale-3']);
    expect(card.state).to.equal('stale');
  });

  it('uses a property’s default when a framework unsets it', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { variant: 'compact', open: '' }), 'ready');
    for (const nothing of [undefined, null]) {
      Object.assign(card, { variant: 'text', headingLevel: 5, open: true, theme: 'dark', aiReviewedBy: 'Ada' });
      await card.updateComplete;
      const taken = { variant: nothing, headingLevel: nothing, open: nothing, theme: nothing, aiReviewedBy: nothing };
      Object.assign(card, taken);
      await card.updateComplete;
      const { width, height } = card.getBoundingClientRect();
      expect(height).to.equal(width * 0.5625 + 9.5 * 16);
      expect(getComputedStyle(within(card, '[part=base]')).colorScheme).to.equal('normal');
      expect(within(card, '[part=heading]').ariaLevel).to.equal('3');
      expect(within(card, '[part=note]').title).to.equal('AI-generated');
      expect(card.matches(':state(open)')).to.equal(false);
    }
  });

  for (const name of ['actions', 'aiReviewedRun'] as const)
    it(`keeps its content if the page sets ${name} to a list or a number`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { 'ai-reviewed-by': 'Ada' }), 'ready');
      for (const value of [['copy'], 5]) {
        Object.assign(card, { [name]: value, variant: 'text' });
        await card.updateComplete;
        Object.assign(card, { variant: 'card' });
        await card.updateComplete;
        expect(within(card, '[part=chart]').checkVisibility()).to.equal(true);
      }
    });

  it('reports its states in order if it is removed before it has rendered', async () => {
    const card = await stageCard(new StubBff('hang'), 'ready-1', { loading: 'click' });
    await card.updateComplete;
    const states: string[] = [];
    card.addEventListener('pulse-state', ({ detail }) => states.push(detail.state));
    void card.refresh();
    card.remove();
    await eventually(() => states.length === 2);
    expect(states).to.deep.equal(['loading', 'idle']);
  });

  it('returns to the "idle" state when its source is removed', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    Object.assign(card, { sourceId: undefined });
    await until(card, 'idle');
  });

  it('picks up properties that were set before the element was defined', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `<pulse-card loading="eager"></pulse-card><script>Object.assign(document.querySelector('pulse-card'), { variant: 'text', sourceId: 'ready-7' })</script><script type="module" src="${bff.base}/pulse-card.js"></script>`,
    );
    await eventually(() => frame.contentDocument?.querySelector('pulse-card')?.shadowRoot?.querySelector('.text'));
    await eventually(async () => (await bff.asked('ids=ready-7')).length === 1);
  });

  it('writes nothing to the document when nothing has changed', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const writes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => writes.push(...records));
    observer.observe(card.shadowRoot as ShadowRoot, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    card.requestUpdate();
    await card.updateComplete;
    expect([...writes, ...observer.takeRecords()]).to.deep.equal([]);
  });

  it('continues to work after the browser restores the page from the back/forward cache', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    document.dispatchEvent(new Event('visibilitychange'));
    await card.updateComplete;
    expect(card.state).to.equal('ready');
    expect(await bff.asked()).to.have.length(1);
  });

  it('doesn’t prevent the browser from caching the page', async () => {
    const script = await (await fetch('/dist/pulse-card.js')).text();
    expect(script).not.to.match(/["'`](before)?unload["'`]/);
  });

  it('leaves no listeners or timers behind after twenty cards are added and removed five times', async () => {
    const bff = new StubBff();
    await loadAfterPaint();
    const count = countLeftovers();
    for (let round = 0; round < 5; round++) {
      const cards = await Promise.all(
        Array.from({ length: 20 }, () => stageCard(bff, 'ready-1', { variant: 'text', loading: 'eager' })),
      );
      await eventually(() => cards.every(({ state }) => state === 'ready'));
      for (const card of cards) card.remove();
    }
    expect(count.stop()).to.deep.equal({ listeners: 0, intervals: 0 });
  });

  // Only Chromium lets a page run the garbage collector.
  const { gc } = globalThis as { gc?: (options: object) => Promise<void> };
  (gc ? it : it.skip)('is garbage-collected after it is removed', async () => {
    const bff = new StubBff();
    const left: WeakRef<Element>[] = [];
    for (let at = 0; at < 20; at++) {
      const card = await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'ready');
      card.remove();
      left.push(new WeakRef(card));
    }
    await eventually(async () => {
      // In a separate task, no variable on the stack can keep a card alive.
      await gc?.({ type: 'major', execution: 'async' });
      return left.filter((ref) => ref.deref()).length <= 2;
    });
  });
});

/**
 * Counts the listeners and intervals that were added to the page, the document, and media queries and never removed.
 */
function countLeftovers() {
  const left = { listeners: 0, intervals: 0 };
  // eslint-disable-next-line typescript/unbound-method -- called with their own `this` below
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const { setInterval: set, clearInterval: clear } = globalThis;
  const isPage = (target: unknown) => target === globalThis || target === document || target instanceof MediaQueryList;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: Parameters<typeof add>) {
    if (isPage(this ?? globalThis)) left.listeners++;
    return add.apply(this ?? globalThis, args);
  };
  EventTarget.prototype.removeEventListener = function (this: EventTarget, ...args: Parameters<typeof remove>) {
    if (isPage(this ?? globalThis)) left.listeners--;
    return remove.apply(this ?? globalThis, args);
  };
  globalThis.setInterval = ((...args: Parameters<typeof set>) => (left.intervals++, set(...args))) as typeof set;
  globalThis.clearInterval = (id) => {
    left.intervals--;
    clear(id);
  };
  const stop = () => {
    EventTarget.prototype.addEventListener = add;
    EventTarget.prototype.removeEventListener = remove;
    Object.assign(globalThis, { setInterval: set, clearInterval: clear });
    return left;
  };
  return { stop };
}
