import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { renderPulseCard, type RenderOptions } from '../ssr/index.ts';
import { isOurs, PAYLOADS } from './hostile-texts.ts';
import { clearStage, eventually, loadedChart, openPage, StubBff } from './stage.ts';

const SCRIPT_LATE_MS = 400;
const BELOW = '<p>Text below the card, which must not move.</p>'.repeat(8);

function answerOf(bff: StubBff, fields: object = {}, ageMs = 0) {
  const pulse = {
    jobRunId: 'run_1',
    sourceId: 'ready-1',
    sourceName: 'US nonfarm employment',
    status: 'SUCCESS',
    completedAt: new Date(Date.now() - 7_200_000).toISOString(),
    imageUrl: `${bff.base}/chart.png`,
    aiSummaryShort: 'Payrolls reached 143.1 million in December 2015, up 1.9% over the year.',
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May',
    ...fields,
  };
  const meta = { stale: false, requestedAt: new Date(Date.now() - ageMs).toISOString() };
  return { pulse, meta, source: { status: 'ACTIVE', name: 'Q2 revenue' } };
}

interface Served {
  readonly page: Window & typeof globalThis;
  readonly card: PulseCard;
}

/** Opens a page with a server-rendered card and a delayed script. `early` runs before the script. */
async function serve(
  bff: StubBff,
  { answer = answerOf(bff), width = 600, csp = '', early, ...options }: Partial<Staging> = {},
): Promise<Served> {
  const src = `${bff.base}/pulse-card.js?delay=${SCRIPT_LATE_MS}`;
  // If `early` is given, the script is requested after `early` has run, so that the order doesn't depend on the
  // machine's speed.
  const isAskedFor = early !== undefined && csp === '';
  const script = isAskedFor ? '' : `<script type="module" src="${src}"></script>`;
  const html = renderPulseCard(answer, { sourceId: 'ready-1', baseUrl: bff.base, ...options }) + BELOW + script;
  const servedOf = (page: Window & typeof globalThis): Served => ({
    page,
    card: page.document.querySelector('pulse-card') as PulseCard,
  });
  let done = false;
  const frame = await openPage(html, csp ? { csp } : {}, width, (page) => {
    const poll = setInterval(() => {
      const sheet = page.document.querySelector('pulse-card')?.shadowRoot?.querySelector('link')?.sheet;
      // The style sheet might load before the rest of the page.
      if (!sheet || page.document.readyState === 'loading') return;
      clearInterval(poll);
      page.requestAnimationFrame(() => {
        early?.(servedOf(page));
        if (isAskedFor)
          page.document.body.append(Object.assign(page.document.createElement('script'), { type: 'module', src }));
        done = true;
      });
    }, 5);
  });
  await eventually(() => done);
  return servedOf(frame.contentWindow as Window & typeof globalThis);
}

interface Staging extends RenderOptions {
  readonly answer: Parameters<typeof renderPulseCard>[0];
  readonly width: number;
  readonly csp: string;
  readonly early: (served: Served) => void;
}

async function takenOver(card: PulseCard): Promise<void> {
  await eventually(() => card.state === 'ready' || card.state === 'stale');
  await card.updateComplete;
}

describe('a card that a server rendered', () => {
  afterEach(clearStage);

  for (const width of [320, 600, 1200]) {
    it(`is adopted without a layout shift or a request at ${width} px`, async () => {
      const bff = new StubBff();
      const shifts: PerformanceEntry[] = [];
      let drawnAt = Infinity;
      const { page, card } = await serve(bff, {
        width,
        early: ({ page }) => {
          new page.PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift' });
          // A slow browser draws parts of the server's page before it has parsed the rest.
          page.requestAnimationFrame(() => page.requestAnimationFrame(() => (drawnAt = page.performance.now())));
        },
      });
      await takenOver(card);
      await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
      expect(drawnAt).to.be.below(Infinity);
      const late = shifts.filter(({ startTime }) => startTime >= drawnAt);
      expect(late.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0)).to.equal(0);
      expect(card.shadowRoot?.querySelectorAll('article').length).to.equal(1);
      expect(card.shadowRoot?.querySelector('link')).to.equal(null);
      expect(await bff.asked()).to.deep.equal([]);
    });
  }

  it('is as tall as any other card, both before and after the script adopts it', async () => {
    const bff = new StubBff();
    let before = 0;
    const { card } = await serve(bff, { early: ({ card }) => (before = card.getBoundingClientRect().height) });
    await takenOver(card);
    expect(before).to.equal(600 * 0.5625 + 9.5 * 16);
    expect(card.getBoundingClientRect().height).to.equal(before);
  });

  it('doesn’t change until a response arrives if the page doesn’t contain one', async () => {
    const bff = new StubBff('ok+400');
    const { card } = await serve(bff, { embedData: false });
    await eventually(() => card.matches(':defined') && card.state === 'loading');
    await card.updateComplete;
    expect(card.shadowRoot?.querySelector('[part=summary]')?.textContent).to.contain('143.1 million');
    expect(card.shadowRoot?.querySelector('link')).not.to.equal(null);
    await takenOver(card);
    expect((await bff.asked()).length).to.equal(1);
  });

  it('stays readable, without an announcement, if the BFF can’t respond', async () => {
    const { card } = await serve(new StubBff('503-after-60'), { embedData: false });
    await eventually(() => card.matches(':defined') && card.state === 'error');
    await card.updateComplete;
    expect(card.shadowRoot?.querySelectorAll('[part=summary]').length).to.equal(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(card.ownerDocument.querySelector('[role=status]') === null).to.equal(true);
  });

  for (const [ageMs, state] of [
    [120_000, 'ready'],
    [180_000_000, 'stale'],
  ] as const) {
    it(`is revalidated if its page is ${ageMs} ms old, and is in the "${state}" state until then`, async () => {
      const bff = new StubBff('ok+300');
      const states: string[] = [];
      const { card } = await serve(bff, {
        answer: answerOf(bff, {}, ageMs),
        early: ({ card }) => card.addEventListener('pulse-state', ({ detail }) => states.push(detail.state)),
      });
      await eventually(async () => (await bff.asked()).length === 1);
      await eventually(() => card.state === 'ready');
      expect(states.find((each) => each !== 'loading')).to.equal(state);
    });
  }

  it('keeps its chart without another download', async () => {
    const bff = new StubBff();
    const { page, card } = await serve(bff);
    await takenOver(card);
    expect((await loadedChart(card)).naturalWidth).to.equal(1_600);
    await new Promise((resolve) => page.requestAnimationFrame(() => setTimeout(resolve, 100)));
    expect(await bff.asked('chart.png')).to.have.length(1);
  });

  it('shows the new source after source-id changes', async () => {
    const bff = new StubBff();
    const { card } = await serve(bff);
    await takenOver(card);
    card.sourceId = 'stale-1';
    await eventually(() => card.state === 'stale');
    expect((await bff.asked()).length).to.equal(1);
  });

  it('keeps the expanded analysis and the reader’s focus', async () => {
    const { page, card } = await serve(new StubBff(), {
      early: ({ card }) => {
        const summary = card.shadowRoot?.querySelector('summary');
        summary?.click();
        summary?.focus();
      },
    });
    await takenOver(card);
    expect(card.open).to.equal(true);
    expect(card.shadowRoot?.querySelector('details')?.open).to.equal(true);
    expect(card.shadowRoot?.activeElement).to.equal(card.shadowRoot?.querySelector('summary'));
    expect(page.scrollY).to.equal(0);
  });

  it('keeps the focus on the button that shows a long finding in full', async () => {
    const bff = new StubBff();
    const answer = answerOf(bff, { aiSummaryShort: 'Payrolls rose. '.repeat(40), aiSummaryLong: null });
    const toggleIn = (card: PulseCard) => card.shadowRoot?.querySelector<HTMLElement>('summary');
    const { card } = await serve(bff, { answer, width: 320, early: (served) => toggleIn(served.card)?.focus() });
    await takenOver(card);
    expect(card.shadowRoot?.activeElement?.localName).to.equal('summary');
  });

  it('stays collapsed if the server expanded the analysis and the reader collapsed it', async () => {
    const { card } = await serve(new StubBff(), {
      open: true,
      early: ({ card }) => card.shadowRoot?.querySelector('summary')?.click(),
    });
    await takenOver(card);
    expect(card.open).to.equal(false);
  });

  it('can be expanded and collapsed without a script, and hides the controls that need one', async () => {
    let unfolded = 0;
    let buttons: boolean[] = [];
    await serve(new StubBff(), {
      early: ({ card }) => {
        const folded = card.getBoundingClientRect().height;
        card.shadowRoot?.querySelector('summary')?.click();
        unfolded = card.getBoundingClientRect().height - folded;
        buttons = [...(card.shadowRoot?.querySelectorAll('button') ?? [])].map((button) => button.checkVisibility());
      },
    });
    expect(unfolded).to.be.above(40);
    expect(buttons).to.deep.equal([false]);
  });

  it('takes messages for its language from the page instead of requesting them', async () => {
    const bff = new StubBff();
    const { card } = await serve(bff, { language: 'de' });
    await takenOver(card);
    expect(card.shadowRoot?.querySelector('summary')?.textContent).to.equal('Analyse lesen');
    expect(await bff.asked('lang')).to.deep.equal([]);
    card.lang = 'en';
    await eventually(() => card.shadowRoot?.querySelector('summary')?.textContent === 'Read the analysis');
  });

  it('dispatches an event with its pulse', async () => {
    const events: string[] = [];
    const { card } = await serve(new StubBff(), {
      early: ({ card }) => card.addEventListener('pulse-load', (event) => events.push(event.detail.pulse.jobRunId)),
    });
    await takenOver(card);
    await eventually(() => events.length > 0);
    expect(events).to.deep.equal(['run_1']);
  });

  it('doesn’t violate a strict policy', async () => {
    const bff = new StubBff();
    const { origin } = location;
    const csp = `default-src 'none'; script-src ${origin}; style-src ${origin}; img-src ${origin}; connect-src ${origin}; require-trusted-types-for 'script'; trusted-types lit-html`;
    const violations: string[] = [];
    const { card } = await serve(bff, {
      csp,
      early: ({ page }) =>
        page.document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective)),
    });
    await takenOver(card);
    const margins = 2 * 8;
    expect(card.getBoundingClientRect().height).to.equal((600 - margins) * 0.5625 + 9.5 * 16);
    expect(violations).to.deep.equal([]);
  });

  it('contains only the card’s own elements, regardless of the text', () => {
    for (const payload of PAYLOADS) {
      const bff = new StubBff();
      const answer = answerOf(bff, {
        sourceName: payload,
        imageUrl: null,
        aiSummaryShort: payload,
        aiSummaryLong: `${payload}\n\n- ${payload}\n\n**${payload}**`,
      });
      const html = renderPulseCard(answer, { sourceId: 'ready-1', baseUrl: bff.base, open: true });
      const page = Document.parseHTMLUnsafe(`<!doctype html><body>${html}</body>`);
      const card = page.querySelector('pulse-card');
      const strangers = [...(card?.shadowRoot?.querySelectorAll('*') ?? [])].filter(
        (element) =>
          !(element.tagName === 'LINK' || isOurs(element)) ||
          / (on\w+|style|srcdoc|action)\b/.test(` ${element.getAttributeNames().join(' ')}`),
      );
      expect(strangers.map(({ outerHTML }) => outerHTML)).to.deep.equal([]);
      expect([...page.body.children].map(({ tagName }) => tagName)).to.deep.equal(['PULSE-CARD']);
      expect(card?.shadowRoot?.querySelectorAll('link').length).to.equal(1);
      // The data, and the content for reader modes, which has no chart here.
      expect([...(card?.querySelectorAll('*') ?? [])].map(({ tagName }) => tagName)).to.deep.equal([
        'FIGURE',
        'SCRIPT',
      ]);
      expect(card?.shadowRoot?.querySelector('[part=analysis]')?.textContent).not.to.match(/[\u202e\u200b]/);
    }
  });
});
