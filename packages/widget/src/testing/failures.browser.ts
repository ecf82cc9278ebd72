import { expect } from '@open-wc/testing';
import type { PulseErrorDetail } from '../pulse-events.ts';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

const ASK_LATER = '503-after-60';

/** Stages a card whose BFF behaves so, and keeps what it tells of. */
async function stageFailing(behaviours: string, sourceId = 'ready-1') {
  const bff = new StubBff(behaviours);
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

interface Alarm {
  readonly ring: () => void;
  readonly afterMs: number;
}

/** Runs `story` with a clock that stands still and alarms of a second and more that ring when the story says so. */
async function withAlarms(story: (alarms: Alarm[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const { now } = Date;
  const alarms: Alarm[] = [];
  const at = now();
  Date.now = () => at;
  globalThis.setTimeout = ((ring: () => void, afterMs = 0) =>
    afterMs < 1_000 ? setTimeout(ring, afterMs) : alarms.push({ ring, afterMs })) as typeof setTimeout;
  try {
    await story(alarms);
  } finally {
    globalThis.setTimeout = setTimeout;
    Date.now = now;
  }
}

describe('a card that gets no pulse', () => {
  const rejections: unknown[] = [];
  addEventListener('unhandledrejection', ({ reason }) => rejections.push(reason));
  afterEach(() => {
    clearStage();
    expect(rejections).to.deep.equal([]);
  });

  const finals = [
    ['400', 'invalid_source_id', 400, false, 'This chart can’t be found.'],
    ['401', 'token_missing', 401, false, 'This chart can’t be shown here.'],
    ['403', 'origin_forbidden', 403, false, 'This chart can’t be shown here.'],
    ['404', 'source_unknown', 404, false, 'This chart can’t be found.'],
    ['429-after-60', 'rate_limited', 429, true, 'Too many readers right now.'],
    ['500-after-60', 'internal', 500, true, 'This chart can’t be shown right now.'],
    ['502-after-60', 'upstream_invalid', 502, true, 'This chart can’t be shown right now.'],
    ['503-after-60', 'upstream_unavailable', 503, true, 'This chart can’t be shown right now.'],
  ] as const;
  for (const [behaviour, code, status, retriable, message] of finals) {
    it(`says so in words and in an event: ${behaviour}`, async () => {
      const { card, errors, heard } = await stageFailing(behaviour);
      await until(card, 'error');
      await eventually(() => errors.length);
      expect(errors).to.deep.equal([{ code, status, retriable, message }]);
      expect(within(card, '[part=error]').textContent).to.contain(message);
      expect(heard).to.deep.equal(['pulse-error']);
      expect(!!card.shadowRoot?.querySelector('[part=error] button')).to.equal(retriable);
    });
  }

  for (const behaviour of ['not-json', 'broken']) {
    it(`asks again after an answer that can’t be read, and shows what comes then: ${behaviour}`, async () => {
      const { card, heard } = await stageFailing(`${behaviour},ok`);
      await until(card, 'ready');
      await eventually(() => heard.length);
      expect(heard).to.deep.equal(['pulse-load']);
    });
  }

  it('tells of a source without a pulse as empty', async () => {
    const { card, errors } = await stageFailing('ok', 'empty-1');
    await until(card, 'empty');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'pulse_not_found', status: 404, retriable: false });
  });

  it('refuses an id that none can be, without a request', async () => {
    const { bff, card, errors } = await stageFailing('ok', '../admin,x');
    await until(card, 'error');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'invalid_source_id', status: 400 });
    expect(await bff.asked()).to.deep.equal([]);
  });

  it('becomes ready by itself when the failure passes', async () => {
    const { bff, card, heard } = await stageFailing('500,ok');
    await until(card, 'ready');
    await eventually(() => heard.length);
    expect(heard).to.deep.equal(['pulse-load']);
    expect(await bff.asked()).to.have.length(2);
  });

  it('does not ask again before Retry-After has passed', async () => {
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

  it('says so after the second failure, and goes on asking behind the words', async () => {
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

  it('bears the name that the snippet gave it, where no answer names its source', async () => {
    const { card } = await stageFailing('404');
    card.innerHTML = '<svg></svg><svg><a href="#"><text>US nonfarm employment</text></a></svg>';
    await until(card, 'error');
    card.requestUpdate();
    await card.updateComplete;
    expect(within(card, '[part=heading]').textContent?.trim()).to.equal('US nonfarm employment');
  });

  it('tries again when the reader wishes, and keeps the focus', async () => {
    const { card } = await stageFailing(`${ASK_LATER},${ASK_LATER},ok`);
    await until(card, 'error');
    const button = () => within(card, '[part=error] button');
    button().focus();
    button().click();
    await until(card, 'loading');
    expect(card.shadowRoot?.activeElement === button()).to.equal(true);
    await until(card, 'error');
    expect(card.shadowRoot?.activeElement === button()).to.equal(true);
    button().click();
    await until(card, 'ready');
    expect(document.activeElement === card).to.equal(true);
    expect(card.shadowRoot?.activeElement === within(card, '[part=card]')).to.equal(true);
  });

  it('tries again once when the connection is back', async () => {
    const { bff, card } = await stageFailing(`${ASK_LATER},ok`);
    await until(card, 'error');
    dispatchEvent(new Event('online'));
    await until(card, 'ready');
    expect(await bff.asked()).to.have.length(2);
  });

  it('says that the reader is offline', async () => {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    const { card } = await stageFailing('ok');
    card.baseUrl = 'http://localhost:1';
    await eventually(() => card.state === 'loading');
    await card.refresh();
    await until(card, 'error');
    expect(within(card, '[part=error]').textContent).to.contain('You’re offline.');
    Reflect.deleteProperty(navigator, 'onLine');
  });

  it('keeps showing what it has, as an earlier version', async () => {
    const { card, heard } = await stageFailing('ok,503');
    await until(card, 'ready');
    await card.refresh();
    await until(card, 'stale');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
    expect(heard).to.deep.equal(['pulse-load', 'pulse-error']);
  });

  it('tells of a new pulse, and of the one before', async () => {
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
    await eventually(() => within<HTMLImageElement>(card, 'img').hidden);
    expect(getComputedStyle(within(card, '[part=chart] > span')).display).not.to.equal('none');
    expect(within(card, '[part=chart] > span').textContent).to.equal('This chart can’t be loaded.');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1');
  });

  it('says it once aloud for a page full of cards', async () => {
    const cards = await Promise.all(Array.from({ length: 20 }, () => stageFailing(ASK_LATER)));
    await eventually(() => cards.every(({ card }) => card.state === 'error' || card.state === 'idle'));
    const regions = () => document.querySelectorAll('[role=status]');
    await eventually(() => regions()[0]?.textContent === 'This chart can’t be shown right now.');
    expect(regions().length).to.equal(1);
  });
});
