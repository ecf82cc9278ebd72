import { expect } from 'chai';
import { emulateMedia } from '@web/test-runner-commands';
import type { PulseCard } from '../elements/index.ts';
import {
  clearStage,
  eventually,
  itEmulating,
  openPage,
  stageCard,
  stopClock,
  StubBff,
  until,
  within,
} from './stage.ts';
import { VERSION } from '../version.ts';

const cardsOf = (frame: HTMLIFrameElement) => [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
const allReady = (frame: HTMLIFrameElement) => eventually(() => cardsOf(frame).every(({ state }) => state === 'ready'));
const scriptOf = (bff: StubBff, query = '') =>
  `<script type="module" src="${bff.base}/pulse-card.js${query}"></script>`;

describe('a page with cards', () => {
  afterEach(clearStage);

  it('sends one request for twenty sources, in the order of their IDs', async () => {
    const bff = new StubBff();
    const ids = Array.from({ length: 20 }, (_, at) => `ready-${20 - at}`);
    const frame = await openPage(
      scriptOf(bff) + ids.map((id) => `<pulse-card source-id="${id}" loading="eager"></pulse-card>`).join(''),
    );
    await allReady(frame);
    const { pathname } = new URL(bff.base);
    expect(await bff.asked()).to.deep.equal([`${pathname}/v1/pulses?ids=${ids.toSorted().join(',')}`]);
  });

  it('sends one request for twenty cards with the same source, and one request for its image', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      scriptOf(bff) + '<pulse-card source-id="ready-1" loading="eager"></pulse-card>'.repeat(20),
    );
    await allReady(frame);
    expect(await bff.asked()).to.have.length(1);
    expect(await bff.asked('?ids=ready-1')).to.have.length(1);
  });

  it('doesn’t repeat another card’s request for the same source within 15 s', async () => {
    const bff = new StubBff('ok+100');
    stopClock();
    const first = await stageCard(bff, 'ready-1', { loading: 'eager' });
    await eventually(async () => (await bff.asked()).length === 1);
    const second = await stageCard(bff, 'ready-1', { loading: 'eager' });
    await Promise.all([first, second].map((card) => until(card, 'ready')));
    stopClock(14_999);
    for (const source of ['ready-1', 'ready-2', 'ready-1', 'ready-2'])
      await until(await stageCard(bff, source, { loading: 'eager' }), 'ready');
    expect(await bff.asked()).to.have.length(2);
    stopClock(1);
    await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'ready');
    expect(await bff.asked()).to.have.length(3);
  });

  it('sends a request on refresh() even if a card has just received the pulse', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'ready');
    await card.refresh();
    await card.refresh();
    expect(await bff.asked()).to.have.length(3);
  });

  it('sends a new request for a card that is added after a temporary failure', async () => {
    const bff = new StubBff('503-after-60,ok');
    await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'error');
    await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'ready');
  });

  it('keeps a removed card’s request if another card shares it', async () => {
    const bff = new StubBff('ok+200');
    const first = await stageCard(bff, 'ready-1', { loading: 'eager' });
    await eventually(async () => (await bff.asked()).length === 1);
    const second = await stageCard(bff, 'ready-1', { loading: 'eager' });
    await until(second, 'loading');
    await new Promise((resolve) => setTimeout(resolve, 20));
    first.sourceId = 'ready-2';
    await Promise.all([first, second].map((card) => until(card, 'ready')));
    expect(await bff.asked('ids=ready-1')).to.have.length(1);
  });

  it('sends two requests for more than fifty sources', async () => {
    const bff = new StubBff();
    const cards = Array.from(
      { length: 60 },
      (_, at) => `<pulse-card source-id="ready-${at}" loading="eager" variant="text"></pulse-card>`,
    );
    await allReady(await openPage(scriptOf(bff) + cards.join('')));
    const counts = (await bff.asked()).map((url) => url.split(',').length);
    expect(counts.toSorted((a, b) => a - b)).to.deep.equal([10, 50]);
  });

  it('loads only its two scripts, the data, and the image', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}<pulse-card source-id="ready-1"></pulse-card>`);
    await allReady(frame);
    await eventually(async () => (await bff.asked('chart.png')).length === 1);
    await eventually(async () => (await bff.asked('after-paint')).length === 1);
    expect(await bff.asked('')).to.have.length(4);
  });

  it('ignores a second copy of the script, without an error, a warning, or a second request', async () => {
    const bff = new StubBff();
    const { frame, warnings, errors } = await openWatched(
      scriptOf(bff) + scriptOf(bff, '?again'),
      '<pulse-card source-id="ready-1"></pulse-card>',
    );
    await allReady(frame);
    expect(await bff.asked()).to.have.length(1);
    expect([...warnings(), ...errors()]).to.deep.equal([]);
  });

  it('still works if two versions of the script are loaded, and logs both versions once', async () => {
    const bff = new StubBff();
    const { frame, warnings, errors } = await openWatched(
      scriptOf(bff) + scriptOf(bff, '?version=9.9.9'),
      '<pulse-card source-id="ready-1"></pulse-card>',
    );
    await allReady(frame);
    await eventually(() => warnings().length);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.contain('9.9.9').and.contain(VERSION);
    expect(errors()).to.deep.equal([]);
  });

  it('logs once that a second script from a different BFF isn’t used', async () => {
    const [bff, other] = [new StubBff(), new StubBff()];
    const { frame, warnings } = await openWatched(
      scriptOf(bff) + scriptOf(other),
      '<pulse-card source-id="ready-1"></pulse-card>',
    );
    await allReady(frame);
    await eventually(() => warnings().length);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.contain(bff.base).and.contain(other.base);
    expect(await other.asked()).to.deep.equal([]);
  });

  it('logs once that a board needs a different script', async () => {
    const bff = new StubBff();
    const { warnings } = await openWatched(scriptOf(bff), '<pulse-board></pulse-board><pulse-board></pulse-board>');
    await eventually(() => warnings().length);
    expect(warnings()).to.deep.equal([
      'pulse-card: <pulse-board> needs pulse-board.js; load it instead of pulse-card.js',
    ]);
  });

  for (const scripts of [
    ['pulse-card', 'pulse-board'],
    ['pulse-board', 'pulse-card'],
    ['pulse-board', 'pulse-board'],
  ]) {
    it(`shows cards and a board with these scripts: ${scripts.join(', ')}`, async () => {
      const bff = new StubBff();
      const tags = scripts.map((name, at) => `<script type="module" src="${bff.base}/${name}.js?${at}"></script>`);
      const { frame, warnings, errors } = await openWatched(
        tags.join(''),
        '<pulse-card source-id="ready-1"></pulse-card><pulse-board></pulse-board>',
      );
      await allReady(frame);
      const board = frame.contentDocument?.querySelector('pulse-board');
      await eventually(
        () => board?.state === 'ready' && board.shadowRoot?.querySelector('pulse-card')?.state === 'ready',
      );
      expect([...warnings(), ...errors()]).to.deep.equal([]);
    });
  }

  it('shows a board whose cards have a different version than the board', async () => {
    const bff = new StubBff('ok,list:rhythms');
    const { frame, warnings, errors } = await openWatched(
      `${scriptOf(bff, '?version=9.9.9')}<script type="module" src="${bff.base}/pulse-board.js"></script>`,
      '<pulse-board sort="attention" loading="eager"></pulse-board>',
    );
    const rootOf = () => frame.contentDocument?.querySelector('pulse-board')?.shadowRoot;
    const cards = () => [...(rootOf()?.querySelectorAll('pulse-card') ?? [])];
    const textOf = (selector: string) => rootOf()?.querySelector(selector)?.textContent?.trim();
    await eventually(() => cards()[0]?.state === 'ready');
    expect(Reflect.get(cards()[0]?.constructor ?? {}, 'version')).to.equal('9.9.9');
    // The cards tell the board which sources are overdue, and the board tells the cards their providers.
    await eventually(() => textOf('button:nth-of-type(2) span') === '1');
    expect(cards()[0]?.sourceId).to.equal('overdue-daily');
    await eventually(() => cards().every(({ shadowRoot }) => shadowRoot?.querySelector('[part=source] small')));
    expect([...warnings(), ...errors()]).to.deep.equal([]);
  });
});

describe('a card whose source is changed several times', () => {
  afterEach(clearStage);

  it('aborts every request except the last', async () => {
    const bff = new StubBff();
    const { fetch } = globalThis;
    const signals: AbortSignal[] = [];
    globalThis.fetch = (input, init) => {
      if (init?.signal) signals.push(init.signal);
      // Only the last request gets a response.
      if (signals.length === 6) return fetch(input, init);
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    };
    try {
      const card = await stageCard(bff, 'ready-0', { loading: 'eager' });
      for (let at = 1; at < 6; at++) {
        await eventually(() => signals.length === at);
        card.sourceId = `ready-${at}`;
      }
      await until(card, 'ready');
      expect(card.currentPulse?.sourceId).to.equal('ready-5');
      expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, true, true, true, true, false]);
    } finally {
      globalThis.fetch = fetch;
    }
  });
});

describe('a card far below the viewport', () => {
  afterEach(clearStage);

  const FAR = '<div id="gap"></div>';
  const style = '#gap{height:12000px}';

  it('sends no requests until it’s near the viewport', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}${FAR}<pulse-card source-id="ready-1"></pulse-card>`, { style });
    const [card] = cardsOf(frame);
    await eventually(() => card?.shadowRoot?.querySelector('[part=skeleton]'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await bff.asked('?')).to.deep.equal([]);
    card?.scrollIntoView();
    await allReady(frame);
    expect(await bff.asked()).to.have.length(1);
  });

  it('loads in time if the reader scrolls a pane of the page', async () => {
    const bff = new StubBff();
    const cardBelow = async (px: number) => {
      const pane = document.createElement('div');
      pane.className = 'stage';
      pane.style.cssText = 'height:200px;overflow:auto';
      const gap = document.createElement('div');
      gap.style.height = `${px}px`;
      const card = await stageCard(bff, `ready-${px}`);
      pane.append(gap, card);
      document.body.prepend(pane);
      return card;
    };
    const [far, near] = [await cardBelow(900), await cardBelow(350)];
    await until(near, 'ready');
    expect(far.state).to.equal('idle');
    far.parentElement?.scrollTo(0, 600);
    await until(far, 'ready');
  });

  it('sends one request, regardless of the order of its attributes', async () => {
    const bff = new StubBff();
    await stageCard(bff, '');
    const stage = document.createElement('div');
    stage.className = 'stage';
    document.body.append(stage);
    stage.innerHTML = `<pulse-card loading="eager" base-url="${bff.base}" source-id="ready-2"></pulse-card>`;
    await until(stage.firstElementChild as PulseCard, 'ready');
    expect(await bff.asked()).to.have.length(1);
  });

  it('is painted at any position, so that it appears in a full-page screenshot', async () => {
    const bff = new StubBff();
    const html = `${scriptOf(bff)}${FAR}<pulse-card source-id="ready-1" loading="eager"></pulse-card>`;
    const frame = await openPage(html, { style });
    await allReady(frame);
    const [card] = cardsOf(frame);
    await eventually(() => card?.shadowRoot?.querySelector('[part=heading]'));
    const heading = within(card as Element, '[part=heading]');
    expect(heading.checkVisibility({ contentVisibilityAuto: true })).to.equal(true);
  });

  it('sends its request immediately if it has loading="eager"', async () => {
    const bff = new StubBff();
    await allReady(
      await openPage(`${scriptOf(bff)}${FAR}<pulse-card source-id="ready-1" loading="eager"></pulse-card>`, { style }),
    );
    expect(await bff.asked()).to.have.length(1);
  });

  itEmulating({ media: 'screen' })('loads and expands for printing, and collapses after printing', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}${FAR}<pulse-card source-id="ready-1"></pulse-card>`, { style });
    const [card] = cardsOf(frame);
    await eventually(() => card?.shadowRoot?.querySelector('[part=skeleton]'));
    await emulateMedia({ media: 'print' });
    await allReady(frame);
    const details = () => card?.shadowRoot?.querySelector('details');
    await eventually(() => details()?.open);
    expect(card?.open).to.equal(false);
    expect(getComputedStyle(card?.shadowRoot?.querySelector('summary') as Element).display).to.equal('none');
    await emulateMedia({ media: 'screen' });
    await eventually(() => details()?.open === false);
    expect(card?.open).to.equal(false);
  });

  itEmulating({ media: 'screen' })(
    'prints what the page provides, or its name and link, while the BFF hangs',
    async () => {
      const bff = new StubBff('hang');
      const content = (at: number) => (at % 2 ? '<p>The page’s own text</p>' : '');
      const tags = [1, 2, 3, 4, 5].map(
        (at) => `<pulse-card source-id="ready-${at}" label="Card ${at}">${content(at)}</pulse-card>`,
      );
      const frame = await openPage(`${scriptOf(bff)}${FAR}${tags.join('')}`, { style });
      await eventually(() => cardsOf(frame)[3]?.shadowRoot?.querySelector('[part=skeleton]'));
      expect(cardsOf(frame)[3]?.shadowRoot?.querySelector('a')).to.equal(null);
      frame.contentWindow?.dispatchEvent(new Event('beforeprint'));
      // The browser prints after the microtasks of this event have run.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      const printed = cardsOf(frame).map(
        (card) => card.querySelector('p') ?? card.shadowRoot?.querySelector('article'),
      );
      expect(printed.map((element) => element?.checkVisibility())).to.deep.equal(Array(5).fill(true));
      expect((printed[3] as HTMLElement).innerText).to.equal(`Card 4\n${bff.base}/embed/ready-4`);
    },
  );

  it('loads before the browser prints', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${scriptOf(bff)}${FAR}<pulse-card source-id="ready-1"></pulse-card>`, { style });
    await eventually(() => cardsOf(frame)[0]?.shadowRoot?.querySelector('[part=skeleton]'));
    frame.contentWindow?.dispatchEvent(new Event('beforeprint'));
    await allReady(frame);
  });
});

/** Opens a page that records its warnings and errors. */
async function openWatched(scripts: string, html: string) {
  const watch = `<script>addEventListener('error', (e) => (window.errors ??= []).push(e.message));
    addEventListener('unhandledrejection', (e) => (window.errors ??= []).push(String(e.reason)));
    for (const level of ['warn', 'error']) console[level] = (text) => (window.warnings ??= []).push(text);</script>`;
  const frame = await openPage(watch + scripts + html);
  const page = frame.contentWindow as unknown as { warnings?: string[]; errors?: string[] };
  return { frame, warnings: () => page.warnings ?? [], errors: () => page.errors ?? [] };
}
