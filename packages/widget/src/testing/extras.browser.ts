import { expect } from 'chai';
import { clearStage, eventually, linesOf, openPage, StubBff } from './stage.ts';

/** The digest of the script from `bff`, for a page that pins the script. */
async function integrityOf(bff: StubBff): Promise<string> {
  const bytes = await (await fetch(`${bff.base}/pulse-card.js`)).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
  return `sha384-${btoa(String.fromCharCode(...digest))}`;
}

/** Opens a page with a card and returns its window and the button over the chart. */
async function openCard(bff: StubBff, attributes = '', page: Readonly<Record<string, string>> = {}) {
  const html = `<script type="module" ${attributes} src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`;
  const { contentWindow } = await openPage(html, page);
  const frame = contentWindow as Window & typeof globalThis & { pwned?: boolean };
  const root = () => frame.document.querySelector('pulse-card')?.shadowRoot;
  await eventually(() => root()?.querySelector('[part=enlarge]'));
  const button = root()?.querySelector('[part=enlarge]') as HTMLElement;
  return { frame, button, isOpen: () => root()?.querySelector('dialog')?.open === true };
}

/** Presses `button`. Returns the URLs that the card opens in a new tab and the lines that it logs. */
async function pressed({ frame, button }: Awaited<ReturnType<typeof openCard>>) {
  const opened: string[] = [];
  frame.open = (url) => {
    opened.push(String(url));
    return null;
  };
  const lines = await linesOf(async () => {
    button.click();
    await eventually(() => opened.length > 0);
  }, frame);
  return { opened, lines };
}

describe('the code that is loaded when a button is about to be used', () => {
  afterEach(clearStage);

  for (const [what, event] of [
    ['a mouse is over the button', new PointerEvent('pointerover', { bubbles: true, composed: true })],
    ['the button has the focus', new FocusEvent('focusin', { bubbles: true, composed: true })],
    ['a finger touches the button', new UIEvent('touchstart', { bubbles: true, composed: true })],
  ] as const)
    it(`isn’t loaded until ${what}`, async () => {
      const bff = new StubBff();
      const { button } = await openCard(bff);
      button.parentElement?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
      expect(await bff.asked('extras')).to.deep.equal([]);
      button.dispatchEvent(event);
      await eventually(async () => (await bff.asked('extras')).length === 1);
    });

  it('can be missing, in which case the chart opens in a new tab', async () => {
    const bff = new StubBff('incomplete');
    const { opened, lines } = await pressed(await openCard(bff));
    expect(opened).to.deep.equal([`${bff.base}/chart.png`]);
    expect(lines.join()).to.match(/^pulse-card: Can’t load .*pulse-card-extras-\w+\.js: put it next to pulse-card\.js/);
  });

  it('is requested again on the next click if loading failed', async () => {
    const bff = new StubBff('unreliable');
    const card = await openCard(bff);
    const { opened } = await pressed(card);
    expect(opened).to.have.length(1);
    card.button.click();
    await eventually(card.isOpen);
    // Some browsers remember that a script couldn't be loaded.
    expect((await bff.asked('extras')).at(-1)).to.match(/\.js\?1$/);
  });

  describe('on a page that pins pulse-card.js', () => {
    const pin = async (bff: StubBff) => `integrity="${await integrityOf(bff)}" crossorigin`;

    it('runs if its digest matches the one in pulse-card.js', async () => {
      const bff = new StubBff();
      const { button, isOpen } = await openCard(bff, await pin(bff));
      button.click();
      await eventually(isOpen);
      expect(await bff.asked('extras')).to.have.length(1);
    });

    it('never runs if its file was modified', async () => {
      const bff = new StubBff('tampered');
      const card = await openCard(bff, await pin(bff));
      const { opened } = await pressed(card);
      expect(opened).to.have.length(1);
      expect(card.frame.pwned).to.equal(undefined);
      expect(card.isOpen()).to.equal(false);
    });

    it('runs with the script’s nonce, and with Trusted Types', async () => {
      const bff = new StubBff();
      const csp = `script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types lit-html pulse-card`;
      const { button, isOpen } = await openCard(bff, `nonce="abc" ${await pin(bff)}`, { csp });
      button.click();
      await eventually(isOpen);
    });
  });

  it('runs with the nonce of an unpinned script, and with Trusted Types', async () => {
    const bff = new StubBff();
    const csp = `script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types lit-html`;
    const { button, isOpen } = await openCard(bff, 'nonce="abc"', { csp });
    button.click();
    await eventually(isOpen);
  });
});
