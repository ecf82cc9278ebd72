import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

/** Puts a live card on this page, with its stream open. */
async function stageLive(bff: StubBff, sourceId: string, attributes: Readonly<Record<string, string>> = {}) {
  const card = await until(await stageCard(bff, sourceId, { live: '', ...attributes }), 'ready');
  await eventually(async () => (await bff.streams()) === 1);
  return card;
}

/** The runs that a card tells the page of, as they come. */
function updatesOf(card: PulseCard): string[] {
  const runs: string[] = [];
  card.addEventListener('pulse-update', ({ detail }) =>
    runs.push(`${detail.previous.jobRunId}>${detail.pulse.jobRunId}`),
  );
  return runs;
}

const region = () => document.querySelector('body > [role=status]');

describe('a live card', () => {
  afterEach(clearStage);

  it('shows a new pulse as it comes, and tells the page', async () => {
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1');
    const updates = updatesOf(card);
    await bff.tell('ready-1', 'run_2');
    await eventually(() => updates.length);
    expect(within(card, '[part=summary]').textContent).to.equal('Summary of run_2');
    expect(within<HTMLImageElement>(card, '[part=image]').src).to.contain('square.png');
    expect([updates, card.state]).to.deep.equal([['run_1>run_2'], 'ready']);
    expect(await bff.asked()).to.have.length(1);
  });

  it('shares one stream with all live cards of the page, for the sources that have been asked for', async () => {
    const bff = new StubBff();
    const far = document.createElement('div');
    far.className = 'stage';
    far.style.height = '12000px';
    await Promise.all(
      ['ready-1', 'ready-2', 'ready-2'].map((id) => stageCard(bff, id, { live: '', loading: 'eager' })),
    );
    document.body.append(far);
    await stageCard(bff, 'ready-3', { live: '' });
    await eventually(async () => (await bff.streams()) === 1);
    expect(await bff.asked('/v1/events')).to.deep.equal([
      `${new URL(bff.base).pathname}/v1/events?ids=ready-1,ready-2`,
    ]);
  });

  it('opens no stream where it is not live', async () => {
    const bff = new StubBff();
    await until(await stageCard(bff, 'ready-1'), 'ready');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await bff.asked('/v1/events')).to.deep.equal([]);
  });

  it('leaves the reader where the reader is: unfolded, focused, scrolled', async () => {
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1', { open: '' });
    const toggle = within(card, 'summary');
    toggle.focus();
    const below = document.createElement('div');
    below.className = 'stage';
    below.style.height = '3000px';
    document.body.append(below);
    scrollTo(0, 200);
    const updates = updatesOf(card);
    const scrolled = scrollY;
    await bff.tell('ready-1', 'run_2');
    await eventually(() => updates.length);
    expect(card.open).to.equal(true);
    expect(within<HTMLDetailsElement>(card, 'details').open).to.equal(true);
    expect(card.shadowRoot?.activeElement === toggle).to.equal(true);
    expect(scrollY).to.equal(scrolled);
    scrollTo(0, 0);
  });

  it('lets the new pulse fade in', async () => {
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1');
    const faded = new Promise((resolve) => {
      card.addEventListener('pulse-update', () => resolve(within(card, '[part=base]').getAnimations().length));
    });
    await bff.tell('ready-1', 'run_2');
    expect(await faded).to.equal(1);
  });

  it('moves nothing for readers who want no motion', async () => {
    await emulateMedia({ reducedMotion: 'reduce' });
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1');
    const faded = new Promise((resolve) => {
      card.addEventListener('pulse-update', () => resolve(document.getAnimations().length));
    });
    await bff.tell('ready-1', 'run_2');
    expect(await faded).to.equal(0);
    await emulateMedia({ reducedMotion: 'no-preference' });
  });

  it('is announced once, in the one live region of the page', async () => {
    const bff = new StubBff();
    await stageCard(bff, 'ready-1', { live: '' });
    const card = await stageLive(bff, 'ready-1');
    const said: (string | null)[] = [];
    const updates = updatesOf(card);
    const observer = new MutationObserver(() => said.push(region()?.textContent ?? null));
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    await bff.tell('ready-1', 'run_9');
    await eventually(() => updates.length && region()?.textContent);
    await bff.tell('ready-1', 'run_9');
    await new Promise((resolve) => setTimeout(resolve, 300));
    observer.disconnect();
    expect(document.querySelectorAll('body > [role=status]')).to.have.length(1);
    expect(said.filter((text) => text === 'US nonfarm employment Summary of run_9').length).to.be.greaterThan(0);
    expect(new Set(said.filter(Boolean))).to.have.property('size', 1);
    expect(updates).to.have.length(1);
  });

  it('ends its stream when it is removed, and keeps it when it is moved', async () => {
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1');
    document.body.prepend(card);
    await card.updateComplete;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await bff.asked('/v1/events')).to.have.length(1);
    card.remove();
    await eventually(async () => (await bff.streams()) === 0);
  });

  it('begins and ends as the attribute comes and goes', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    card.live = true;
    await eventually(async () => (await bff.streams()) === 1);
    card.live = false;
    await eventually(async () => (await bff.streams()) === 0);
  });

  it('shows the first pulse of a source that had none', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'empty-1', { live: '' }), 'empty');
    await eventually(async () => (await bff.streams()) === 1);
    await bff.tell('empty-1', 'run_1');
    await until(card, 'ready');
  });

  it('survives nonsense on the stream', async () => {
    const bff = new StubBff();
    const card = await stageLive(bff, 'ready-1');
    await fetch(
      `${bff.base.replace(/ok$/, 'say')}?${new URLSearchParams({ text: 'data: {"pulse":{"sourceId":"ready-1"}}\n\n' })}`,
    );
    await fetch(`${bff.base.replace(/ok$/, 'say')}?${new URLSearchParams({ text: 'data: <!doctype\n\n' })}`);
    expect(card.state).to.equal('ready');
    await bff.tell('ready-1', 'run_2');
    await eventually(() => within(card, '[part=summary]').textContent === 'Summary of run_2');
  });
});
