import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import type { PulseErrorDetail } from '../elements/events.ts';
import {
  advance,
  clearStage,
  eventually,
  linesOf,
  loadAfterPaint,
  setHidden,
  stageCard,
  StubBff,
  tick,
  until,
  withAlarms,
  within,
} from './stage.ts';

const ASK_LATER = '503-after-60';

/** Counts the BFFs' responses that have fully arrived, until `end()` is called. */
function countAnswers() {
  const fetchForReal = window.fetch.bind(window);
  let arrived = 0;
  window.fetch = async (address, init) => {
    const response = await fetchForReal(address, init);
    if (typeof address === 'string' && address.includes('/v1/pulses')) {
      // The count increases in a separate task, after the card has handled the response.
      const body = response.clone().arrayBuffer();
      void body.finally(() => setTimeout(() => (arrived += 1)));
    }
    return response;
  };
  return { arrived: () => arrived, end: () => void (window.fetch = fetchForReal) };
}

/** Puts a card on the page, gives its BFF these behaviors, and records the card's events. */
async function stageFailing(behaviors: string, sourceId = 'ready-1') {
  const bff = new StubBff(behaviors);
  const heard: string[] = [];
  const errors: PulseErrorDetail[] = [];
  const stage = document.createElement('div');
  stage.className = 'stage';
  document.body.append(stage);
  stage.addEventListener('pulse-error', ({ detail }) => errors.push(detail));
  for (const name of ['pulse-load', 'pulse-update', 'pulse-error'])
    stage.addEventListener(name, () => heard.push(name));
  const card = await stageCard(bff, sourceId);
  stage.append(card);
  return { bff, card, heard, errors };
}

describe('a card whose pulse can’t be loaded', () => {
  before(loadAfterPaint);
  const rejections: unknown[] = [];
  addEventListener('unhandledrejection', ({ reason }) => rejections.push(reason));
  afterEach(() => {
    clearStage();
    expect(rejections).to.deep.equal([]);
  });

  it('gives up after 15 seconds without a response', async () => {
    const [fetchForReal, timeoutForReal] = [window.fetch, AbortSignal.timeout.bind(AbortSignal)];
    const limit = new AbortController();
    const limitsMs: number[] = [];
    AbortSignal.timeout = (ms) => (limitsMs.push(ms), limit.signal);
    window.fetch = (_address, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)));
    try {
      const { card, errors } = await stageFailing('');
      await eventually(() => limitsMs.length);
      limit.abort(new DOMException('The limit is over', 'TimeoutError'));
      await until(card, 'error');
      await eventually(() => errors.length);
      expect(errors[0]?.code).to.equal('timeout');
      expect(limitsMs).to.deep.equal([15_000]);
    } finally {
      window.fetch = fetchForReal;
      AbortSignal.timeout = timeoutForReal;
    }
  });

  const finals = [
    ['400', 'invalid_source_id', 400, false, 'Chart not found.'],
    ['401', 'token_missing', 401, false, 'This site isn’t allowed to show this chart.'],
    ['403', 'origin_forbidden', 403, false, 'This site isn’t allowed to show this chart.'],
    ['404', 'source_unknown', 404, false, 'Chart not found.'],
    ['429-after-60', 'rate_limited', 429, true, 'This chart can’t be shown right now.'],
    ['500-after-60', 'internal', 500, true, 'This chart can’t be shown right now.'],
    ['502-after-60', 'upstream_invalid', 502, true, 'This chart can’t be shown right now.'],
    ['503-after-60', 'upstream_unavailable', 503, true, 'This chart can’t be shown right now.'],
  ] as const;
  for (const [behavior, code, status, retriable, message] of finals) {
    it(`shows a message, dispatches an event, and logs one line: ${behavior}`, async () => {
      let lines: string[] = [];
      lines = await linesOf(async () => {
        const { card, errors, heard } = await stageFailing(behavior);
        await until(card, 'error');
        await eventually(() => errors.length);
        expect(errors).to.deep.equal([{ sourceId: 'ready-1', code, status, retriable, message }]);
        expect(card.failure).to.deep.equal({ code, status, retriable, message });
        expect(within(card, '[part=error] p').textContent).to.equal(message);
        expect(heard).to.deep.equal(['pulse-error']);
        expect(!!card.shadowRoot?.querySelector('[part=retry]')).to.equal(retriable);
        await card.updateComplete;
      });
      expect(lines).to.have.length(1);
    });
  }

  for (const behavior of ['not-json', 'broken']) {
    it(`retries after an unreadable response and shows the next one: ${behavior}`, async () => {
      const { card, heard } = await stageFailing(`${behavior},ok`);
      await until(card, 'ready');
      await eventually(() => heard.length);
      expect(heard).to.deep.equal(['pulse-load']);
    });
  }

  it('rejects an invalid ID without sending a request', async () => {
    const { bff, card, errors } = await stageFailing('ok', '../admin,x');
    await until(card, 'error');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'invalid_source_id', status: 400 });
    expect(await bff.asked()).to.deep.equal([]);
  });

  it('shows the pulse automatically when the failure is resolved', async () => {
    const { bff, card, heard } = await stageFailing('500,ok');
    await until(card, 'ready');
    await eventually(() => heard.length);
    expect(heard).to.deep.equal(['pulse-load']);
    expect(await bff.asked()).to.have.length(2);
  });

  it('doesn’t send another request before Retry-After has passed', async () => {
    await withAlarms(async (alarms) => {
      const { bff, card } = await stageFailing('429-after-2,ok');
      await eventually(() => alarms.length);
      expect(alarms[0]?.afterMs).to.be.at.least(2_000).and.at.most(3_000);
      expect(await bff.asked()).to.have.length(1);
      alarms[0]?.ring();
      await until(card, 'ready');
      expect(await bff.asked()).to.have.length(2);
    });
  });

  it('is retried together with all other failed cards in a single request', async () => {
    await withAlarms(async (alarms) => {
      const bff = new StubBff('500,ok');
      const ids = Array.from({ length: 8 }, (_, at) => `ready-${at}`);
      const cards = await Promise.all(ids.map((id) => stageCard(bff, id, { loading: 'eager' })));
      await eventually(() => alarms.length >= cards.length);
      expect(new Set(alarms.map(({ afterMs }) => afterMs)).size).to.equal(1);
      for (const { ring } of alarms.splice(0)) ring();
      await eventually(() => cards.every(({ state }) => state === 'ready'));
      const asked = await bff.asked();
      expect(asked.map((url) => new URL(url, location.href).searchParams.get('ids'))).to.deep.equal([
        ids.join(),
        ids.join(),
      ]);
    });
  });

  it('shows a message after the second failure and continues to retry', async () => {
    await withAlarms(async (alarms) => {
      const { bff, card, heard } = await stageFailing('500,500,ok');
      await eventually(() => alarms.length);
      expect(card.state).to.equal('loading');
      alarms[0]?.ring();
      await until(card, 'error');
      expect(within(card, '[part=error]').textContent).to.contain('This chart can’t be shown right now.');
      await eventually(() => alarms.length > 1);
      alarms[1]?.ring();
      await until(card, 'ready');
      await eventually(() => heard.length > 1);
      expect(heard).to.deep.equal(['pulse-error', 'pulse-load']);
      expect(await bff.asked()).to.have.length(3);
    });
  });

  it('retries when the reader clicks the button, and keeps focus', async () => {
    const { card } = await stageFailing(`${ASK_LATER},${ASK_LATER},ok`);
    await until(card, 'error');
    const button = () => within(card, '[part=retry]');
    button().focus();
    button().click();
    await until(card, 'loading');
    expect(card.shadowRoot?.activeElement === button()).to.equal(true);
    await until(card, 'error');
    expect(card.shadowRoot?.activeElement === button()).to.equal(true);
    button().click();
    await until(card, 'ready');
    expect(document.activeElement === card).to.equal(true);
    expect(card.shadowRoot?.activeElement === within(card, '[part=base]')).to.equal(true);
  });

  it('sends only one request if the reader clicks the button several times', async () => {
    const { bff, card } = await stageFailing(`${ASK_LATER},503-after-60+200`);
    await until(card, 'error');
    for (let press = 0; press < 5; press++) within(card, '[part=retry]').click();
    await until(card, 'loading');
    for (let press = 0; press < 5; press++) within(card, '[part=retry]').click();
    await until(card, 'error');
    expect(await bff.asked()).to.have.length(2);
  });

  it('sends one request when the browser comes back online', async () => {
    const { bff, card } = await stageFailing(`${ASK_LATER},ok`);
    await until(card, 'error');
    dispatchEvent(new Event('online'));
    await until(card, 'ready');
    expect(await bff.asked()).to.have.length(2);
  });

  it('reports the code "network" if the BFF can’t be reached', async () => {
    const { card, errors } = await stageFailing('ok', '');
    card.baseUrl = 'http://localhost:2';
    card.sourceId = 'ready-1';
    await card.updateComplete;
    await card.refresh();
    await until(card, 'error');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'network', status: 0, retriable: true });
  });

  it('keeps its content, marked as stale, if a later request fails', async () => {
    const { card, heard } = await stageFailing('ok,503');
    await until(card, 'ready');
    await card.refresh();
    await until(card, 'stale');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
    expect(heard).to.deep.equal(['pulse-load', 'pulse-error']);
  });

  it('dispatches an event with the new and the previous pulse', async () => {
    const { card } = await stageFailing('ok', 'new-1');
    await until(card, 'ready');
    const updates: [string, string][] = [];
    card.addEventListener('pulse-update', ({ detail }) =>
      updates.push([detail.previous.jobRunId, detail.pulse.jobRunId]),
    );
    await card.refresh();
    await eventually(() => updates.length);
    expect(updates).to.deep.equal([['run_1', 'run_2']]);
    expect(within(card, '[part=summary]').textContent).to.equal('Summary 2');
  });

  it('stays readable when its image can’t be loaded', async () => {
    const { card } = await stageFailing('ok', 'badimage-1');
    await until(card, 'ready');
    await eventually(() => !within(card, 'img').checkVisibility({ visibilityProperty: true }));
    expect(within(card, '[part=chart]').textContent?.trim()).to.equal('The chart image can’t be loaded.');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
  });

  it('keeps a good pulse, with a badge, if the response is a login page', async () => {
    const { card } = await stageFailing('ok,not-json');
    await until(card, 'ready');
    expect(await card.refresh()).to.equal('stale');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
  });

  it('dispatches an event for each refresh that fails', async () => {
    const { card, errors } = await stageFailing('ok,503');
    await until(card, 'ready');
    for (let round = 1; round < 4; round++) {
      expect(await card.refresh()).to.equal('stale');
      await eventually(() => errors.length === round);
    }
  });

  for (const baseUrl of ['/nothing', 'nothing-either', '../nothing-at-all/']) {
    it(`logs the BFF’s absolute URL if its base-url is relative: ${baseUrl}`, async () => {
      const lines = await linesOf(async () => {
        const { card } = await stageFailing('ok', '');
        Object.assign(card, { baseUrl, sourceId: 'ready-1' });
        await card.refresh();
        await until(card, 'error');
        await card.updateComplete;
      });
      expect(lines.join()).to.match(/Can’t load from http:\/\/localhost:\d+\/.*nothing/);
    });
  }

  for (const baseUrl of ['https://[bad', 'http://a:b:c']) {
    it(`logs the failure even if its base-url isn’t a URL: ${baseUrl}`, async () => {
      const lines = await linesOf(async () => {
        const { card } = await stageFailing('ok', '');
        Object.assign(card, { baseUrl, sourceId: 'ready-1' });
        expect(await card.refresh()).to.equal('error');
        await card.updateComplete;
      });
      expect(lines.join()).to.contain(`Can’t load from ${baseUrl}`);
    });
  }

  it('is idle and shows no message while it has no source', async () => {
    const lines = await linesOf(async () => {
      const card = await stageCard(new StubBff(), '');
      await card.updateComplete;
      await card.refresh();
      expect(card.state).to.equal('idle');
    });
    expect(lines).to.deep.equal([]);
  });
});

describe('a card whose reader is signed out', () => {
  afterEach(clearStage);

  it('shows a message, without a button', async () => {
    const { card, errors } = await stageFailing('login');
    await until(card, 'error');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'signed_out', status: 401, retriable: false });
    expect(within(card, '[part=error]').textContent?.trim()).to.equal('Sign in again to see the latest chart.');
    expect(card.shadowRoot?.querySelector('button') === null).to.equal(true);
  });

  it('shows the content in the signed-out slot', async () => {
    const { card } = await stageFailing('login');
    card.innerHTML = '<a slot="signed-out" href="/login">Sign in</a>';
    await until(card, 'error');
    const slot = within<HTMLSlotElement>(card, 'slot[name=signed-out]');
    expect(slot.assignedElements()).to.have.length(1);
  });

  it('keeps its content and shows the "Signed out" badge', async () => {
    const { card } = await stageFailing('ok,login');
    await until(card, 'ready');
    expect(await card.refresh()).to.equal('stale');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
    expect(within(card, '[part=status]').textContent).to.equal('Signed out');
  });

  it('sends one request when the page becomes visible or regains focus, and never retries automatically', async () => {
    const answers = countAnswers();
    const { bff, card } = await stageFailing('login,login,login,ok');
    await until(card, 'error');
    advance(600_000);
    tick();
    for (const count of [2, 3]) {
      dispatchEvent(new Event('focus'));
      // If the page is focused while a request is in progress, the card doesn't send a second request.
      await eventually(() => answers.arrived() === count);
      expect(await bff.asked()).to.have.length(count);
    }
    answers.end();
    setHidden(true);
    setHidden(false);
    await until(card, 'ready');
    expect(await bff.asked()).to.have.length(4);
  });
});

describe('a chart that is missing', () => {
  afterEach(clearStage);

  it('recovers automatically', async () => {
    await withAlarms(async (alarms) => {
      const { card } = await stageFailing('ok', 'flaky-1');
      await until(card, 'ready');
      await eventually(() => within(card, '[part=chart]').textContent?.includes('can’t be loaded'));
      alarms.find(({ afterMs }) => afterMs >= 2_000 && afterMs <= 4_000)?.ring();
      await eventually(() => card.shadowRoot?.querySelector('img')?.naturalWidth);
    });
  });

  for (const [what, act] of [
    ['the page asks for a refresh', (card: PulseCard) => card.refresh()],
    ['the connection is back', () => Promise.resolve(dispatchEvent(new Event('online')))],
  ] as const) {
    it(`is loaded again when ${what}`, async () => {
      const { card } = await stageFailing('ok', 'flaky-1');
      await until(card, 'ready');
      await eventually(() => within(card, '[part=chart]').textContent?.includes('can’t be loaded'));
      await act(card);
      await eventually(() => card.shadowRoot?.querySelector('img')?.naturalWidth === 1_600);
      expect(within(card, '[part=chart]').textContent?.trim()).to.equal('');
    });
  }

  it('doesn’t start a timer until an image is requested', async () => {
    await withAlarms(async (alarms) => {
      const bff = new StubBff();
      const far = await stageCard(bff, 'hanging-1', { style: 'display:block;margin-top:9000px' });
      const text = await until(await stageCard(bff, 'hanging-2', { variant: 'text', loading: 'eager' }), 'ready');
      const compact = { variant: 'compact', loading: 'eager', style: 'display:block;width:300px' };
      const narrow = await until(await stageCard(bff, 'hanging-3', compact), 'ready');
      await far.updateComplete;
      expect(alarms.filter(({ afterMs }) => afterMs === 10_000)).to.deep.equal([]);
      const chart = await until(await stageCard(bff, 'hanging-4', { loading: 'eager' }), 'ready');
      await chart.updateComplete;
      expect(alarms.filter(({ afterMs }) => afterMs === 10_000)).to.have.length(1);
      for (const card of [text, narrow]) expect(card.shadowRoot?.querySelector('img') === null).to.equal(true);
      expect(within(chart, 'img').hasAttribute('loading')).to.equal(false);
    });
  });

  it('isn’t loaded again after its card is removed', async () => {
    await withAlarms(async (alarms) => {
      const { card } = await stageFailing('ok', 'hanging-1');
      await until(card, 'ready');
      const chart = within(card, 'img');
      card.remove();
      alarms.length = 0;
      chart.dispatchEvent(new Event('error'));
      for (const { ring } of alarms.splice(0)) ring();
      expect(alarms).to.deep.equal([]);
    });
  });

  it('isn’t requested for a narrow compact card after the card is removed', async () => {
    const compact = { variant: 'compact', loading: 'eager', style: 'display:block;width:300px' };
    const card = await until(await stageCard(new StubBff(), 'hanging-1', compact), 'ready');
    card.remove();
    card.requestUpdate();
    await card.updateComplete;
    expect(card.shadowRoot?.querySelector('img') === null).to.equal(true);
  });

  it('is reported as missing after ten seconds, and shown if it arrives later', async () => {
    await withAlarms(async (alarms) => {
      const { card } = await stageFailing('ok', 'hanging-1');
      await until(card, 'ready');
      expect(within(card, '[part=chart]').textContent?.trim()).to.equal('');
      alarms.find(({ afterMs }) => afterMs === 10_000)?.ring();
      await eventually(() => within(card, '[part=chart]').textContent?.includes('can’t be loaded'));
      within<HTMLImageElement>(card, 'img').dispatchEvent(new Event('load'));
      await eventually(() => within(card, '[part=chart]').textContent?.trim() === '');
    });
  });
});
