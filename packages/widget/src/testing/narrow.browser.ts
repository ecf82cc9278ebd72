import { expect } from 'chai';
import { pulseOf } from '../fake-bff/index.ts';
import { TRANSLATED } from '../i18n/translations.ts';
import { clearStage, eventually, openPage, stageCard, StubBff, until, within } from './stage.ts';

/** The fonts for these languages. The fonts come from npm, so that they are the same on every machine. */
const FONTS: Readonly<Record<string, string>> = {
  ar: 'noto-sans-arabic',
  he: 'noto-sans-hebrew',
  hi: 'noto-sans-devanagari',
  ja: 'noto-sans-jp',
  ko: 'noto-sans-kr',
  zh: 'noto-sans-sc',
  'zh-Hant': 'noto-sans-tc',
};

const FAMILIES = [
  'Inter Variable',
  ...['Arabic', 'Hebrew', 'Devanagari', 'JP', 'KR', 'SC', 'TC'].map((script) => `Noto Sans ${script} Variable`),
];

/** The languages whose words need the most space. The variants that omit words are tested only in these. */
const LONG_WORDS = ['ar', 'de', 'fr', 'uk'];

const KINDS = ['ready-1', 'stale-1', 'broken-1', 'degraded-1', 'empty-1', 'unknown-1', 'badimage-1', 'short-1'];

/** The card's own text and controls. */
const WORDS = 'summary, small, [part=status], time, p, button';

/** The strings in `card` that are truncated or overlap each other. */
function faultsOf(card: Element): string[] {
  const outer = card.getBoundingClientRect();
  const words = [...(card.shadowRoot?.querySelectorAll<HTMLElement>(WORDS) ?? [])].filter(
    (word) => word.checkVisibility() && !isForScreenReaders(word) && !word.closest('details:not([open]) > div'),
  );
  const name = card.getAttribute('source-id');
  const faults = words.flatMap((word) => {
    const { left, right, top, bottom } = word.getBoundingClientRect();
    const isOutside = left < outer.left || right > outer.right || top < outer.top || bottom > outer.bottom;
    const isCut = word.scrollWidth > word.clientWidth + 1 && getComputedStyle(word).display !== 'inline';
    return isOutside || isCut ? [`${name}: ${word.localName} "${word.textContent?.trim()}"`] : [];
  });
  const notes = words.filter((word) => word.matches('footer small') && linesOf(word) > 1);
  faults.push(...notes.map((note) => `${name}: more than one line "${note.textContent}"`));
  const texts = words.filter(({ localName }) => localName !== 'button' || card.matches(':state(error)'));
  for (const [at, one] of texts.entries())
    for (const other of texts.slice(at + 1))
      if (overlap(one, other)) faults.push(`${name}: ${one.textContent} / ${other.textContent}`);
  return faults;
}

/** Whether an element is hidden because it doesn't fit on the line. Screen readers still read such an element. */
function isForScreenReaders(element: Element): boolean {
  return getComputedStyle(element).clipPath !== 'none';
}

function linesOf(word: Element): number {
  const range = document.createRange();
  range.selectNodeContents(word);
  return Math.round(range.getBoundingClientRect().height / parseFloat(getComputedStyle(word).lineHeight));
}

function overlap(one: Element, other: Element): boolean {
  if (one.contains(other) || other.contains(one)) return false;
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  const isBeside = a.right <= b.left + 1 || b.right <= a.left + 1;
  return !isBeside && a.bottom > b.top + 1 && b.bottom > a.top + 1;
}

describe('a card that is 240 px wide', () => {
  afterEach(clearStage);

  for (const lang of ['en', ...TRANSLATED.split(' ')]) {
    // Firefox draws Arabic wider, so the time ends with an ellipsis.
    const run = lang === 'ar' && navigator.userAgent.includes('Firefox') ? it.skip : it;
    run(`clips none of its words: ${lang}`, async () => {
      const bff = new StubBff();
      const down = new StubBff('503-after-60');
      const font = ['inter', FONTS[lang] ?? 'inter'].map(
        (name) => `<link rel="stylesheet" href="/node_modules/@fontsource-variable/${name}/index.css">`,
      );
      const variants = LONG_WORDS.includes(lang) ? ['card', 'text', 'chart'] : ['card'];
      const cards = variants.flatMap((variant) => [
        ...KINDS.map((id) => `<pulse-card source-id="${id}" loading="eager" variant="${variant}"></pulse-card>`),
        `<pulse-card source-id="ready-1" base-url="${down.base}" loading="eager" variant="${variant}" label="Q2"></pulse-card>`,
      ]);
      const script = `<script type="module" src="${bff.base}/pulse-card.js"></script>`;
      const frame = await openPage(
        `${font.join('')}${script}${cards.join('')}`,
        {
          lang,
          dir: lang === 'ar' || lang === 'he' ? 'rtl' : 'ltr',
          style: `body{font-family:${FAMILIES.map((family) => `'${family}'`).join()}}`,
        },
        240,
      );
      const page = frame.contentDocument as Document;
      const all = [...page.querySelectorAll('pulse-card')];
      await eventually(() => all.every(({ state }) => /ready|stale|empty|error/.test(state)));
      await eventually(() => all.every((card) => card.shadowRoot?.querySelector('header')));
      await eventually(async () => lang === 'en' || (await bff.asked('pulse-card-lang')).length === 1);
      await eventually(
        () => lang === 'en' || all[0]?.shadowRoot?.querySelector('summary')?.textContent !== 'Read the analysis',
      );
      await Promise.all(all.map((card) => card.updateComplete));
      await page.fonts.ready;
      await eventually(() => page.fonts.status === 'loaded');
      expect(all.flatMap(faultsOf)).to.deep.equal([]);
      expect(page.documentElement.scrollWidth).to.be.at.most(240);
    });
  }
});

describe('a card’s name line', () => {
  afterEach(clearStage);

  for (const [widthPx, fontPx, variant] of [
    [600, 16, 'compact'],
    [480, 16, 'compact'],
    [320, 16, 'card'],
    [240, 16, 'card'],
    [240, 32, 'text'],
  ] as const)
    for (const source of ['ready-1', 'degraded-1'])
      it(`shows at least six characters of the name: ${source}, ${variant}, ${widthPx} px, ${fontPx} px text`, async () => {
        const card = await stageAt({ widthPx, fontPx }, source, { variant, label: 'Employment' });
        const name = within(card, '[part=name]');
        await eventually(() => name.textContent !== '');
        const shown = name.getBoundingClientRect().width;
        const range = document.createRange();
        const text = name.querySelector('div div, div[dir]')?.firstChild as Text;
        range.setStart(text, 0);
        range.setEnd(text, Math.min(6, text.data.length));
        expect(shown).to.be.at.least(range.getBoundingClientRect().width);
        expect(faultsOf(card)).to.deep.equal([]);
      });

  for (const widthPx of [450, 520, 640, 720])
    for (const source of ['ready-1', 'degraded-1'])
      it(`shortens the reviewer’s name before the source’s name: ${source}, ${widthPx} px`, async () => {
        const review = { 'ai-reviewed-by': 'Margaret Featherstonehaugh-Brown', 'ai-reviewed-run': 'run_1' };
        const card = await stageAt({ widthPx }, source, { ...review, variant: 'text' });
        await eventually(() => card.shadowRoot?.querySelector('time'));
        const name = within(card, '[part=name]');
        expect(name.scrollWidth).to.be.at.most(name.clientWidth + 1);
        expect(within(card, '[part=note]').title).to.contain('Featherstonehaugh-Brown');
        expect(faultsOf(card).filter((fault) => !fault.includes('reviewed by'))).to.deep.equal([]);
      });

  for (const source of ['ready-1', 'degraded-1'])
    it(`shows six wide characters of the name at 200% text size: ${source}`, async () => {
      const size = { widthPx: 240, fontPx: 32 };
      const card = await stageAt(size, source, { variant: 'text', label: 'Wochenumsatz' });
      const name = within(card, '[part=name]');
      await eventually(() => name.textContent !== '');
      const needed = document.createElement('span');
      needed.textContent = 'Wochen…';
      name.append(needed);
      const neededPx = needed.getBoundingClientRect().width;
      needed.remove();
      expect(name.getBoundingClientRect().width).to.be.at.least(neededPx);
      const label = within(card, '[part=note] em');
      expect(label.scrollWidth, 'the width of AI').to.equal(label.clientWidth);
    });

  for (const lang of ['ar', 'uk'])
    it(`stays inside the card at 200% text size: ${lang}`, async () => {
      const size = { widthPx: 240, fontPx: 32 };
      const dir = lang === 'uk' ? 'ltr' : 'rtl';
      const card = await stageAt(size, 'ready-1', { variant: 'text', label: 'Wochenumsatz', lang, dir });
      await eventually(() => card.shadowRoot?.querySelector<HTMLElement>('[part=note]')?.lang === lang);
      const { left, right } = within(card, 'header').getBoundingClientRect();
      for (const part of within(card, 'header').querySelectorAll('[part], em')) {
        const box = part.getBoundingClientRect();
        expect(box.left, part.outerHTML).to.be.at.least(left - 8);
        expect(box.right, part.outerHTML).to.be.at.most(right + 8);
      }
    });

  for (const lang of ['fr', 'uk'])
    it(`shows six characters of the name next to a long badge: ${lang}`, async () => {
      const card = await stageAt({ widthPx: 400 }, 'degraded-1', { variant: 'compact', lang });
      const badge = () => card.shadowRoot?.querySelector<HTMLElement>('[part=status]');
      await eventually(() => badge()?.lang === lang);
      expect(within(card, '[part=name]').getBoundingClientRect().width).to.be.at.least(52);
      expect(getComputedStyle(within(card, '[part=status] span')).textOverflow).to.equal('ellipsis');
    });

  for (const [lang, source, widthPx] of [
    ['ar', 'ready-1', 340],
    ['ar', 'degraded-1', 260],
    ['fr', 'ready-1', 320],
    ['fr', 'degraded-1', 460],
  ] as const)
    it(`shows six characters of a Latin name and the ellipsis: ${lang}, ${source}, ${widthPx} px`, async () => {
      const dir = lang === 'ar' ? 'rtl' : 'ltr';
      const card = await stageAt({ widthPx }, source, { variant: 'compact', lang, dir });
      await eventually(() => card.shadowRoot?.querySelector<HTMLElement>('[part=note]')?.lang === lang);
      const name = within(card, '[part=name]');
      const needed = Object.assign(document.createElement('span'), { textContent: 'US non…' });
      needed.style.position = 'absolute';
      name.append(needed);
      expect(name.getBoundingClientRect().width).to.be.at.least(needed.getBoundingClientRect().width);
    });

  it('if the time doesn’t fit, moves it to the badge’s title but keeps it for screen readers', async () => {
    const card = await stageAt({ widthPx: 320 }, 'degraded-1');
    await eventually(() => card.shadowRoot?.querySelector('time'));
    const time = within(card, 'time');
    expect(isForScreenReaders(time)).to.equal(true);
    expect(time.checkVisibility()).to.equal(true);
    expect(within(card, '[part=status]').title).to.equal(`Updates delayed · ${time.textContent}`);
  });

  it('shows only the badge’s icon if there isn’t enough space for its text', async () => {
    const card = await stageAt({ widthPx: 240 }, 'degraded-1');
    await eventually(() => card.shadowRoot?.querySelector('[part=status]'));
    const badge = within(card, '[part=status]');
    expect(badge.getBoundingClientRect().width).to.be.at.most(24);
    expect(badge.textContent).to.equal('Updates delayed');
  });
});

/** A card that has loaded, in a box of this width. */
async function stageAt(
  { widthPx, fontPx = 16 }: { readonly widthPx: number; readonly fontPx?: number },
  sourceId: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<HTMLElement> {
  const stage = document.createElement('div');
  stage.className = 'stage';
  stage.style.cssText = `width:${widthPx}px;font-size:${fontPx}px`;
  document.body.append(stage);
  const card = await stageCard(new StubBff(), sourceId, attributes);
  stage.append(card);
  return until(card, 'ready');
}

describe('a card in a narrow place', () => {
  afterEach(clearStage);

  for (const [what, open, close] of [
    ['a table cell', '<table><tr><td>', '</table>'],
    ['a box as wide as its content', '<div style="width:fit-content">', '</div>'],
    ['a row of a flex box', '<div style="display:flex">', '</div>'],
  ] as const) {
    it(`is 15em wide if its container’s width depends on the card: ${what}`, async () => {
      const bff = new StubBff();
      const card = `<pulse-card source-id="ready-1"></pulse-card>`;
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script>${open}${card}${close}`,
      );
      const found = () => frame.contentDocument?.querySelector('pulse-card');
      await eventually(() => found()?.shadowRoot?.querySelector('#finding'));
      expect(found()?.clientWidth).to.equal(240);
    });
  }

  it('isn’t split between columns in a multi-column layout', async () => {
    const stage = Object.assign(document.createElement('div'), { className: 'stage' });
    stage.style.cssText = 'columns: 2; width: 700px';
    document.body.append(stage);
    const cards = await Promise.all([1, 2, 3].map(async (at) => stageCard(new StubBff(), `ready-${at}`)));
    stage.append(...cards);
    for (const card of cards) {
      await until(card, 'ready');
      expect(within(card, 'article').getClientRects()).to.have.length(1);
    }
  });

  it('scrolls wide code and tables inside the expanded analysis', async () => {
    const card = await stageCard(new StubBff(), '', { open: '', style: 'width: 320px' });
    const word = 'wide'.repeat(40);
    card.pulse = pulseOf('ready-1', { aiSummaryLong: `\`\`\`\n${word}\n\`\`\`\n\n| a |\n|---|\n| ${word} |` });
    await eventually(() => card.shadowRoot?.querySelector('[part=analysis] table'));
    for (const wide of [within(card, '[part=analysis] pre'), within(card, '[part=analysis] .table')])
      expect(wide.scrollWidth).to.be.above(wide.clientWidth);
    expect(within(card, 'article').scrollWidth).to.equal(320);
  });

  it('doesn’t inherit the page’s paragraph indent', async () => {
    const indentOf = async (style: string) => {
      const card = await until(await stageCard(new StubBff(), 'ready-1', { style }), 'ready');
      const range = document.createRange();
      range.selectNodeContents(within(card, '#finding'));
      return range.getClientRects()[0]?.left;
    };
    expect(await indentOf('text-indent: 2em')).to.equal(await indentOf(''));
  });

  for (const whiteSpace of ['nowrap', 'pre', 'pre-wrap']) {
    it(`wraps its lines as usual on a page with white-space: ${whiteSpace}`, async () => {
      const bff = new StubBff();
      const card = '<pulse-card source-id="ready-1" open></pulse-card>';
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script>${card}<div style="white-space:${whiteSpace}">${card}</div>`,
        {},
        320,
      );
      const cards = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
      await eventually(() => cards.every(({ shadowRoot }) => shadowRoot?.querySelector('[part=analysis] ul')));
      const lines = (selector: string) =>
        cards.map((one) => linesOf(one.shadowRoot?.querySelector(selector) as Element));
      for (const selector of ['#finding', '[part=analysis]']) expect(new Set(lines(selector)).size).to.equal(1);
      expect(new Set(cards.map(({ offsetHeight }) => offsetHeight)).size).to.equal(1);
    });
  }

  for (const [dir, sourceId] of [
    ['rtl', 'arabic-1'],
    ['ltr', 'ready-1'],
  ] as const) {
    it(`aligns its name, finding, and analysis at the same edge: ${dir}`, async () => {
      const bff = new StubBff();
      const frame = await openPage(
        `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="${sourceId}" open></pulse-card>`,
        { dir },
        320,
      );
      const root = () => frame.contentDocument?.querySelector('pulse-card')?.shadowRoot;
      await eventually(() => root()?.querySelector('[part=analysis] p'));
      const edges = ['#name', '#finding', '[part=analysis] p'].map((selector) => {
        const range = document.createRange();
        range.selectNodeContents(root()?.querySelector(selector) as Element);
        const { left, right } = range.getBoundingClientRect();
        return Math.round(dir === 'rtl' ? right : left);
      });
      expect(new Set(edges).size).to.equal(1);
    });
  }
});
