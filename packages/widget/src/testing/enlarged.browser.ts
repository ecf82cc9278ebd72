import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, openPage, StubBff } from './stage.ts';

/** Opens the enlarged view of a card on a separate page. */
async function enlarge(
  widthPx: number,
  {
    sourceId = 'ready-1',
    heightPx = 700,
    attributes = '',
    ...page
  }: Readonly<{ sourceId?: string; heightPx?: number; attributes?: string; lang?: string; dir?: string }> = {},
): Promise<HTMLDialogElement> {
  const bff = new StubBff();
  const frame = await openPage(
    `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="${sourceId}" ${attributes}></pulse-card>`,
    page,
    widthPx,
  );
  frame.height = String(heightPx);
  const root = () => frame.contentDocument?.querySelector('pulse-card')?.shadowRoot;
  await eventually(() => root()?.querySelector('[part=enlarge]'));
  root()?.querySelector<HTMLElement>('[part=enlarge]')?.click();
  await eventually(() => root()?.querySelector('dialog')?.open);
  const dialog = root()?.querySelector('dialog') as HTMLDialogElement;
  await eventually(() => dialog.querySelector('img')?.naturalWidth);
  return dialog;
}

/** The positions of the name and the date. */
function factsOf(dialog: Element): DOMRect[] {
  return [...dialog.querySelectorAll('p > *')].map((fact) => fact.getBoundingClientRect());
}

function imageIn(dialog: Element): HTMLImageElement {
  return dialog.querySelector('img') as HTMLImageElement;
}

function press(dialog: Element, key: string): void {
  dialog.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** Simulates fingers at these positions, measured from the left. Desktop browsers don't support `TouchEvent`. */
function touch(target: Element, type: string, ...places: readonly number[]): void {
  const touches = places.map((clientX) => ({ clientX, clientY: 200 }));
  target.dispatchEvent(Object.assign(new UIEvent(type, { bubbles: true, cancelable: true }), { touches }));
}

describe('the enlarged chart', () => {
  afterEach(clearStage);

  for (const widthPx of [240, 320, 390]) {
    describe(`in a window that is ${widthPx} px wide`, () => {
      it('covers the whole page', async () => {
        const dialog = await enlarge(widthPx);
        expect(getComputedStyle(dialog, '::backdrop').backgroundColor).to.equal('rgb(20, 22, 27)');
      });

      for (const sourceId of ['ready-1', 'bold-1'])
        it(`gives the finding the full width and puts the label before it: ${sourceId}`, async () => {
          const dialog = await enlarge(widthPx, { sourceId });
          const note = dialog.querySelector('[part=note]') as HTMLElement;
          const finding = document.createRange();
          finding.selectNodeContents(dialog.querySelector('div') as Element);
          const { width, top } = finding.getBoundingClientRect();
          expect(note.getBoundingClientRect().bottom).to.be.at.most(top + 1);
          expect(width).to.be.above(0.75 * dialog.clientWidth);
        });

      it('leaves space between the date and the finding', async () => {
        const dialog = await enlarge(widthPx);
        const finding = dialog.querySelector('div') as HTMLElement;
        expect(finding.getBoundingClientRect().top - (factsOf(dialog)[1]?.bottom ?? 0)).to.be.at.least(6);
      });

      it('keeps the date on one line', async () => {
        const dialog = await enlarge(widthPx);
        const [name, date] = factsOf(dialog);
        expect(date?.height).to.equal(name?.height);
      });
    });
  }

  for (const [sourceId, widthPx, heightPx, what] of [
    ['ready-1', 390, 700, 'as wide as a narrow window'],
    ['ready-1', 844, 390, 'not smaller than in its card, on a phone on its side'],
    ['ready-1', 1280, 720, 'as large as the window of a laptop allows'],
    ['square-1', 1280, 720, 'as high as the window'],
    ['sized-900x1200', 844, 390, 'not smaller than in its card, if it is high'],
  ] as const) {
    it(`is ${what}: ${sourceId} in ${widthPx} × ${heightPx} px`, async () => {
      const dialog = await enlarge(widthPx, { sourceId, heightPx });
      await eventually(() => dialog.clientHeight === heightPx);
      const image = imageIn(dialog);
      const inCard = (dialog.getRootNode() as ShadowRoot).querySelector('[part=image]') as HTMLImageElement;
      const ratio = image.naturalWidth / image.naturalHeight;
      expect(image.offsetWidth).to.be.at.least(Math.min(inCard.offsetWidth, inCard.offsetHeight * ratio) - 1);
      const fit = Math.min(dialog.clientWidth, dialog.clientHeight * ratio);
      expect(image.offsetWidth).to.be.at.least(0.86 * fit);
      expect(image.offsetWidth / image.offsetHeight).to.be.closeTo(ratio, 0.02);
    });

    it(`isn’t covered by the buttons: ${sourceId} in ${widthPx} × ${heightPx} px`, async () => {
      const dialog = await enlarge(widthPx, { sourceId, heightPx });
      await eventually(() => dialog.clientHeight === heightPx);
      const chart = imageIn(dialog).getBoundingClientRect();
      for (const button of dialog.querySelectorAll('button')) {
        const { left, bottom } = button.getBoundingClientRect();
        expect(left >= chart.right || bottom <= chart.top).to.equal(true);
      }
    });
  }

  for (const [sourceId, widthPx, heightPx] of [
    ['ready-1', 390, 700],
    ['sized-900x1200', 844, 390],
  ] as const)
    it(`has its close button in the top right corner: ${sourceId} in ${widthPx} × ${heightPx} px`, async () => {
      const dialog = await enlarge(widthPx, { sourceId, heightPx });
      await eventually(() => dialog.clientHeight === heightPx);
      const close = dialog.querySelector('[part=close]') as HTMLElement;
      const { right, top } = close.getBoundingClientRect();
      expect([right, top]).to.deep.equal([dialog.clientWidth - 4, 4]);
    });

  it('marks its chart and its finding with the AI-generated text’s language', async () => {
    const dialog = await enlarge(600, { attributes: 'summary-lang="de"' });
    expect(imageIn(dialog).lang).to.equal('de');
    expect(dialog.querySelector<HTMLElement>('[ai-disclosure]')?.lang).to.equal('de');
  });

  it('shows its text below the chart, within the window’s width', async () => {
    const dialog = await enlarge(844, { heightPx: 390 });
    const words = dialog.querySelector('.words') as HTMLElement;
    expect(words.getBoundingClientRect().top).to.be.at.least(imageIn(dialog).getBoundingClientRect().bottom - 1);
    dialog.scrollTo(0, 9_999);
    expect(words.getBoundingClientRect().bottom).to.be.at.most(391);
    expect(words.getBoundingClientRect().right).to.be.at.most(844);
  });

  describe('at its natural size', () => {
    it('appears after a click, with the clicked point in the same position', async () => {
      const dialog = await enlarge(600, { heightPx: 400 });
      const image = imageIn(dialog);
      const before = image.getBoundingClientRect();
      const [clientX, clientY] = [before.left + 0.7 * before.width, before.top + 0.5 * before.height];
      image.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, clientX, clientY }));
      expect(image.offsetWidth).to.equal(1_600);
      const after = image.getBoundingClientRect();
      expect((clientX - after.left) / after.width).to.be.closeTo(0.7, 0.01);
      expect(dialog.querySelector('.zoom')?.getAttribute('aria-pressed')).to.equal('true');
      image.click();
      expect(image.offsetWidth).to.be.below(601);
      expect(dialog.querySelector('.zoom')?.getAttribute('aria-pressed')).to.equal('false');
    });

    it('starts with the button, the + key, or a pinch, and ends with the - key', async () => {
      const dialog = await enlarge(600, { heightPx: 400 });
      const image = imageIn(dialog);
      const actions = [
        () => dialog.querySelector<HTMLElement>('.zoom')?.click(),
        () => press(dialog, '+'),
        () => {
          const pinch = { deltaY: -900, ctrlKey: true, bubbles: true, cancelable: true };
          expect(image.dispatchEvent(new WheelEvent('wheel', pinch))).to.equal(false);
        },
      ];
      for (const act of actions) {
        act();
        expect(image.offsetWidth).to.equal(1_600);
        press(dialog, '-');
        expect(image.offsetWidth).to.be.below(601);
      }
    });

    it('follows a two-finger pinch, up to its natural size', async () => {
      const dialog = await enlarge(600, { heightPx: 400 });
      const image = imageIn(dialog);
      const before = image.offsetWidth;
      touch(image, 'touchstart', 200, 300);
      touch(image, 'touchmove', 150, 350);
      expect(image.offsetWidth).to.be.closeTo(before * 2, 2);
      touch(image, 'touchmove', 0, 600);
      expect(image.offsetWidth).to.equal(1_600);
      touch(image, 'touchend');
    });

    it('scrolls with the arrow keys or by dragging, and doesn’t treat a drag as a click', async () => {
      const dialog = await enlarge(600, { heightPx: 400 });
      const image = imageIn(dialog);
      press(dialog, '+');
      const { scrollLeft, scrollTop } = dialog;
      press(dialog, 'ArrowRight');
      press(dialog, 'ArrowDown');
      expect([dialog.scrollLeft, dialog.scrollTop]).to.deep.equal([scrollLeft + 80, scrollTop + 80]);
      const drag = (type: string, clientX: number, buttons: number) =>
        image.dispatchEvent(
          new PointerEvent(type, { bubbles: true, pointerType: 'mouse', clientX, clientY: 50, buttons }),
        );
      drag('pointerdown', 300, 1);
      drag('pointermove', 250, 1);
      drag('pointerup', 250, 0);
      image.click();
      expect(dialog.scrollLeft).to.equal(scrollLeft + 130);
      expect(image.offsetWidth).to.equal(1_600);
    });

    it('doesn’t affect the mouse wheel or the browser’s context menu', async () => {
      const image = imageIn(await enlarge(600, { heightPx: 400 }));
      for (const event of [new WheelEvent('wheel', { deltaY: 50 }), new MouseEvent('contextmenu')]) {
        const own = new (event.constructor as typeof Event)(event.type, { bubbles: true, cancelable: true });
        expect(image.dispatchEvent(own)).to.equal(true);
      }
      expect(image.ownerDocument.elementFromPoint(300, 200)?.localName).to.equal('pulse-card');
      expect((image.getRootNode() as ShadowRoot).elementFromPoint(300, 200)).to.equal(image);
    });
  });

  it('closes when its card is moved', async () => {
    const dialog = await enlarge(600);
    const { host } = dialog.getRootNode() as ShadowRoot;
    host.parentElement?.prepend(host);
    await (host as PulseCard).updateComplete;
    expect(host.shadowRoot?.querySelector('dialog')?.checkVisibility()).not.to.equal(true);
  });

  it('keeps the name and the date apart if their text direction differs from the page’s', async () => {
    const dialog = await enlarge(600, { lang: 'ar', dir: 'rtl' });
    const [name, date] = factsOf(dialog);
    expect(date?.right).to.be.below(name?.left ?? 0);
  });

  it('has a focus ring that is visible against the dark background', async () => {
    const dialog = await enlarge(390);
    const button = dialog.querySelector('[part=close]') as HTMLElement;
    button.focus({ focusVisible: true });
    expect(getComputedStyle(button).outlineColor).to.equal('rgb(255, 255, 255)');
  });
});
