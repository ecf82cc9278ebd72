import { expect } from 'chai';
import { setViewport } from '@web/test-runner-commands';
import type { PulseCard } from '../elements/index.ts';
import {
  type Alarm,
  clearStage,
  eventually,
  loadAfterPaint,
  setHidden,
  stageCard,
  StubBff,
  tick,
  until,
  withAlarms,
} from './stage.ts';

/** Puts a card below other content of a given height and collects the runs that the card reports as viewed. */
async function stageBelow(px: number, attributes: Readonly<Record<string, string>> = {}) {
  const bff = new StubBff();
  const above = document.createElement('div');
  above.className = 'stage';
  above.style.height = `${px}px`;
  document.body.prepend(above);
  const card = await stageCard(bff, 'ready-1', { variant: 'text', loading: 'eager', ...attributes });
  const viewed: string[] = [];
  card.addEventListener('pulse-view', ({ detail }) => viewed.push(`${detail.sourceId} ${detail.pulse.jobRunId}`));
  await until(card, 'ready');
  return { bff, card, viewed };
}

const isSecond = ({ afterMs }: Alarm) => afterMs === 1_000;

/** Waits one second, which is how long a card must be in view. */
async function passSecond(alarms: Alarm[]): Promise<void> {
  await frames();
  for (const { ring } of alarms.splice(0).filter(isSecond)) ring();
}

/** Waits until the card is in view, and one second longer. */
async function view(alarms: Alarm[]): Promise<void> {
  await eventually(() => alarms.some(isSecond));
  await passSecond(alarms);
}

/** Waits for three animation frames. Observers report before the second frame. */
async function frames(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

describe('pulse-view', () => {
  before(loadAfterPaint);
  beforeEach(() => setViewport({ width: 800, height: 600 }));
  afterEach(clearStage);

  it('is dispatched once per run, after half the card has been visible for a second', async () => {
    await withAlarms(async (alarms) => {
      const { viewed } = await stageBelow(0);
      await eventually(() => alarms.some(isSecond));
      expect(viewed).to.deep.equal([]);
      await view(alarms);
      await passSecond(alarms);
      expect(viewed).to.deep.equal(['ready-1 run_1']);
    });
  });

  it('is dispatched again for the next run', async () => {
    await withAlarms(async (alarms) => {
      const { bff, card, viewed } = await stageBelow(0, { live: '' });
      await view(alarms);
      await bff.deliver('ready-1', 'run_2');
      tick();
      await eventually(() => card.currentPulse?.jobRunId === 'run_2');
      await view(alarms);
      expect(viewed).to.deep.equal(['ready-1 run_1', 'ready-1 run_2']);
    });
  });

  it('isn’t dispatched again for a run that was reported before', async () => {
    await withAlarms(async (alarms) => {
      const { bff, card, viewed } = await stageBelow(0, { live: '' });
      await view(alarms);
      for (const [run, pass] of [
        ['run_2', view],
        ['run_1', passSecond],
      ] as const) {
        await bff.deliver('ready-1', run);
        tick();
        await eventually(() => card.currentPulse?.jobRunId === run);
        await pass(alarms);
      }
      expect(viewed).to.deep.equal(['ready-1 run_1', 'ready-1 run_2']);
    });
  });

  for (const [what, below, isSeen] of [
    ['less than half of the card is visible', 560, false],
    ['more than half of the card is visible', 480, true],
  ] as const)
    it(`is ${isSeen ? '' : 'not '}dispatched if ${what}`, async () => {
      await withAlarms(async (alarms) => {
        const { viewed } = await stageBelow(below, { style: 'display:block;width:600px' });
        await (isSeen ? view : passSecond)(alarms);
        expect(viewed.length).to.equal(Number(isSeen));
      });
    });

  it('is dispatched for a card that is larger than the viewport and fills half of it', async () => {
    await withAlarms(async (alarms) => {
      const { viewed } = await stageBelow(0, { variant: 'card', style: 'display:block;height:3000px' });
      await view(alarms);
      expect(viewed).to.have.length(1);
    });
  });

  it('waits until the page has been visible for a whole second', async () => {
    await withAlarms(async (alarms) => {
      const { viewed } = await stageBelow(0);
      await eventually(() => alarms.some(isSecond));
      const [early] = alarms.filter(isSecond);
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      setHidden(true);
      await frames();
      Reflect.deleteProperty(document, 'visibilityState');
      expect(viewed).to.deep.equal([]);
      setHidden(false);
      const next = () => alarms.filter((alarm) => alarm !== early);
      await eventually(() => next().some(isSecond));
      await passSecond(next());
      expect(viewed).to.have.length(1);
    });
  });

  it('isn’t dispatched for a card without a pulse', async () => {
    await withAlarms(async (alarms) => {
      const viewed: Event[] = [];
      const card: PulseCard = await stageCard(new StubBff(), 'empty-1', { loading: 'eager' });
      card.addEventListener('pulse-view', (event) => viewed.push(event));
      await until(card, 'empty');
      await passSecond(alarms);
      expect(viewed).to.deep.equal([]);
    });
  });
});
