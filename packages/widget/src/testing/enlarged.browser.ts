import { expect } from '@open-wc/testing';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, openPage, StubBff } from './stage.ts';

/** Opens the enlarged view of a card on a page of its own. */
async function enlarge(
  widthPx: number,
  {
    sourceId = 'ready-1',
    heightPx = 700,
    ...page
  }: Readonly<{ sourceId?: string; heightPx?: number; lang?: string; dir?: string }> = {},
): Promise<HTMLDialogElement> {
  const bff = new StubBff();
  const frame = await openPage(
    `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="${sourceId}"></pulse-card>`,
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

/** The places of what stands above the finding: name and date. */
function factsOf(dialog: Element): DOMRect[] {
  return [...dialog.querySelectorAll('p > *')].map((fact) => fact.getBoundingClientRect());
}

describe('the enlarged chart', () => {
  afterEach(clearStage);

  for (const widthPx of [240, 320, 390]) {
    describe(`in a window ${widthPx} px wide`, () => {
      it('lets nothing of the page through', async () => {
        const dialog = await enlarge(widthPx);
        expect(getComputedStyle(dialog, '::backdrop').backgroundColor).to.equal('rgb(20, 22, 27)');
      });

      for (const sourceId of ['ready-1', 'bold-1'])
        it(`gives the finding all of its width, and puts the note before it: ${sourceId}`, async () => {
          const dialog = await enlarge(widthPx, { sourceId });
          const note = dialog.querySelector('[part=note]') as HTMLElement;
          const finding = document.createRange();
          finding.selectNodeContents(dialog.querySelector('div') as Element);
          const { width, top } = finding.getBoundingClientRect();
          expect(note.getBoundingClientRect().bottom).to.be.at.most(top + 1);
          expect(width).to.be.above(0.75 * dialog.clientWidth);
        });

      it('leaves room between the date and the finding', async () => {
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

  for (const sourceId of ['ready-1', 'square-1', 'sized-900x1200']) {
    for (const [widthPx, heightPx] of [
      [844, 390],
      [1280, 720],
      [390, 700],
    ] as const) {
      it(`is whole in a window of ${widthPx} × ${heightPx} px: ${sourceId}`, async () => {
        const dialog = await enlarge(widthPx, { sourceId, heightPx });
        await eventually(() => dialog.ownerDocument.defaultView?.innerHeight === heightPx);
        expect(dialog.scrollHeight).to.be.at.most(dialog.clientHeight);
      });
    }
  }

  it('closes where its card is moved: it is no modal dialog any more', async () => {
    const dialog = await enlarge(600);
    const { host } = dialog.getRootNode() as ShadowRoot;
    host.parentElement?.prepend(host);
    await (host as PulseCard).updateComplete;
    expect(host.shadowRoot?.querySelector('dialog')?.checkVisibility()).not.to.equal(true);
  });

  it('keeps a name and a date of other directions apart', async () => {
    const dialog = await enlarge(600, { lang: 'ar', dir: 'rtl' });
    const [name, date] = factsOf(dialog);
    expect(date?.right).to.be.below(name?.left ?? 0);
  });

  it('has a focus ring that stands out from the scrim', async () => {
    const dialog = await enlarge(390);
    const button = dialog.querySelector('[part=close]') as HTMLElement;
    button.focus({ focusVisible: true });
    expect(getComputedStyle(button).outlineColor).to.equal('rgb(255, 255, 255)');
  });
});
