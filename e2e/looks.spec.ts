import { expect, test as base, type Page } from '@playwright/test';
import { type BoardExhibit, type Exhibit, type Sheet, sheetPage } from './looks/sheet.ts';
import { BFF_ORIGIN, DOWN, NOW, type Specimen, SPECIMENS } from './looks/specimens.ts';
import { SITE_ORIGIN, standIn } from './looks/stand-in.ts';
import { inWholeBrowser } from './test.ts';

const test = base.extend<{ open: (sheet: Sheet, viewportWidthPx: number) => Promise<Page> }>({
  async open({ context, page }, use) {
    await use(async (sheet, viewportWidthPx) => {
      await standIn(context, sheetPage(sheet));
      await page.clock.setFixedTime(NOW);
      await page.addInitScript(keepStates);
      await page.setViewportSize({ width: viewportWidthPx, height: 900 });
      await page.goto(SITE_ORIGIN);
      await settled(page, sheet);
      // Chromium paints only content near the viewport. Charts far below it would be missing from the screenshot.
      await page.setViewportSize({
        width: viewportWidthPx,
        height: await page.evaluate(() => Math.max(900, document.body.scrollHeight)),
      });
      await settled(page, sheet);
      return page;
    });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
  },
});

test.use({
  // A trace isn't needed, because a failure comes with three images: expected, actual, and the difference.
  trace: 'off',
  locale: 'en-US',
  timezoneId: 'UTC',
  contextOptions: { reducedMotion: 'reduce' },
  launchOptions: async ({ launchOptions }, use) => {
    // Draws glyphs without hinting, so that they look the same on every machine.
    const args = ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'];
    await use({ ...inWholeBrowser(launchOptions), args: [...(launchOptions.args ?? []), ...args] });
  },
});

test.describe('The card looks as it was drawn', () => {
  test('in every state at 320 px, both as a whole and part by part, in light and dark mode', async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await open(statesAt(320), 1720);
    expect.soft(await page.evaluate(looksOfParts)).toMatchSnapshot('parts-light.txt');
    await expectPicture(page, 'states-320-light.png');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(looksOfParts)).toMatchSnapshot('parts-dark.txt');
  });

  test('from right to left, in Arabic', async ({ open }) => {
    await expectPicture(await open(RIGHT_TO_LEFT, 1520), 'arabic-light.png');
  });

  test('with forced colors', async ({ page, open }) => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
    await expectPicture(await open(statesAt(240), 1820), 'forced-light.png');
  });

  test('in print', async ({ page, open }) => {
    await page.emulateMedia({ media: 'print' });
    const sheet = { exhibits: at(600, ['Ready', 'Earlier version', 'Error, worth another try']) };
    await expectPicture(await open(sheet, 1864), 'print.png');
  });
});

test.describe('The board looks as it was drawn', () => {
  test('at every width, when the list is empty, and when it fails to load', async ({ open }) => {
    await expectPicture(await open({ boards: BOARDS }, 1300), 'board-light.png');
  });
});

const BOARDS = [
  board('Listed', 1240),
  board('Compact, two columns', 700, 'variant="compact" columns="2"'),
  board('Narrow', 320, 'variant="text"'),
  board('Empty', 600, 'provider="NONE"'),
  board('Error', 600, `base-url="${BFF_ORIGIN}${DOWN}"`),
];

/** The AI label in the sheet's language. The label appears once the translation has loaded. */
const NOTE = { en: 'AI-generated', ar: 'بالذكاء الاصطناعي' } as const;

const RIGHT_TO_LEFT: Sheet = {
  language: 'ar',
  direction: 'rtl',
  exhibits: [
    ...at(280, ['Ready', 'Earlier version', 'No pulse yet', 'Error, worth another try', 'Ready, unfolded']),
    { ...arabic(), widthPx: 280, open: true },
    ...['compact', 'chart', 'text'].map((variant) => ({ ...arabic(), title: variant, variant, widthPx: 280 })),
    { ...arabic(), title: 'Arabic', widthPx: 600 },
  ].map((exhibit) => (exhibit.title === 'Ready' ? { ...exhibit, ...arabic() } : exhibit)),
};

function statesAt(widthPx: number): Sheet {
  return { exhibits: SPECIMENS.map((found) => ({ ...found, widthPx })) };
}

function at(widthPx: number, titles: readonly string[]): Exhibit[] {
  return titles.map((title) => ({ ...specimen(title), widthPx }));
}

function specimen(title: string): Specimen {
  const found = SPECIMENS.find((known) => known.title === title);
  if (found === undefined) throw new Error(`Can’t show "${title}": no such specimen`);
  return found;
}

function arabic(): Specimen {
  return { title: 'Arabic', state: 'ready', sourceId: 'src_arabic' };
}

function board(title: string, widthPx: number, attributes = ''): BoardExhibit {
  return { title, widthPx, attributes };
}

/**
 * Keeps each card in its state until the end of the test: no request times out, and no chart is requested again
 * after it failed to load.
 */
function keepStates(): void {
  const { setTimeout: start } = globalThis;
  const RETRY_MS = 2_000;
  globalThis.setTimeout = ((run: () => void, ms = 0) => (ms < RETRY_MS ? start(run, ms) : 0)) as typeof start;
  AbortSignal.timeout = () => new AbortController().signal;
}

/** Compares the whole page with a reference screenshot and checks that every card's chart is visible. */
async function expectPicture(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
  expect(await page.evaluate(blankChartsIn, picture.toString('base64'))).toEqual([]);
  expect(picture).toMatchSnapshot(name);
}

/**
 * The captions of the cards whose charts are blank in a screenshot of the page. A blank area has only a few colors.
 */
async function blankChartsIn(picture: string): Promise<string[]> {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.drawImage(image, 0, 0);
  const isBlank = (chart: Element): boolean => {
    const { x, y, width, height } = chart.getBoundingClientRect();
    // A narrow compact card, and a card whose chart doesn't load, have no space for a chart.
    if (width === 0 || height === 0) return false;
    // Ignores the edges, because the corners of the background have different colors.
    const inner = [x + scrollX + width * 0.1, y + scrollY + height * 0.1, width * 0.8, height * 0.8] as const;
    const { data } = context.getImageData(...inner);
    return new Set(new Uint32Array(data.buffer)).size < 8;
  };
  const boards = [...document.querySelectorAll('pulse-board')];
  const inBoards = boards.flatMap((board) => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])]);
  return [...document.querySelectorAll('pulse-card'), ...inBoards]
    .filter((card) => [...(card.shadowRoot?.querySelectorAll('[part~=image]') ?? [])].some(isBlank))
    .map((card) => card.previousElementSibling?.textContent ?? card.sourceId ?? '');
}

/** Resolves when all cards have reached their state, and the language, all fonts, and all charts are loaded. */
async function settled(page: Page, { language = 'en' }: Sheet): Promise<void> {
  for (const state of ['ready', 'stale', 'empty', 'error']) {
    const waiting = page.locator(`pulse-card[data-state="${state}"]:not(:state(${state}))`);
    await expect(waiting).toHaveCount(0);
  }
  await expect(page.locator('pulse-board:not(:state(ready), :state(error))')).toHaveCount(0);
  await expect(page.locator('pulse-board pulse-card:is(:state(idle), :state(loading))')).toHaveCount(0);
  await expect(page.locator('pulse-card:state(ready) [part~=note]').first()).toContainText(NOTE[language]);
  await page.waitForFunction(areChartsDrawn);
  await page.evaluate(() => document.fonts.ready);
}

/** Returns whether every chart is loaded. Charts that can't be loaded don't count, because their cards hide them. */
function areChartsDrawn(): boolean {
  const boards = [...document.querySelectorAll('pulse-board')];
  const inBoards = boards.flatMap((board) => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])]);
  const charts = [...document.querySelectorAll('pulse-card'), ...inBoards].flatMap((card) => [
    ...(card.shadowRoot?.querySelectorAll<HTMLImageElement>('.plate > [part~=image]') ?? []),
  ]);
  // Otherwise, charts far below the viewport would load only when they come near.
  for (const chart of charts) chart.loading = 'eager';
  return charts.every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
}

/** Describes each part and its content in one line. Small parts have too few pixels for a screenshot comparison. */
function looksOfParts(): string {
  const lines = [...document.querySelectorAll('pulse-card')].flatMap((card) => {
    const title = card.previousElementSibling?.textContent ?? '';
    const inside = card.shadowRoot?.querySelectorAll<HTMLElement>('[part], [part] button, [part] strong, small') ?? [];
    return [...inside].map((element) => {
      const { color, backgroundColor, borderTopColor, borderTopWidth, fontSize, fontWeight } =
        getComputedStyle(element);
      const name = element.getAttribute('part') ?? element.localName;
      const { top, height } = element.getBoundingClientRect();
      const place = `${Math.round(top - card.getBoundingClientRect().top)} px down, ${Math.round(height)} px high`;
      return `${title} / ${name}: ${place}, ${color} on ${backgroundColor}, border ${borderTopWidth} ${borderTopColor}, type ${fontSize} ${fontWeight}`;
    });
  });
  return `${lines.join('\n')}\n`;
}
