import { expect } from 'chai';
import type { Pulse, PulseCard } from '../elements/index.ts';
import { clearStage, eventually, loadedChart, openPage, stageCard, StubBff, until, within } from './stage.ts';

const GIVEN: Pulse = {
  jobRunId: 'r',
  sourceId: 's',
  sourceName: 'Given',
  status: 'SUCCESS',
  completedAt: null,
  imageUrl: null,
  aiSummaryShort: 'By hand',
  aiSummaryLong: null,
};

const textOf = (card: Element, selector: string) => within(card, selector).textContent?.replaceAll(/\s+/g, ' ').trim();

describe('<pulse-card>', () => {
  afterEach(clearStage);

  it('treats an unknown theme as "auto" and shows its chart', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { theme: 'missing' }), 'ready');
    expect(within(card, '[part=base]').className.trim()).to.equal('base card auto');
    expect((await loadedChart(card)).checkVisibility({ visibilityProperty: true })).to.equal(true);
  });

  it('shows the finding, name, time, chart, and analysis of the latest pulse', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { open: '' }), 'ready');
    expect(textOf(card, '[part=summary]')).to.contain('143.1 million');
    expect(textOf(card, '#name')).to.equal('US nonfarm employment');
    expect(within(card, '#name').title).to.equal('US nonfarm employment');
    expect(textOf(card, 'time')).to.equal('2 hours ago');
    expect(within<HTMLImageElement>(card, '[part=image]').src).to.contain('chart.png');
    // The blocks of the analysis are loaded after the first paint.
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] strong'));
    expect(textOf(card, '[part=analysis] strong')).to.equal('rose');
    expect(within(card, '[part=analysis] ul').childElementCount).to.equal(2);
  });

  for (const variant of ['card', 'compact', 'text']) {
    it(`contains its expanded analysis within its box, in the "${variant}" variant`, async () => {
      const attributes = { open: '', variant, style: 'width: 600px' };
      const card = await until(await stageCard(new StubBff(), 'ready-1', attributes), 'ready');
      const bottomOf = (element: Element) => element.getBoundingClientRect().bottom;
      expect(bottomOf(card)).to.be.at.least(bottomOf(within(card, '[part=analysis]')) - 0.1);
    });
  }

  it('can be selected by its state in CSS', async () => {
    const card = await until(await stageCard(new StubBff(), 'stale-1'), 'stale');
    expect(card.matches(':state(stale)')).to.equal(true);
    expect(card.matches(':state(loading)')).to.equal(false);
  });

  for (const [sourceId, badge] of [
    ['stale-1', 'Earlier version'],
    ['old-1', 'Earlier version'],
    ['broken-1', 'Updates paused'],
    ['degraded-1', 'Updates delayed'],
    ['draft-1', undefined],
    ['ready-1', undefined],
  ] as const) {
    it(`has the badge ${badge} for ${sourceId}`, async () => {
      const card = await until(await stageCard(new StubBff(), sourceId), 'ready', 'stale');
      expect(card.shadowRoot?.querySelector('[part=status]')?.textContent).to.equal(badge);
    });
  }

  it('shows the name of a source without a pulse and dispatches an event for it', async () => {
    const heard: string[] = [];
    document.body.addEventListener('pulse-empty', ({ detail }) => heard.push(detail.sourceId ?? ''), { once: true });
    const card = await until(await stageCard(new StubBff(), 'empty-1'), 'empty');
    await eventually(() => heard.length);
    expect(heard).to.deep.equal(['empty-1']);
    expect(textOf(card, '[part=name]')).to.equal('Store revenue');
    expect(textOf(card, '[name=empty]')).to.equal('No chart yet. It appears after the next delivery.');
    expect(card.shadowRoot?.querySelector('[part=status], button') === null).to.equal(true);
  });

  it('shows a pulse in which every optional field is null', async () => {
    const card = await until(await stageCard(new StubBff(), 'bare-1'), 'ready');
    expect(textOf(card, '[part=name]')).to.equal('Q2 revenue');
    expect(textOf(card, '[part=empty]')).to.contain('No chart yet.');
    expect(card.shadowRoot?.querySelector('time, details, small') === null).to.equal(true);
  });

  it('shows the first lines of the analysis and no error if there is no chart', async () => {
    for (const variant of ['card', 'chart']) {
      const card = await until(await stageCard(new StubBff(), 'noimage-1', { variant }), 'ready');
      expect(textOf(card, '[part=lead]')).to.contain('Payrolls rose in every month.');
      expect(textOf(card, '[part=heading]')).to.contain('143.1');
      expect(card.shadowRoot?.querySelector('[part=chart], .missing') === null).to.equal(true);
      const { width, height } = card.getBoundingClientRect();
      expect(height).to.equal(width * 0.5625 + (variant === 'card' ? 9.5 : 3) * 16);
      card.remove();
    }
  });

  for (const variant of ['card', 'compact', 'text', 'chart']) {
    it(`shows the AI label before the finding, visibly and in reading order: ${variant}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant }), 'ready');
      const note = within(card, '[part=note]');
      const finding = within(card, '#finding');
      expect(note.checkVisibility()).to.equal(true);
      expect(!!(note.compareDocumentPosition(finding) & Node.DOCUMENT_POSITION_FOLLOWING)).to.equal(true);
      // The finding of the "chart" variant is only a description.
      if (variant !== 'chart')
        expect(note.getBoundingClientRect().bottom).to.be.at.most(finding.getBoundingClientRect().top);
      expect(textOf(card, '[part=note] span')).to.equal('AI-generated');
      for (const text of card.shadowRoot?.querySelectorAll('[part=heading], [part=analysis], p#finding') ?? [])
        expect(text.getAttribute('ai-disclosure')).to.equal('ai-autonomous');
      card.setAttribute('ai-reviewed-run', 'run_0 run_1');
      card.setAttribute('ai-reviewed-by', `<b>${'Dr. Ada '.repeat(8)}`);
      await card.updateComplete;
      expect(textOf(card, '[part=note] span')).to.match(
        /^AI-generated, reviewed by <b>Dr\. Ada .{20}…$|^AI-generated, reviewed by .{1,32}$/,
      );
    });
  }

  it('makes charts dark only with chart-theme="auto"', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { theme: 'dark' }), 'ready');
    const filter = () => getComputedStyle(within(card, '[part=image]')).filter;
    expect(filter()).to.equal('none');
    card.chartTheme = 'auto';
    await card.updateComplete;
    expect(filter()).to.contain('invert(1)');
    expect(getComputedStyle(within(card, '[part=image]')).mixBlendMode).to.equal('screen');
    card.theme = 'light';
    await card.updateComplete;
    expect(filter()).to.equal('none');
  });

  it('makes charts dark even if the page declares its color scheme only in its head', async () => {
    const meta = Object.assign(document.createElement('meta'), { name: 'color-scheme', content: 'dark' });
    document.head.append(meta);
    const attributes = { 'chart-theme': 'auto' };
    const card = await until(await stageCard(new StubBff(), 'ready-1', attributes), 'ready');
    expect(getComputedStyle(within(card, '[part=image]')).filter).to.contain('invert(1)');
    meta.remove();
  });

  for (const [what, change] of [
    ['a class of the body', ({ body }: Document) => body.classList.add('night')],
    ['an attribute of the root', ({ documentElement }: Document) => (documentElement.dataset['bsTheme'] = 'dark')],
  ] as const) {
    it(`makes charts dark immediately when the page becomes dark by ${what}`, async () => {
      const bff = new StubBff();
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1" chart-theme="auto"></pulse-card>`,
        { style: ':root{color-scheme:light}.night,[data-bs-theme=dark]{color-scheme:dark}' },
      );
      const page = frame.contentDocument as Document;
      const card = page.querySelector('pulse-card') as PulseCard;
      // Loading the chart also updates the card.
      await (await loadedChart(card)).decode();
      await until(card, 'ready');
      expect(card.shadowRoot?.querySelector('.dark-chart') === null).to.equal(true);
      change(page);
      await eventually(() => card.shadowRoot?.querySelector('.dark-chart'));
    });
  }

  it('doesn’t open the enlarged view if the page cancels pulse-enlarge', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const shown: unknown[] = [];
    const onEnlarge = (event: CustomEvent<{ sourceId: string | null; pulse: Pulse }>) => {
      event.preventDefault();
      shown.push([event.detail.sourceId, event.detail.pulse === card.currentPulse]);
    };
    document.addEventListener('pulse-enlarge', onEnlarge, { once: true });
    within(card, '[part=enlarge]').click();
    await card.updateComplete;
    expect(shown).to.deep.equal([['ready-1', true]]);
    expect(card.shadowRoot?.querySelector('dialog') === null).to.equal(true);
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog:modal'));
  });

  it('exposes exactly the public members listed in the manifest', async () => {
    const card = await stageCard(new StubBff(), 'ready-1');
    const { modules } = (await (await fetch('/custom-elements.json')).json()) as {
      modules: { declarations: { tagName?: string; members: { name: string; static?: boolean }[] }[] }[];
    };
    const { members = [] } =
      modules.flatMap((module) => module.declarations).find(({ tagName }) => tagName === 'pulse-card') ?? {};
    const named = members.filter((member) => !member.static).map(({ name }) => name);
    const parentOf = (one: object) => Object.getPrototypeOf(one) as typeof PulseCard;
    const element = parentOf(card.constructor);
    const shared = parentOf(element);
    const own = [card.constructor, element, shared].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
    const added = own.filter((name) => !/^_|^constructor$/.test(name) && !(name in parentOf(shared).prototype));
    expect([...new Set(added)].toSorted()).to.deep.equal(named.filter((name) => name !== 'focus').toSorted());
  });

  it('has no toggle if there is no analysis', async () => {
    const card = await until(await stageCard(new StubBff(), ''), 'idle');
    card.pulse = { ...GIVEN, aiSummaryShort: 'A finding that is longer than one line of a card. '.repeat(4) };
    await until(card, 'ready');
    expect(card.shadowRoot?.querySelector('details') === null).to.equal(true);
  });

  for (const variant of ['card', 'compact', 'text'])
    it(`shows the date in its footer if there is no analysis: ${variant}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'short-1', { variant, lang: 'en' }), 'ready');
      const iso = within<HTMLTimeElement>(card, '[part=time]').dateTime;
      const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(iso));
      expect(within(card, '[part=footer]').innerText).to.contain(date);
    });

  for (const [what, behaviors, sourceId] of [
    ['unknown', '404', 'x-1'],
    ['unknown, in a batch', 'ok', 'unknown-1'],
    ['not allowed', '403', 'x-1'],
    ['no longer allowed', 'ok,403', 'ready-1'],
  ] as const) {
    it(`shows neither a name nor a time for a source that is ${what}, even with a label`, async () => {
      const card = await until(await stageCard(new StubBff(behaviors), sourceId, { label: 'Q2' }), 'ready', 'error');
      if (card.state === 'ready') await card.refresh();
      expect(card.state).to.equal('error');
      expect(textOf(card, '[part=header]')).to.equal('');
      expect(card.shadowRoot?.querySelector('[part=heading], time, [part=status]') === null).to.equal(true);
    });
  }

  it('shows its label until it has a name', async () => {
    const signedOut = await until(await stageCard(new StubBff('login'), 'x-1', { label: 'Q2' }), 'error');
    expect(textOf(signedOut, '[part=name]')).to.equal('Q2');
    const waiting = await until(
      await stageCard(new StubBff('hang'), 'x-1', { label: 'Q2', loading: 'eager' }),
      'loading',
    );
    await waiting.updateComplete;
    expect(textOf(waiting, '[part=skeleton]')).to.equal('Q2');
    const ready = await until(await stageCard(new StubBff(), 'ready-1', { label: 'Q2', loading: 'eager' }), 'ready');
    expect(textOf(ready, '#name')).to.equal('US nonfarm employment');
  });

  for (const [variant, absent] of [
    ['text', '[part=chart]'],
    ['chart', '[part=summary], [part=footer]'],
  ] as const) {
    it(`omits ${absent} in the "${variant}" variant`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant }), 'ready');
      expect(card.shadowRoot?.querySelector(absent) === null).to.equal(true);
    });
  }

  for (const variant of ['bogus', 'open', '']) {
    it(`looks like the "card" variant for the unknown variant "${variant}"`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { variant }), 'ready');
      const { width, height } = card.getBoundingClientRect();
      expect(height).to.equal(width * 0.5625 + 9.5 * 16);
    });
  }

  it('resets a property to its default when its attribute is removed', async () => {
    const attributes = { variant: 'text', theme: 'dark', label: 'Q2', loading: 'eager', 'heading-level': '4' };
    const card = await until(await stageCard(new StubBff(), 'ready-1', attributes), 'ready');
    for (const name of Object.keys(attributes)) card.removeAttribute(name);
    const { variant, theme, label, loading, headingLevel } = card;
    expect([variant, theme, label, loading, headingLevel]).to.deep.equal(['card', 'auto', '', 'lazy', 3]);
  });

  it('loads an image only if the variant shows one', async () => {
    const bff = new StubBff();
    const stage = document.createElement('div');
    stage.className = 'stage';
    stage.style.width = '300px';
    document.body.append(stage);
    const card = await stageCard(bff, 'ready-1', { variant: 'compact' });
    stage.append(card);
    await until(card, 'ready');
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
    expect(await bff.asked('chart.png')).to.deep.equal([]);
    stage.style.width = '600px';
    await eventually(async () => (await bff.asked('chart.png')).length === 1);
  });

  it('uses the heading level from the attribute, or 3 if the attribute is invalid', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { 'heading-level': '5' }), 'ready');
    expect(within(card, '[part=heading]').ariaLevel).to.equal('5');
    card.headingLevel = 9;
    await card.updateComplete;
    expect(within(card, '[part=heading]').ariaLevel).to.equal('3');
    card.headingLevel = 2.5;
    await card.updateComplete;
    expect(within(card, '[part=heading]').ariaLevel).to.equal('2');
  });

  it('resolves refresh() with the card’s state, even if the card isn’t on a page', async () => {
    expect(await document.createElement('pulse-card').refresh()).to.equal('idle');
  });

  it('accepts a URL object as its baseUrl', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    Object.assign(card, { baseUrl: new URL(card.baseUrl) });
    expect(await card.refresh()).to.equal('ready');
  });

  for (const variant of ['text', 'compact']) {
    it(`shows "No chart yet" if a pulse has no content for the "${variant}" variant`, async () => {
      const card = await until(await stageCard(new StubBff(), 'bare-1', { variant }), 'ready');
      expect(textOf(card, '[part=empty]')).to.equal('No chart yet. It appears after the next delivery.');
    });
  }

  for (const [behavior, isStale] of [
    ['ok', false],
    ['stale', true],
  ] as const)
    it(`reports in its "pulse-load" event whether the pulse is stale: ${isStale}`, async () => {
      const card = await stageCard(new StubBff(behavior), 'ready-1', { loading: 'eager' });
      const loaded = new Promise<boolean>((resolve) => {
        card.addEventListener('pulse-load', ({ detail }) => resolve(detail.stale));
      });
      expect(await loaded).to.equal(isStale);
    });

  it('uses a name that the page provides as its accessible name', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    card.innerHTML = '<b slot="name">Jobs</b>';
    const base = within(card, '[part=base]');
    const label = card.shadowRoot?.getElementById(base.getAttribute('aria-labelledby') ?? '');
    const slot = label?.querySelector('slot');
    expect(slot?.assignedElements({ flatten: true })[0]?.textContent).to.equal('Jobs');
  });

  for (const [circumstance, sourceId, mode, attributes, fallback] of [
    ['before it has loaded', 'ready-1', 'hang', {}, ''],
    ['before it has loaded, with a name', 'ready-1', 'hang', { label: 'Jobs' }, ''],
    ['before it has loaded, with a name and content of the page', 'ready-1', 'hang', { label: 'Jobs' }, '<p>Jobs</p>'],
    ['without a name and a finding', 'nameless-1', undefined, {}, ''],
    ['in an error', 'x-1', '404', {}, ''],
    ['with a pulse', 'ready-1', undefined, {}, ''],
  ] as const)
    it(`takes its accessible name only from an element that exists: ${circumstance}`, async () => {
      const card = await stageCard(new StubBff(mode), sourceId, { loading: 'eager', ...attributes });
      card.innerHTML = fallback;
      if (sourceId === 'nameless-1')
        card.pulse = { ...GIVEN, sourceName: null, aiSummaryShort: null, aiSummaryLong: 'Why' };
      await until(card, mode === 'hang' ? 'loading' : mode === '404' ? 'error' : 'ready');
      await card.updateComplete;
      const id = within(card, '[part=base]').getAttribute('aria-labelledby');
      if (id !== null) expect(card.shadowRoot?.getElementById(id), id).to.not.equal(null);
      expect(id !== null).to.equal(
        !fallback && (mode !== 'hang' || 'label' in attributes) && sourceId !== 'nameless-1',
      );
    });

  it('shows the page’s own content in the name, actions, footer, empty, and error slots', async () => {
    const ready = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    for (const name of ['name', 'actions', 'footer'])
      expect(within(ready, `slot[name=${name}]`)).to.be.an('HTMLSlotElement');
    const empty = await until(await stageCard(new StubBff(), 'empty-1', { loading: 'eager' }), 'empty');
    empty.innerHTML = '<b slot="empty">Come back tomorrow</b>';
    expect(within<HTMLSlotElement>(empty, 'slot[name=empty]').assignedElements()).to.have.length(1);
    const failed = await until(await stageCard(new StubBff('404'), 'x-1', { loading: 'eager' }), 'error');
    expect(textOf(failed, 'slot[name=error]')).to.equal('Chart not found.');
  });

  it('until it is ready, shows the page’s content, or a skeleton if there is none', async () => {
    const card = await stageCard(new StubBff('hang'), 'ready-1');
    card.innerHTML = '\n  \n';
    await until(card, 'loading');
    await eventually(() => card.shadowRoot?.querySelector('[part=skeleton]'));
    card.innerHTML = '\n <p>One moment</p>\n';
    await eventually(() => card.shadowRoot?.querySelector('[part=skeleton]') === null);
    expect(card.querySelector('p')?.checkVisibility()).to.equal(true);
    card.replaceChildren(document.createElement('template'));
    await eventually(() => card.shadowRoot?.querySelector('[part=skeleton]'));
  });
});

describe('the pulse property of <pulse-card>', () => {
  afterEach(clearStage);

  it('shows a pulse that the page provides, without a request', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, '');
    card.pulse = GIVEN;
    await until(card, 'ready');
    expect(textOf(card, '[part=summary]')).to.equal('By hand');
    expect(await bff.asked()).to.deep.equal([]);
  });

  it('loads the source’s pulse when the page unsets the property', async () => {
    const card = await stageCard(new StubBff(), 'ready-1');
    card.pulse = GIVEN;
    await until(card, 'ready');
    card.pulse = null;
    await eventually(() => card.shadowRoot?.querySelector('#name')?.textContent?.includes('US nonfarm'));
  });

  it('doesn’t cause a request if it is set to null and had no value before', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    for (const nothing of [null, undefined, null]) Object.assign(card, { pulse: nothing });
    await card.updateComplete;
    expect(card.state).to.equal('ready');
    expect(await bff.asked()).to.have.length(1);
  });

  it('rejects an invalid pulse without sending a request', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, 'ready-1');
    Object.assign(card, { pulse: { summary: 12 } });
    await until(card, 'error');
    expect(textOf(card, '[part=error]')).to.equal('This chart can’t be shown right now.');
    expect(card.shadowRoot?.querySelector('button') === null).to.equal(true);
    dispatchEvent(new Event('online'));
    await card.refresh();
    expect(card.state).to.equal('error');
    expect(await bff.asked()).to.deep.equal([]);
  });
});
