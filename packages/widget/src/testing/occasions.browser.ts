import { expect } from 'chai';
import type { PulseBoard, PulseCard } from '../elements/index.ts';
import {
  advance,
  clearStage,
  eventually,
  linesOf,
  openPage,
  stageCard,
  StubBff,
  until,
  withAlarms,
  within,
} from './stage.ts';

/** Events that make elements send new requests after a reader has been away. */
const RETURNS: Readonly<Record<string, () => void>> = {
  focus: () => void dispatchEvent(new Event('focus')),
  online: () => void dispatchEvent(new Event('online')),
};

describe('an element that leaves the page', () => {
  afterEach(clearStage);

  it('forgets the content of a reader whose name is empty', async () => {
    const card = await stageCard(new StubBff('own'), 'ready-1');
    card.reader = '';
    await until(card, 'ready');
    card.remove();
    await Promise.resolve();
    expect(card.currentPulse).to.equal(null);
  });

  it('loads its missing chart again after it’s moved', () =>
    withAlarms(async () => {
      const card = await until(await stageCard(new StubBff(), 'flaky-1'), 'ready');
      await eventually(() => within(card, '[part=chart]').classList.contains('missing'));
      document.body.prepend(card);
      await eventually(() => within<HTMLImageElement>(card, '[part=image]').naturalWidth);
    }));

  it('reports a slow chart even after it’s moved', () =>
    withAlarms(async (alarms) => {
      const card = await until(await stageCard(new StubBff(), 'hanging-1'), 'ready');
      const ofChart = () => alarms.find(({ afterMs }) => afterMs === 10_000);
      await eventually(ofChart);
      document.body.prepend(card);
      ofChart()?.ring();
      await eventually(() => within(card, '[part=chart]').classList.contains('missing'));
    }));

  it('doesn’t restart the download of a slow chart after it’s moved', () =>
    withAlarms(async (alarms) => {
      const card = await until(await stageCard(new StubBff(), 'hanging-1'), 'ready');
      const ofChart = () => alarms.find(({ afterMs }) => afterMs === 10_000);
      await eventually(ofChart);
      ofChart()?.ring();
      await eventually(() => within(card, '[part=chart]').classList.contains('missing'));
      const { src } = within<HTMLImageElement>(card, '[part=image]');
      document.body.prepend(card);
      await card.updateComplete;
      expect(within<HTMLImageElement>(card, '[part=image]').src).to.equal(src);
    }));
});

describe('a card whose reader and page act at the same time', () => {
  afterEach(clearStage);

  it('stays collapsed if the reader expands and collapses it quickly', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const details = within<HTMLDetailsElement>(card, 'details');
    const toggles: boolean[] = [];
    card.addEventListener('pulse-toggle', ({ detail }) => toggles.push(detail.open));
    // The reader acts before the next render.
    card.addEventListener('pulse-toggle', () => (details.open = false), { once: true });
    details.open = true;
    await eventually(() => toggles.length === 2);
    await card.updateComplete;
    expect([details.open, card.open, ...toggles]).to.deep.equal([false, false, true, false]);
  });

  for (const [what, comeBack] of Object.entries({
    ...RETURNS,
    'a second refresh()': (card?: PulseCard) => void card?.refresh(),
  }))
    it(`resolves refresh() only after a response has arrived: ${what}`, async () => {
      const bff = new StubBff('ok,ok+200');
      const card = await until(await stageCard(bff, 'ready-1'), 'ready');
      await bff.deliver('ready-1', 'run_2');
      const refreshed = card.refresh();
      // After a long absence, returning to the page always causes a request.
      advance(120_000);
      (comeBack as (card: PulseCard) => void)(card);
      await refreshed;
      expect(card.currentPulse?.jobRunId).to.equal('run_2');
    });

  it('doesn’t show its server-rendered run again after source-id is changed and then changed back', async () => {
    const bff = new StubBff();
    const card = document.createElement('pulse-card');
    Object.assign(card, { sourceId: 'ready-1', baseUrl: bff.base, loading: 'eager' });
    const pulse = { jobRunId: 'run_0', sourceId: 'ready-1', aiSummaryShort: 'From the server' };
    const data = { sourceId: 'ready-1', ok: true, meta: { requestedAt: new Date().toISOString() }, pulse };
    card.innerHTML = `<script type="application/json" data-id="ready-1">${JSON.stringify(data)}</script>`;
    await stageCard(bff, 'ready-9');
    document.body.append(card);
    await until(card, 'ready');
    expect(card.currentPulse?.jobRunId).to.equal('run_0');
    card.sourceId = 'ready-2';
    await eventually(() => card.currentPulse?.sourceId === 'ready-2');
    card.sourceId = 'ready-1';
    await eventually(() => card.currentPulse?.sourceId === 'ready-1');
    expect(card.currentPulse?.jobRunId).to.equal('run_1');
  });

  it('recognizes content created in another window', async () => {
    const frame = await openPage('');
    const card = await stageCard(new StubBff('hang'), 'ready-1', { loading: 'eager' });
    card.append(frame.contentDocument?.createElement('p') as Node);
    await until(card, 'loading');
    await eventually(() => !card.shadowRoot?.querySelector('[part=skeleton]'));
  });
});

describe('a page that replaces its body', () => {
  afterEach(clearStage);

  it('still changes the language and the colors of its cards', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1" chart-theme="auto"></pulse-card>`,
    );
    const page = frame.contentDocument as Document;
    const card = page.querySelector('pulse-card') as PulseCard;
    await until(card, 'ready');
    const body = page.createElement('body');
    page.body.replaceWith(body);
    body.append(card);
    await eventually(() => within(card, '[part=toggle]').innerText.includes('Read'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    body.lang = 'de';
    await eventually(() => within(card, '[part=toggle]').innerText === 'Analyse lesen');
    body.style.colorScheme = 'dark';
    await eventually(() => within(card, 'article').classList.contains('dark-chart'));
  });
});

describe('the reader’s consent for loading="click"', () => {
  afterEach(clearStage);

  const pressShow = (card: PulseCard) => within(card, '[part=show]').click();

  it('applies to one host', async () => {
    const [first, second] = [new StubBff(), new StubBff()];
    const card = await stageCard(first, 'ready-1', { loading: 'click' });
    await card.updateComplete;
    pressShow(card);
    await until(card, 'ready');
    card.baseUrl = second.base.replace('localhost', '127.0.0.1');
    await until(card, 'idle');
    expect(within(card, '[part=show]').innerText).to.contain('127.0.0.1');
    expect(await second.asked()).to.have.length(0);
  });

  it('applies to one reader', async () => {
    const bff = new StubBff('own');
    const card = await stageCard(bff, 'ready-1', { loading: 'click' });
    card.reader = 'ada';
    await card.updateComplete;
    pressShow(card);
    await until(card, 'ready');
    card.reader = 'bob';
    await until(card, 'idle');
    within(card, '[part=show]');
    expect(await bff.asked()).to.have.length(1);
  });

  it('applies to all of a host’s sources', async () => {
    const card = await stageCard(new StubBff(), 'ready-1', { loading: 'click' });
    await card.updateComplete;
    pressShow(card);
    await until(card, 'ready');
    card.sourceId = 'ready-2';
    await eventually(() => card.currentPulse?.sourceId === 'ready-2');
  });
});

describe('a board', () => {
  afterEach(clearStage);

  it('logs one line if the page doesn’t define its cards', async () => {
    const bff = new StubBff();
    const frame = await openPage('');
    const page = frame.contentWindow as Window & typeof globalThis;
    const lines = await linesOf(async () => {
      const module = page.document.createElement('script');
      const define = page.customElements.define.bind(page.customElements);
      page.customElements.define = (tag, element) => void (tag === 'pulse-board' && define(tag, element));
      Object.assign(module, { type: 'module', src: `${bff.base}/pulse-board.js` });
      page.document.body.append(module, page.document.createElement('pulse-board'));
      const board = page.document.querySelector('pulse-board') as PulseBoard;
      await eventually(() => board.state === 'ready');
      await board.updateComplete;
    }, page);
    expect(lines.join()).to.match(/<pulse-card>/);
  });
});

describe('an announcement', () => {
  afterEach(clearStage);

  it('is inside a card’s enlarged view while the view is open', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    await bff.deliver('ready-1', 'run_2');
    await card.refresh();
    await eventually(() => card.shadowRoot?.querySelector('dialog [role=status]')?.textContent?.includes('run_2'));
    expect(card.shadowRoot?.querySelector('dialog')?.open).to.equal(true);
  });
});
