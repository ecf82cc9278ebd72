import { expect } from '@open-wc/testing';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

describe('<pulse-card>', () => {
  afterEach(clearStage);

  it('shows name, time, chart, summary and analysis of the latest pulse', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(within(card, '[part=heading]').textContent?.trim()).to.equal('US nonfarm employment');
    expect(within(card, 'time').textContent).to.equal('2 hours ago');
    expect(within<HTMLImageElement>(card, '[part=image]').alt).to.contain('143.1 million');
    expect(within(card, '[part=summary]').textContent).to.contain('143.1 million');
    expect(within(card, '[part=analysis] strong').textContent).to.equal('rose');
    expect(within(card, '[part=analysis] ul').childElementCount).to.equal(2);
  });

  it('matches its state in CSS', async () => {
    const card = await until(await stageCard(new StubBff(), 'stale-1'), 'stale');
    expect(card.matches(':state(stale)')).to.equal(true);
    expect(card.matches(':state(loading)')).to.equal(false);
  });

  it('is idle until it has a source', async () => {
    const card = await stageCard(new StubBff(), '');
    await card.updateComplete;
    expect(card.state).to.equal('idle');
    expect(within(card, '[part=skeleton]').ariaHidden).to.equal('true');
  });

  it('says that a stale pulse is an earlier version', async () => {
    const card = await until(await stageCard(new StubBff(), 'stale-1'), 'stale');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
    expect(within(card, '[part=footer]').textContent).to.contain('not updating');
  });

  it('calls an answer that was fetched more than a day ago an earlier version, though it says nothing of it', async () => {
    const card = await until(await stageCard(new StubBff(), 'old-1'), 'stale');
    expect(within(card, '[part=status]').textContent).to.equal('Earlier version');
    expect(within(card, '[part=footer]').textContent).to.match(/3 days ago\s*not updating$/);
  });

  it('names a source without a pulse and says that it needs reconnection', async () => {
    const card = await until(await stageCard(new StubBff(), 'empty-1'), 'empty');
    expect(within(card, '[part=heading]').textContent?.trim()).to.equal('Store revenue');
    expect(within(card, '[part=status]').textContent).to.equal('Needs reconnection');
    expect(within(card, '[name=empty]').textContent).to.contain('No pulse yet.');
  });

  it('shows a pulse all of whose fields are null', async () => {
    const card = await until(await stageCard(new StubBff(), 'bare-1'), 'ready');
    expect(within(card, '[part=chart]').textContent).to.equal('No chart this time.');
    expect(card.shadowRoot?.querySelector('time, details') === null).to.equal(true);
    expect(card.shadowRoot?.querySelector('footer span')).to.equal(null);
  });

  it('shows a pulse that the page gives, without a request', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, '');
    card.pulse = {
      jobRunId: 'r',
      sourceId: 's',
      sourceName: 'Given',
      status: 'SUCCESS',
      completedAt: null,
      imageUrl: null,
      aiSummaryShort: 'By hand',
      aiSummaryLong: null,
    };
    await until(card, 'ready');
    expect(within(card, '[part=summary]').textContent).to.equal('By hand');
    expect(await bff.asked()).to.deep.equal([]);
  });

  it('goes back to its source when the page takes its pulse back', async () => {
    const card = await stageCard(new StubBff(), 'ready-1');
    card.pulse = {
      jobRunId: 'r',
      sourceId: 's',
      sourceName: 'Given',
      status: 'SUCCESS',
      completedAt: null,
      imageUrl: null,
      aiSummaryShort: null,
      aiSummaryLong: null,
    };
    await until(card, 'ready');
    card.pulse = null;
    await until(card, 'ready');
    await eventually(() => within(card, '[part=heading]').textContent?.includes('US nonfarm'));
  });

  it('refuses a given pulse that is none', async () => {
    const card = await stageCard(new StubBff(), '');
    Object.assign(card, { pulse: { summary: 12 } });
    await until(card, 'error');
    expect(within(card, '[part=error]').textContent).to.contain('can’t be read');
    expect(card.shadowRoot?.querySelector('button')).to.equal(null);
  });

  it('asks for nothing in place of a given pulse that is none, connection or not', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, 'ready-1', { loading: 'lazy' });
    Object.assign(card, { pulse: { summary: 12 } });
    const before = (await bff.asked()).length;
    dispatchEvent(new Event('online'));
    await card.refresh();
    expect(card.state).to.equal('error');
    expect(await bff.asked()).to.have.length(before);
  });

  for (const variant of ['bogus', 'open', 'wait', '']) {
    it(`is a card in a variant that there is not: "${variant}"`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant }), 'ready');
      expect([...within(card, '[part=card]').classList]).to.deep.equal(['card']);
      expect(within(card, '[part=chart]').localName).to.equal('div');
    });
  }

  for (const nothing of [null, undefined]) {
    it(`takes an attribute away when its property becomes ${nothing}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant: 'text' }), 'ready');
      Object.assign(card, { sourceId: nothing, variant: nothing, open: nothing });
      expect(card.getAttributeNames()).to.deep.equal(['base-url']);
      expect([card.state, card.variant]).to.deep.equal(['idle', 'card']);
    });
  }

  for (const [variant, absent] of [
    ['text', '[part=chart]'],
    ['chart', '[part=summary]'],
  ] as const) {
    it(`leaves out ${absent} in the variant "${variant}"`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant }), 'ready');
      expect(card.shadowRoot?.querySelector(absent)).to.equal(null);
    });
  }

  it('has a heading of the level that is asked for, 3 where that is none', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { 'heading-level': '5' }), 'ready');
    expect(within(card, '[part=heading]').ariaLevel).to.equal('5');
    card.headingLevel = 9;
    await card.updateComplete;
    expect(within(card, '[part=heading]').ariaLevel).to.equal('3');
  });

  it('shows the page’s own heading, actions, footer, empty and error in their slots', async () => {
    const ready = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    for (const name of ['heading', 'actions', 'footer'])
      expect(within(ready, `slot[name=${name}]`)).to.be.an('HTMLSlotElement');
    const empty = await until(await stageCard(new StubBff(), 'empty-1', { loading: 'eager' }), 'empty');
    empty.innerHTML = '<b slot="empty">Come back tomorrow</b>';
    expect(within<HTMLSlotElement>(empty, 'slot[name=empty]').assignedElements()).to.have.length(1);
    const failed = await until(await stageCard(new StubBff('404'), 'x-1', { loading: 'eager' }), 'error');
    expect(within(failed, 'slot[name=error]').textContent).to.contain('can’t be found');
  });

  it('takes over properties that were set before it was defined', async () => {
    const bff = new StubBff();
    const card = document.createElement('pulse-card');
    card.remove();
    const early = document.createElement('div').appendChild(Object.assign(card, {}));
    Object.defineProperty(early, 'sourceId', {
      value: 'ready-7',
      configurable: true,
      writable: true,
      enumerable: true,
    });
    early.setAttribute('base-url', bff.base);
    document.body.append(early);
    await until(early, 'ready');
    expect(early.getAttribute('source-id')).to.equal('ready-7');
  });
});
