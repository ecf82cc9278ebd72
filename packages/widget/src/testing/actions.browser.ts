import { expect } from 'chai';
import { sendKeys, sendMouse } from '@web/test-runner-commands';
import {
  allowSharing,
  buttonsOf,
  clearActions,
  replace,
  stageActions,
  watchClipboard,
  watchDownloads,
} from './action-stage.ts';
import { eventually, itEmulating, linesOf, openPage, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

/** Moves the mouse to the middle of `element`. */
async function hover(element: Element): Promise<void> {
  element.scrollIntoView({ block: 'center' });
  const { x, y, width, height } = element.getBoundingClientRect();
  await sendMouse({ type: 'move', position: [Math.round(x + width / 2), Math.round(y + height / 2)] });
}

const isMenuOpen = (card: Parameters<typeof buttonsOf>[0]) =>
  buttonsOf(card).every((button) => button.checkVisibility());

describe('a card’s actions', () => {
  afterEach(clearActions);

  it('don’t exist by default', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(card.shadowRoot?.querySelector('[part=actions]')).to.equal(null);
  });

  it('are the known values in the actions attribute, always in the same order', async () => {
    allowSharing();
    watchClipboard();
    const { card } = await stageActions({ actions: 'share  print copy' });
    expect(buttonsOf(card).map(({ textContent }) => textContent)).to.deep.equal(['Copy', 'Share']);
  });

  it('exclude actions that the browser doesn’t support', async () => {
    replace(navigator, 'canShare', () => false);
    replace(navigator, 'clipboard', undefined);
    const { card } = await stageActions();
    expect(buttonsOf(card).map(({ value }) => value)).to.deep.equal(['save']);
  });

  it('omit sharing if the browser forbids to ask whether it can share', async () => {
    replace(navigator, 'canShare', () => {
      throw new DOMException('blocked', 'SecurityError');
    });
    const { card } = await stageActions({ actions: 'save share' });
    expect(buttonsOf(card).map(({ value }) => value)).to.deep.equal(['save']);
  });

  it('appear on each of a board’s cards', async () => {
    const board = await until(await stageBoard(new StubBff(), { actions: 'save', loading: 'eager' }), 'ready');
    await eventually(() => board.shadowRoot?.querySelector('pulse-card')?.shadowRoot?.querySelector('[value=save]'));
  });

  it('aren’t shown on a card without a pulse', async () => {
    const card = await until(await stageCard(new StubBff(), 'empty-1', { actions: 'save' }), 'empty');
    expect(card.shadowRoot?.querySelector('[part=actions]')).to.equal(null);
  });

  for (const width of ['600px', '300px'])
    itEmulating({ media: 'print' })(`are not printed: ${width}`, async () => {
      const { card } = await stageActions({ attributes: { style: `width:${width}` } });
      const buttons = [...(card.shadowRoot?.querySelectorAll('[part=actions] button') ?? [])];
      expect(buttons.filter((button) => button.checkVisibility())).to.deep.equal([]);
    });

  it('dispatch an event with the action that was used', async () => {
    watchClipboard();
    const saved = watchDownloads();
    const { card } = await stageActions();
    const used: string[] = [];
    card.addEventListener('pulse-action', ({ detail }) => used.push(`${detail.sourceId} ${detail.action}`));
    for (const button of buttonsOf(card).slice(0, 2)) button.click();
    await eventually(() => used.length === 2 && saved.length === 1);
    expect(used).to.deep.equal(['proxied-1 copy', 'proxied-1 save']);
  });

  for (const [what, dir, lang] of [
    ['light', 'ltr', 'en'],
    ['dark', 'rtl', 'ar'],
  ] as const)
    it(`pass axe’s accessibility checks, both in a row and in an open menu: ${what}, ${dir}`, async () => {
      const bff = new StubBff();
      const card = (width: number) =>
        `<pulse-card actions="copy save" loading="eager" source-id="ready-1" theme="${what}" style="width: ${width}px"></pulse-card>`;
      const frame = await openPage(
        `<script src="/node_modules/axe-core/axe.min.js"></script><script type="module" src="${bff.base}/pulse-card.js"></script><main><h1>Reports</h1><h2>Today</h2>${card(600)}${card(320)}</main>`,
        { dir, lang, scheme: what },
      );
      const menu = () =>
        [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])]
          .map(({ shadowRoot }) => shadowRoot?.querySelector<HTMLElement>('.more'))
          .at(-1);
      await eventually(menu);
      menu()?.click();
      await eventually(() => menu()?.ariaExpanded === 'true');
      const { axe } = frame.contentWindow as unknown as { axe: { run(): Promise<{ violations: object[] }> } };
      expect(JSON.stringify((await axe.run()).violations, ['id', 'nodes', 'html', 'failureSummary'])).to.equal('[]');
    });

  describe('before a click', () => {
    /** Fires an event that begins a click or precedes one. */
    const fire = (event: Event, target: Element) => void target.dispatchEvent(event);
    const bubbles = { bubbles: true, composed: true };
    it('don’t load an image until a button is pressed', async () => {
      const { bff, card } = await stageActions({ sourceId: 'ready-1' });
      await hover(within(card, '[value=save]'));
      within(card, '[value=save]').focus();
      expect(await bff.asked('image?run=')).to.have.length(0);
    });

    it('load the image as soon as a button is pressed down', async () => {
      const { bff, card } = await stageActions({ sourceId: 'ready-1' });
      fire(new PointerEvent('pointerdown', bubbles), within(card, '[value=save]'));
      await eventually(async () => (await bff.asked('image?run=')).length === 1);
    });

    it('don’t load an image if the Copy button is pressed', async () => {
      const { bff, card } = await stageActions({ sourceId: 'ready-1' });
      fire(new PointerEvent('pointerdown', bubbles), within(card, '[value=copy]'));
      const { bff: other, card: copied } = await stageActions({ sourceId: 'ready-1', actions: 'copy' });
      fire(new PointerEvent('pointerdown', bubbles), within(copied, '.more'));
      fire(new PointerEvent('pointerdown', bubbles), within(card, '[value=save]'));
      await eventually(async () => (await bff.asked('image?run=')).length === 1);
      expect(await other.asked('image?run=')).to.deep.equal([]);
    });
  });

  describe('copy', () => {
    it('copies the finding and its details to the clipboard, as text and HTML', async () => {
      const written = watchClipboard();
      const { card } = await stageActions();
      buttonsOf(card)[0]?.click();
      await eventually(() => written[0]);
      const [text = '', html = ''] = [written[0]?.['text/plain'], written[0]?.['text/html']];
      const [facts = '', finding = '', url] = text.split('\n');
      expect(facts).to.match(/^US nonfarm employment · AI-generated · \w+ \d+, \d{4}$/);
      expect(finding).to.match(/^Payrolls reached 143.1 million/);
      expect(url).to.equal(location.href.replace(/#.*/, ''));
      expect(html).to.match(/<a href=".*">US nonfarm employment · AI-generated · .*<b>Payrolls reached/);
      await eventually(() => document.querySelector('[role=status]')?.textContent === 'Copied');
    });

    it('contains the reviewer and the name from the page', async () => {
      const written = watchClipboard();
      const { card } = await stageActions({ attributes: { 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_1' } });
      card.append(Object.assign(document.createElement('b'), { slot: 'name', textContent: 'Jobs' }));
      await card.copyText();
      expect(written[0]?.['text/plain']).to.match(/^Jobs · AI-generated, reviewed by Ada · /);
    });

    it('escapes markup in a name', async () => {
      const written = watchClipboard();
      const { card } = await stageActions();
      card.append(Object.assign(document.createElement('b'), { slot: 'name', textContent: '<img src=x>&"' }));
      await card.copyText();
      expect(written[0]?.['text/html']).to.contain('>&#60;img src=x&#62;&#38;&#34; · ');
    });

    it('uses the card’s language', async () => {
      const written = watchClipboard();
      const { card } = await stageActions({ attributes: { lang: 'de' } });
      await eventually(() => within(card, '[part=note]').textContent?.includes('KI-generiert'));
      await card.copyText();
      expect(written[0]?.['text/plain']).to.match(/ · KI-generiert · \d\d\.\d\d\.\d{4}\n/);
    });

    it('rejects if the browser blocks the action, and logs the reason if the button was pressed', async () => {
      replace(navigator, 'clipboard', { write: () => Promise.reject(new Error('Not allowed')) });
      const { card } = await stageActions();
      expect(await card.copyText().catch((error: Error) => error.message)).to.equal('Not allowed');
      const lines = await linesOf(async () => {
        buttonsOf(card)[0]?.click();
        await eventually(() => card.shadowRoot?.adoptedStyleSheets[0]);
        await card.copyText().catch(() => undefined);
      });
      expect(lines).to.deep.equal(['pulse-card: Can’t copy the card: Not allowed']);
      await eventually(() => document.querySelector('[role=status]')?.textContent === 'That didn’t work. Try again.');
    });

    it('rejects if the card has nothing to copy', async () => {
      const card = await until(await stageCard(new StubBff(), 'empty-1'), 'empty');
      for (const attempt of [card.copyText(), card.toBlob()])
        expect(await attempt.catch((error: Error) => error.message)).to.match(/^no pulse/);
    });
  });

  describe('in a narrow card', () => {
    it('are in a menu that closes on Escape or when focus leaves it', async () => {
      const { card } = await stageActions({ attributes: { style: 'width:360px' } });
      const menu = within(card, '.more');
      expect(isMenuOpen(card)).to.equal(false);
      menu.click();
      await eventually(() => isMenuOpen(card));
      buttonsOf(card)[0]?.focus();
      await sendKeys({ press: 'Escape' });
      expect(isMenuOpen(card)).to.equal(false);
      expect(card.shadowRoot?.activeElement).to.equal(menu);
      menu.click();
      await eventually(() => isMenuOpen(card));
      buttonsOf(card)[0]?.focus();
      within(card, '[part=toggle]').focus();
      expect(isMenuOpen(card)).to.equal(false);
    });

    it('are in a menu that closes on a click outside it', async () => {
      const { card } = await stageActions({ attributes: { style: 'width:360px' } });
      within(card, '.more').click();
      await eventually(() => isMenuOpen(card));
      buttonsOf(card)[0]?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, composed: true }));
      expect(isMenuOpen(card)).to.equal(true);
      within(card, 'header').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, composed: true }));
      expect(isMenuOpen(card)).to.equal(false);
    });

    it('can be used with the keyboard, after which focus returns to the menu’s button', async () => {
      const written = watchClipboard();
      const { card } = await stageActions({ attributes: { style: 'width:360px' } });
      const menu = within(card, '.more');
      menu.focus();
      await sendKeys({ press: 'Enter' });
      await eventually(() => isMenuOpen(card));
      await sendKeys({ press: 'Tab' });
      await sendKeys({ press: ' ' });
      await eventually(() => written[0]);
      expect(card.shadowRoot?.activeElement).to.equal(menu);
      await eventually(() => menu.classList.contains('done'));
    });

    for (const dir of ['ltr', 'rtl'])
      it(`are inside the card, in every variant that has a footer: ${dir}`, async () => {
        for (const variant of ['card', 'text', 'compact'])
          for (const width of ['240px', '360px']) {
            const { card } = await stageActions({ attributes: { style: `width:${width}`, variant, dir } });
            within(card, '.more').click();
            await eventually(() => buttonsOf(card)[0]?.checkVisibility());
            const box = card.getBoundingClientRect();
            for (const button of buttonsOf(card)) {
              const { left, right, top, bottom } = button.getBoundingClientRect();
              expect(left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom).to.equal(true);
            }
          }
      });

    it('are in a menu if the chart leaves little room for the footer', async () => {
      const { card } = await stageActions({ attributes: { style: 'width:600px', variant: 'compact' } });
      expect(within(card, '.more').checkVisibility()).to.equal(true);
    });
  });

  for (const dir of ['ltr', 'rtl'])
    it(`are next to the toggle in a wide card, without a menu: ${dir}`, async () => {
      const { card } = await stageActions({ attributes: { style: 'width:600px', dir } });
      expect(within(card, '.more').checkVisibility()).to.equal(false);
      const toggle = within(card, '[part=toggle]').getBoundingClientRect();
      for (const button of buttonsOf(card)) {
        const { left, right, width, height } = button.getBoundingClientRect();
        if (dir === 'ltr') expect(right).to.be.at.most(toggle.left + 10);
        else expect(left).to.be.at.least(toggle.right - 10);
        expect(Math.min(width, height)).to.be.at.least(24);
      }
    });
});
