import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { buttonsOf, clearActions, replace, stageActions, watchDownloads, watchWindows } from './action-stage.ts';
import { type Alarm, eventually, linesOf, openPage, StubBff, until, withAlarms, within } from './stage.ts';

/** Waits until the card at `frame` has logged that the file with the code for buttons can’t be loaded. */
function missed({ contentWindow }: HTMLIFrameElement, act: () => void): Promise<unknown> {
  const page = contentWindow as Window & typeof globalThis;
  return linesOf(async (lines) => {
    act();
    await eventually(() => lines.some((line) => line.includes('pulse-card-extras')));
  }, page);
}

describe('the file with the code for buttons', () => {
  afterEach(clearActions);

  it('is loaded again on the next click if loading failed', async () => {
    const bff = new StubBff('unreliable');
    const html = `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`;
    const frame = await openPage(html);
    const card = frame.contentDocument?.querySelector('pulse-card') as PulseCard;
    await until(card, 'ready');
    const button = within(card, '[part=enlarge]');
    const approach = () => button.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
    await missed(frame, approach);
    approach();
    button.click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    expect(await bff.asked('extras')).to.have.length(2);
  });

  for (const [what, attributes, part] of [
    ['earlier findings', 'history open', '[part=history]'],
    ['actions', 'actions="save"', '[part=actions]'],
  ] as const)
    it(`is requested again for ${what}, at most every five seconds`, async () => {
      const bff = new StubBff('unreliable');
      const html = `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="past-1" defer-hydration ${attributes}></pulse-card>`;
      const frame = await openPage(html);
      const card = frame.contentDocument?.querySelector('pulse-card') as PulseCard;
      await missed(frame, () => card.removeAttribute('defer-hydration'));
      await until(card, 'ready');
      for (let updates = 0; updates < 5; updates++) {
        card.requestUpdate();
        await card.updateComplete;
      }
      expect(await bff.asked('extras')).to.have.length(1);
      const { Date: PageDate } = frame.contentWindow as unknown as { Date: DateConstructor };
      const { now } = PageDate;
      PageDate.now = () => now() + 6_000;
      card.requestUpdate();
      await eventually(() => card.shadowRoot?.querySelector(part));
    });
});

/** Fires the timers that are set until `fact` holds. */
function ringUntil(alarms: Alarm[], fact: () => unknown): Promise<void> {
  return eventually(() => {
    for (const { ring, afterMs } of alarms.splice(0)) if (afterMs <= 10_000) ring();
    return fact();
  });
}

describe('a browser that never responds', () => {
  afterEach(clearActions);

  const never = () => new Promise<never>(() => undefined);
  const outcomes = (promise: Promise<unknown>): string[] => {
    const list: string[] = [];
    void promise.then(
      () => list.push('resolved'),
      () => list.push('rejected'),
    );
    return list;
  };

  for (const [what, actions, call, hang] of [
    ['toBlob()', 'save', 'toBlob', () => replace(HTMLCanvasElement.prototype, 'toBlob', () => undefined)],
    ['createImageBitmap()', 'save', 'toBlob', () => replace(globalThis, 'createImageBitmap', never)],
    ['the clipboard', 'copy', 'copyText', () => replace(navigator, 'clipboard', { write: never, writeText: never })],
  ] as const)
    it(`makes the method reject, and shows a message to a reader who clicks the button: ${what}`, () =>
      withAlarms(async (alarms) => {
        hang();
        const { card } = await stageActions({ actions });
        const called = outcomes(card[call]());
        await ringUntil(alarms, () => called.length);
        expect(called).to.deep.equal(['rejected']);
        buttonsOf(card)[0]?.click();
        await ringUntil(alarms, () => within(card, 'footer').innerText.includes('That didn’t work'));
      }));
});

/** Replaces the method that turns a canvas into a file. */
function makeCanvasReturn(file: Blob | null): void {
  replace(HTMLCanvasElement.prototype, 'toBlob', (onFile: BlobCallback) => onFile(file));
}

describe('a browser that doesn’t turn a canvas into a file', () => {
  afterEach(clearActions);

  for (const [what, block] of [
    ['no file', () => makeCanvasReturn(null)],
    ['an empty file', () => makeCanvasReturn(new Blob())],
  ] as const)
    it(`makes toBlob() reject, and the button opens the chart: ${what}`, async () => {
      block();
      const [opened, saved] = [watchWindows(), watchDownloads()];
      const { card } = await stageActions({ actions: 'save' });
      expect(await card.toBlob().catch((error: Error) => error.message)).to.contain('PNG');
      buttonsOf(card)[0]?.click();
      await eventually(() => opened.length + saved.length);
      expect([opened, saved]).to.deep.equal([[card.currentPulse?.imageUrl], []]);
    });
});
