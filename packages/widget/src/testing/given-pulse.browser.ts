import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { pulseOf } from '../fake-bff/index.ts';
import { clearStage, eventually, loadedChart, stageCard, StubBff, until, within } from './stage.ts';

/** A one-pixel PNG. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

/** A card whose pulses the page sets, and the events that the card dispatches. */
async function stageGiven(sourceId = '') {
  const card = await stageCard(new StubBff(), sourceId, { variant: 'text' });
  const heard: string[] = [];
  for (const name of ['pulse-load', 'pulse-update'] as const)
    card.addEventListener(name, ({ detail }) => heard.push(`${name} ${detail.pulse.jobRunId}`));
  return { card, heard };
}

async function give(card: PulseCard, jobRunId: string, fields: object = {}): Promise<void> {
  card.pulse = pulseOf('ready-1', { jobRunId, aiSummaryShort: `Finding of ${jobRunId}`, ...fields });
  await until(card, 'ready');
  await card.updateComplete;
}

describe('the pulse property', () => {
  afterEach(clearStage);

  it('dispatches pulse-load for the first run and pulse-update for the next run', async () => {
    const { card, heard } = await stageGiven();
    await give(card, 'run_1');
    await give(card, 'run_2');
    expect(heard).to.deep.equal(['pulse-load run_1', 'pulse-update run_2']);
    expect(within(card, '[part=summary]').textContent).to.equal('Finding of run_2');
  });

  it('dispatches events with the source of the pulse, even without source-id', async () => {
    const { card } = await stageGiven();
    const ids: (string | null)[] = [];
    card.addEventListener('pulse-load', ({ detail }) => ids.push(detail.sourceId));
    await give(card, 'run_1');
    expect(ids).to.deep.equal(['ready-1']);
  });

  it('shows changes without dispatching an event if it’s set to a new object for the same run', async () => {
    const { card, heard } = await stageGiven();
    await give(card, 'run_1');
    await give(card, 'run_1', { aiSummaryShort: 'Corrected' });
    expect(heard).to.deep.equal(['pulse-load run_1']);
    expect(within(card, '[part=summary]').textContent).to.equal('Corrected');
  });

  it('never shows a finding next to the previous run’s chart', async () => {
    const { base } = new StubBff();
    const card = await stageCard(new StubBff(), '');
    const isVisible = () => within(card, '[part=image]').checkVisibility({ visibilityProperty: true });
    await give(card, 'run_1', { imageUrl: `${base}/chart.png` });
    await loadedChart(card);
    expect(isVisible()).to.equal(true);
    await give(card, 'run_2', { imageUrl: `${base}/hanging.png` });
    expect(isVisible()).to.equal(false);
    await give(card, 'run_3', { imageUrl: `${base}/square.png` });
    await eventually(isVisible);
    expect((await loadedChart(card)).currentSrc).to.equal(`${base}/square.png`);
  });

  it('keeps showing a run’s chart while a new URL of the same run loads', async () => {
    const { base } = new StubBff();
    const card = await stageCard(new StubBff(), '');
    await give(card, 'run_1', { imageUrl: `${base}/chart.png` });
    await loadedChart(card);
    await give(card, 'run_1', { imageUrl: `${base}/hanging.png` });
    const image = within(card, '[part=image]');
    expect(image.checkVisibility({ visibilityProperty: true })).to.equal(true);
    expect(image.getAttribute('src')).to.equal(`${base}/hanging.png`);
  });

  it('doesn’t cause a loop if an event handler sets an equal pulse', async () => {
    const { card, heard } = await stageGiven();
    for (const name of ['pulse-load', 'pulse-update', 'pulse-state'] as const)
      card.addEventListener(name, () => card.pulse && (card.pulse = { ...card.pulse }));
    await give(card, 'run_1');
    await give(card, 'run_2');
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(heard).to.deep.equal(['pulse-load run_1', 'pulse-update run_2']);
  });

  it('updates a card that has loaded an earlier run of the same source', async () => {
    const { card, heard } = await stageGiven('ready-1');
    await until(card, 'ready');
    await give(card, 'run_9');
    expect(heard).to.deep.equal(['pulse-load run_1', 'pulse-update run_9']);
  });

  it('loads the source again when the page unsets the pulse', async () => {
    const { card, heard } = await stageGiven('ready-1');
    await give(card, 'run_9');
    card.pulse = null;
    await eventually(() => card.currentPulse?.jobRunId === 'run_1' && heard.at(-1) === 'pulse-load run_1');
  });

  it('starts over when it is set to a different source’s pulse', async () => {
    const { card, heard } = await stageGiven();
    await give(card, 'run_1');
    card.pulse = pulseOf('ready-2', { jobRunId: 'run_7' });
    await eventually(() => heard.length === 2);
    expect(heard).to.deep.equal(['pulse-load run_1', 'pulse-load run_7']);
  });

  it('shows a chart from a data URL', async () => {
    const { card } = await stageGiven();
    const imageUrl = `data:image/png;base64,${PNG}`;
    card.variant = 'card';
    await give(card, 'run_1', { imageUrl });
    expect((await loadedChart(card)).src).to.equal(imageUrl);
  });

  it('rejects any other data URL', async () => {
    const { card } = await stageGiven();
    card.variant = 'card';
    for (const imageUrl of [
      'data:image/svg+xml;base64,PHN2Zy8+',
      'data:text/html;base64,PHN2Zy8+',
      'data:image/png,a',
      `data:image/png;base64,${PNG}"`,
      `data:image/png;base64,${PNG}\n`,
    ]) {
      await give(card, 'run_1', { imageUrl });
      expect(card.currentPulse?.imageUrl, imageUrl).to.equal(null);
    }
  });
});
