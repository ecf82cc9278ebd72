import { expect } from '@open-wc/testing';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

interface Stage {
  readonly sourceId?: string;
  readonly actions?: string;
  readonly bff?: StubBff;
  readonly attributes?: Readonly<Record<string, string>>;
}

async function stage({
  sourceId = 'proxied-1',
  actions = 'copy save share',
  bff = new StubBff(),
  attributes = {},
}: Stage = {}) {
  const card = await until(await stageCard(bff, sourceId, { actions, loading: 'eager', ...attributes }), 'ready');
  return { bff, card };
}

const buttonsOf = (card: PulseCard) => [
  ...(card.shadowRoot?.querySelectorAll<HTMLButtonElement>('[part=actions] button[value]') ?? []),
];

const restores: (() => void)[] = [];

/** Replaces a property of `target` until the end of the test. */
function replace<Target extends object>(target: Target, name: keyof Target, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  restores.push(() => (before ? Object.defineProperty(target, name, before) : Reflect.deleteProperty(target, name)));
}

/** The clipboard after this, as text by type. */
function watchClipboard(): Record<string, string>[] {
  const written: Record<string, string>[] = [];
  const write = async ([item]: ClipboardItem[]) => {
    const types = item?.types ?? [];
    const texts = types.map(async (type) => [type, await (await item?.getType(type))?.text()]);
    written.push(Object.fromEntries(await Promise.all(texts)) as Record<string, string>);
  };
  replace(navigator, 'clipboard', { write });
  return written;
}

function allowSharing(): ShareData[] {
  const shared: ShareData[] = [];
  replace(navigator, 'canShare', ({ files }: ShareData) => files?.[0]?.type === 'image/png');
  replace(navigator, 'share', (data: ShareData) => Promise.resolve(void shared.push(data)));
  return shared;
}

/** The addresses that are opened after this. */
function watchWindows(): string[] {
  const opened: string[] = [];
  replace(globalThis, 'open', (url: string) => void opened.push(url));
  return opened;
}

/** The files that are saved after this, by name. */
function watchDownloads(): string[] {
  const saved: string[] = [];
  const click = Reflect.get<HTMLElement, 'click'>(HTMLElement.prototype, 'click');
  replace(HTMLElement.prototype, 'click', function (this: HTMLElement) {
    if (this instanceof HTMLAnchorElement && this.download) saved.push(this.download);
    else click.call(this);
  });
  return saved;
}

describe('the actions of a card', () => {
  afterEach(() => {
    for (const restore of restores.splice(0)) restore();
    clearStage();
  });

  it('are none by default', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    expect(card.shadowRoot?.querySelector('[part=actions]')).to.equal(null);
  });

  it('are the known words of the attribute, in the same order on every card', async () => {
    allowSharing();
    watchClipboard();
    const { card } = await stage({ actions: 'share  print copy' });
    expect(buttonsOf(card).map(({ textContent }) => textContent)).to.deep.equal(['Copy', 'Share']);
  });

  it('leave out what the browser can’t do', async () => {
    replace(navigator, 'canShare', () => false);
    replace(navigator, 'clipboard', undefined);
    const { card } = await stage();
    expect(buttonsOf(card).map(({ value }) => value)).to.deep.equal(['save']);
  });

  it('are on each card of a board', async () => {
    const board = await until(await stageBoard(new StubBff(), { actions: 'save', loading: 'eager' }), 'ready');
    await eventually(() => board.shadowRoot?.querySelector('pulse-card')?.shadowRoot?.querySelector('[value=save]'));
  });

  it('load their code and the picture once a reader is about to press', async () => {
    const { bff, card } = await stage({ sourceId: 'ready-1' });
    expect(await bff.asked('image?run=')).to.deep.equal([]);
    within(card, '[value=save]').dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
    await eventually(async () => (await bff.asked('image?run=')).length === 1);
  });

  it('report which one was used', async () => {
    watchClipboard();
    watchDownloads();
    const { card } = await stage();
    const used: string[] = [];
    card.addEventListener('pulse-action', ({ detail }) => used.push(`${detail.sourceId} ${detail.action}`));
    for (const button of buttonsOf(card).slice(0, 2)) button.click();
    await eventually(() => used.length === 2);
    expect(used).to.deep.equal(['proxied-1 copy', 'proxied-1 save']);
  });

  describe('copy', () => {
    it('puts label, name, date, finding and address on the clipboard, as text and as HTML, and says so', async () => {
      const written = watchClipboard();
      const { card } = await stage();
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

    it('names the reviewer and the name that the page gives', async () => {
      const written = watchClipboard();
      const { card } = await stage({ attributes: { 'ai-reviewed-by': 'Ada', 'ai-reviewed-run': 'run_1' } });
      card.append(Object.assign(document.createElement('b'), { slot: 'name', textContent: 'Jobs' }));
      await card.copyText();
      expect(written[0]?.['text/plain']).to.match(/^Jobs · AI-generated, reviewed by Ada · /);
    });

    it('rejects if there is nothing to copy', async () => {
      const card = await until(await stageCard(new StubBff(), 'empty-1'), 'empty');
      for (const attempt of [card.copyText(), card.toBlob()])
        expect(await attempt.catch((error: Error) => error.message)).to.match(/^Cannot copy or draw the card/);
    });
  });

  describe('the picture', () => {
    it('is a PNG of 1,200 px with the chart of the run that is shown, from the BFF', async () => {
      const { bff, card } = await stage({ sourceId: 'ready-1' });
      const blob = await card.toBlob();
      expect(blob.type).to.equal('image/png');
      const { width, height } = await createImageBitmap(blob);
      expect(width).to.equal(1_200);
      expect(height).to.be.within(850, 1_100);
      expect((await bff.asked('/image')).join()).to.match(/\/v1\/sources\/ready-1\/image\?run=run_1$/);
    });

    it('has no room for a chart that the pulse has not', async () => {
      const { card } = await stage({ sourceId: 'noimage-1' });
      const { height } = await createImageBitmap(await card.toBlob());
      expect(height).to.be.below(400);
    });

    it('has the chart that the page gives as data, without a request', async () => {
      const bff = new StubBff();
      const { card } = await stage({ bff, sourceId: 'noimage-1' });
      const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
      card.pulse = { ...(card.currentPulse as NonNullable<typeof card.currentPulse>), imageUrl: canvas.toDataURL() };
      await eventually(() => card.currentPulse?.imageUrl);
      await card.updateComplete;
      const { height } = await createImageBitmap(await card.toBlob());
      expect(height).to.be.above(800);
      expect(await bff.asked('/image')).to.deep.equal([]);
    });

    it('is fetched with the token of the card', async () => {
      const bff = new StubBff('private');
      const token = `h.${btoa(JSON.stringify({ exp: Date.now() / 1_000 + 300 }))}.s`;
      const card = await stageCard(bff, 'proxied-1', { token });
      await until(card, 'ready');
      const before = (await bff.tokens()).length;
      await card.toBlob();
      expect((await bff.tokens()).length).to.equal(before + 1);
    });

    it('is saved under the name of the card', async () => {
      const saved = watchDownloads();
      const { card } = await stage({ actions: 'save' });
      buttonsOf(card)[0]?.click();
      await eventually(() => saved[0]);
      expect(saved).to.deep.equal(['US nonfarm employment.png']);
    });

    it('is shared as a file', async () => {
      const shared = allowSharing();
      const { card } = await stage({ actions: 'share' });
      buttonsOf(card)[0]?.click();
      await eventually(() => shared[0]);
      expect(shared[0]?.files?.[0]?.name).to.equal('US nonfarm employment.png');
    });

    it('gives way to the address of the chart if the BFF has none of this run', async () => {
      const [saved, opened] = [watchDownloads(), watchWindows()];
      const { card, bff } = await stage({ sourceId: 'gone-1', actions: 'save' });
      expect(await card.toBlob().catch((error: Error) => error.message)).to.match(/^Cannot load .*: not_found/);
      buttonsOf(card)[0]?.click();
      await eventually(() => opened[0]);
      expect([opened, saved]).to.deep.equal([[`${bff.base}/chart.png`], []]);
    });
  });

  describe('in a narrow card', () => {
    it('are in a menu, which Escape and a focus elsewhere close', async () => {
      const { card } = await stage({ attributes: { style: 'width:360px' } });
      const menu = within(card, '.more');
      const isOpen = () => buttonsOf(card).every((button) => button.checkVisibility());
      expect(isOpen()).to.equal(false);
      menu.click();
      await eventually(isOpen);
      menu.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      expect(isOpen()).to.equal(false);
      menu.click();
      await eventually(isOpen);
      buttonsOf(card)[0]?.focus();
      within(card, '[part=toggle]').focus();
      expect(isOpen()).to.equal(false);
    });

    it('are inside the card, in every variant that has a footer', async () => {
      for (const variant of ['card', 'text', 'compact'])
        for (const width of ['240px', '360px']) {
          const { card } = await stage({ attributes: { style: `width:${width}`, variant } });
          within(card, '.more').click();
          await eventually(() => buttonsOf(card)[0]?.checkVisibility());
          const box = card.getBoundingClientRect();
          for (const button of buttonsOf(card)) {
            const { left, right, top, bottom } = button.getBoundingClientRect();
            expect(left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom).to.equal(true);
          }
        }
    });
  });

  it('are next to the toggle in a wide card, without a menu', async () => {
    const { card } = await stage({ attributes: { style: 'width:600px' } });
    expect(within(card, '.more').checkVisibility()).to.equal(false);
    const toggle = within(card, '[part=toggle]').getBoundingClientRect();
    for (const button of buttonsOf(card)) {
      const { right, width, height } = button.getBoundingClientRect();
      expect(right).to.be.at.most(toggle.left + 10);
      expect(Math.min(width, height)).to.be.at.least(24);
    }
  });
});
