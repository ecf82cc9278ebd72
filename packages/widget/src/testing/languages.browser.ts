import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { BOARD_ENGLISH, ENGLISH, EXTRAS_ENGLISH } from '../i18n/messages.ts';
import { clearStage, eventually, linesOf, openPage, stageBoard, stageCard, StubBff, until, within } from './stage.ts';

/** All English strings in an element, each with the language that its markup specifies. */
function englishIn(element: Element): [language: string, text: string][] {
  const isMessage = (text: string) =>
    Object.values({ ...ENGLISH, ...EXTRAS_ENGLISH, ...BOARD_ENGLISH }).some((message) => text.startsWith(message));
  return [...(element.shadowRoot?.querySelectorAll<HTMLElement>('*') ?? [])].flatMap((inner) => {
    const own = [...inner.childNodes].filter((node) => node instanceof Text).map(({ data }) => data.trim());
    const texts = [...own, inner.ariaLabel ?? '', inner.getAttribute('title') ?? ''];
    return texts.filter(isMessage).map((text): [string, string] => {
      return [inner.closest<HTMLElement>('[lang]')?.lang ?? '', text];
    });
  });
}

const script = (bff: StubBff) => `<script type="module" src="${bff.base}/pulse-card.js"></script>`;

describe('the card’s languages', () => {
  afterEach(clearStage);

  for (const language of ['de', 'ar', 'zh-Hant']) {
    it(`follow the page’s language, and are loaded once for all cards: ${language}`, async () => {
      const bff = new StubBff();
      const texts = (await (await fetch('/src/i18n/translations.json')).json()) as Record<
        string,
        Record<string, string>
      >;
      const card = '<pulse-card source-id="ready-1" loading="eager"></pulse-card>';
      const frame = await openPage(script(bff) + card.repeat(3), { lang: language });
      const cards = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
      const [first] = cards;
      await eventually(() =>
        cards.every(
          (card) => card.shadowRoot?.querySelector('summary')?.textContent === texts['readAnalysis']?.[language],
        ),
      );
      expect(first?.shadowRoot?.querySelector('[part=note] span')?.textContent).to.equal(
        texts['aiGenerated']?.[language],
      );
      expect(first?.shadowRoot?.querySelector('summary')?.lang).to.equal(language);
      const ago = new Intl.RelativeTimeFormat(language).format(-2, 'hour');
      expect(first?.shadowRoot?.querySelector('time')?.textContent).to.equal(ago);
      expect(await bff.asked('pulse-card-lang')).to.have.length(1);
    });
  }

  it('follow the nearest element with a lang attribute, across shadow roots', async () => {
    const bff = new StubBff();
    const outer = document.createElement('div');
    outer.className = 'stage';
    outer.lang = 'de-AT';
    const card = await stageCard(bff, 'ready-1');
    outer.attachShadow({ mode: 'open' }).append(card);
    document.body.append(outer);
    await until(card, 'ready');
    await eventually(() => within(card, 'summary').textContent === 'Analyse lesen');
  });

  it('follow the card’s lang attribute when it changes', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    card.lang = 'fr';
    await eventually(() => within(card, 'summary').textContent === 'Lire l’analyse');
  });

  it('stay English if the page’s language is unknown or invalid', async () => {
    const bff = new StubBff();
    for (const lang of ['eo', 'x y z', '']) {
      const card = await until(await stageCard(bff, 'ready-1', { lang, loading: 'eager' }), 'ready');
      expect(within(card, 'summary').textContent).to.equal('Read the analysis');
    }
    expect(await bff.asked('pulse-card-lang')).to.deep.equal([]);
  });

  for (const [lang, toggle] of [
    ['zh-TW', '閱讀分析'],
    ['zh-HK', '閱讀分析'],
    ['zh-CN', '阅读分析'],
  ] as const) {
    it(`use the Chinese script of ${lang}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { lang }), 'ready');
      await eventually(() => within(card, 'summary').textContent === toggle);
    });
  }

  it('are marked as English if there is no translation', async () => {
    const card = await until(await stageCard(new StubBff(), 'stale-1', { lang: 'cs' }), 'stale');
    for (const selector of ['summary', '[part=status]', '[part=note]', '[part=enlarge]'])
      expect(within(card, selector).lang).to.equal('en');
    expect(within(card, 'time').textContent).to.equal('před 2 hodinami');
  });

  for (const [what, sourceId, attributes] of [
    ['unfolded', 'stale-1', { open: '' }],
    ['as a chart', 'ready-1', { variant: 'chart' }],
    ['without a picture', 'noimage-1', {}],
    ['without a pulse', 'empty-1', {}],
    ['without a source', 'unknown-1', {}],
  ] as const) {
    it(`are marked as English everywhere in a card in a different language: ${what}`, async () => {
      const card = await stageCard(new StubBff(), sourceId, { lang: 'cs', loading: 'eager', ...attributes });
      await until(card, 'ready', 'stale', 'empty', 'error');
      card.shadowRoot?.querySelector<HTMLElement>('[part=enlarge]')?.click();
      await card.updateComplete;
      expect(englishIn(card)).not.to.deep.equal([]);
      expect(englishIn(card).filter(([language]) => language !== 'en')).to.deep.equal([]);
    });
  }

  it('are marked as English everywhere in a board in a different language', async () => {
    const board = await until(await stageBoard(new StubBff(), { lang: 'cs', loading: 'eager' }), 'ready');
    const [card] = board.shadowRoot?.querySelectorAll('pulse-card') ?? [];
    await until(card as PulseCard, 'ready');
    for (const element of [board, card as PulseCard])
      expect(englishIn(element).filter(([language]) => language !== 'en')).to.deep.equal([]);
  });

  for (const [what, foreign] of [
    ['the 404 of a BFF', () => Response.json({ success: false, error: 'Not found', lang: 'de' }, { status: 404 })],
    ['a login page', () => new Response('<h1>Sign in</h1>', { headers: { 'Content-Type': 'text/html' } })],
    ['an answer with another status', () => Response.json({ lang: 'de', retry: 'Nochmal' }, { status: 203 })],
    ['other JSON', () => Response.json({ error: { code: 7 }, toString: 'x', retry: 'Nochmal' })],
  ] as const) {
    it(`aren’t taken from ${what}, and are requested again after a minute`, async () => {
      const bff = new StubBff('503-after-60');
      // A script on the page, which runs before the card's script.
      const answerOnce = `<script>
        const load = fetch;
        var answers = 0;
        fetch = (input, init) =>
          input.includes('/pulse-card-lang/') && answers++ === 0 ? Promise.resolve(parent.foreign()) : load(input, init);
      </script>`;
      Object.assign(window, { foreign });
      const frame = await openPage(
        `${answerOnce}${script(bff)}<pulse-card source-id="ready-1" loading="eager"></pulse-card>`,
        { lang: 'de' },
      );
      const page = frame.contentWindow as Window & typeof globalThis & { readonly answers: number };
      const card = frame.contentDocument?.querySelector('pulse-card') as PulseCard;
      await until(card, 'error');
      await eventually(() => page.answers === 1);
      const notice = () => within(card, '[part=error]');
      expect(notice().textContent).to.contain('This chart can’t be shown right now.').and.contain('Try again');
      expect(notice().lang).to.equal('en');
      const now = page.Date.now();
      page.Date.now = () => now + 61_000;
      card.requestUpdate();
      await eventually(() => notice().textContent?.includes('Dieses Diagramm kann gerade nicht angezeigt werden.'));
      expect([notice().lang, page.answers]).to.deep.equal(['de', 2]);
    });
  }

  it('are replaced by translations that the page registers', async () => {
    const bff = new StubBff();
    const card = await stageCard(bff, 'ready-1', { lang: 'nl' });
    (card.constructor as typeof PulseCard).registerTranslation('nl', { readAnalysis: 'Verder' });
    await until(card, 'ready');
    await eventually(() => within(card, '[part=note] span').textContent === 'AI-gegenereerd');
    expect(within(card, 'summary').textContent).to.equal('Verder');
  });

  it('follow the page immediately when its language changes', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${script(bff)}<pulse-card source-id="ready-1" loading="eager"></pulse-card>`);
    const card = await until(frame.contentDocument?.querySelector('pulse-card') as PulseCard, 'ready');
    (frame.contentDocument as Document).documentElement.lang = 'de';
    await eventually(() => within(card, 'summary').textContent === 'Analyse lesen');
  });

  it('can be registered by the page', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { lang: 'cs' }), 'ready');
    (card.constructor as typeof PulseCard).registerTranslation('cs', { readAnalysis: 'Číst analýzu' });
    await eventually(() => within(card, 'summary').textContent === 'Číst analýzu');
    expect(within(card, '[part=note] span').textContent).to.equal('AI-generated');
  });

  it('can be registered for a language tag in any letter case', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1', { lang: 'et-EE' }), 'ready');
    (card.constructor as typeof PulseCard).registerTranslation('et-ee', { readAnalysis: 'Loe analüüsi' });
    await eventually(() => within(card, 'summary').textContent === 'Loe analüüsi');
  });

  it('are rejected with a single log line if the language tag is invalid', async () => {
    const card = await until(await stageCard(new StubBff(), 'ready-1'), 'ready');
    const { registerTranslation } = card.constructor as typeof PulseCard;
    const lines = await linesOf(async () => registerTranslation('not a tag', { readAnalysis: 'x' }));
    expect(lines).to.deep.equal(['pulse-card: registerTranslation(): "not a tag" is not a language tag']);
  });

  it('are laid out from right to left on a right-to-left page', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `${script(bff)}<pulse-card source-id="arabic-1"></pulse-card>`,
      { lang: 'ar', dir: 'rtl' },
      600,
    );
    const card = frame.contentDocument?.querySelector('pulse-card');
    await eventually(() => card?.state === 'ready');
    await card?.updateComplete;
    const heading = card?.shadowRoot?.querySelector('#name')?.getBoundingClientRect();
    const time = card?.shadowRoot?.querySelector('time')?.getBoundingClientRect();
    expect((heading?.left ?? 0) > (time?.left ?? 0)).to.equal(true);
  });

  it('keep a Latin name in left-to-right order on a right-to-left page', async () => {
    const bff = new StubBff();
    const frame = await openPage(
      `${script(bff)}<pulse-card source-id="ready-1"></pulse-card>`,
      { lang: 'he', dir: 'rtl' },
      240,
    );
    const card = frame.contentDocument?.querySelector('pulse-card');
    await eventually(() => card?.state === 'ready');
    await card?.updateComplete;
    const name = card?.shadowRoot?.querySelector('#name div') ?? document.body;
    const { direction, overflow, textOverflow } = getComputedStyle(name);
    expect([direction, overflow, textOverflow]).to.deep.equal(['ltr', 'hidden', 'ellipsis']);
  });

  it('keep an English time in left-to-right order on a right-to-left page', async () => {
    const bff = new StubBff();
    const frame = await openPage(`${script(bff)}<pulse-card source-id="ready-1"></pulse-card>`, { dir: 'rtl' }, 600);
    const root = () => frame.contentDocument?.querySelector('pulse-card')?.shadowRoot;
    await eventually(() => root()?.querySelector('time'));
    const text = root()?.querySelector('time')?.firstChild?.nextSibling as Text;
    expect(text.data).to.equal('2 hours ago');
    const leftOf = (start: number): number => {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, start + 1);
      return range.getBoundingClientRect().left;
    };
    expect(leftOf(0)).to.be.below(leftOf(2));
  });

  it('align a Latin name with the card’s start edge', async () => {
    const bff = new StubBff();
    const page = { lang: 'he', dir: 'rtl' };
    const frame = await openPage(`${script(bff)}<pulse-card source-id="ready-1"></pulse-card>`, page, 600);
    const card = frame.contentDocument?.querySelector('pulse-card');
    await eventually(() => card?.state === 'ready');
    await card?.updateComplete;
    const name = card?.shadowRoot?.querySelector('#name') ?? document.body;
    const text = document.createRange();
    text.selectNodeContents(name.querySelector('div') ?? name);
    expect(text.getBoundingClientRect().right).to.be.closeTo(name.getBoundingClientRect().right, 1);
  });

  it('align an English finding with the card’s start edge at any width', async () => {
    for (const width of [320, 900, 1_200]) {
      const bff = new StubBff();
      const page = { lang: 'he', dir: 'rtl' };
      const frame = await openPage(`${script(bff)}<pulse-card source-id="ready-1"></pulse-card>`, page, width);
      const card = frame.contentDocument?.querySelector('pulse-card') as PulseCard;
      await until(card, 'ready');
      const finding = within(card, '[part=summary]');
      const text = document.createRange();
      text.selectNodeContents(finding);
      expect(getComputedStyle(finding).direction).to.equal('ltr');
      const { right } = text.getBoundingClientRect();
      // A line ends at its last word, or at the space after the word.
      expect(right).to.be.closeTo(within(card, '[part=header]').getBoundingClientRect().right, 8);
      frame.remove();
    }
  });
});
