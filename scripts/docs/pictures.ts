import { join } from 'node:path';
import { type Browser, chromium, expect } from '@playwright/test';
import { openChat } from '../../e2e/stack/chat.ts';
import { startStack } from '../../packages/testkit/src/stack.ts';
import { ROOT, run } from '../run.ts';
import { BROWSER_VARIABLE, provideBrowser } from '../setup/browser.ts';

const FOUR = ['src_us_employment', 'src_seattle_rain', 'src_life_expectancy', 'src_barley_yields'];

/** The pictures of README and guides, by their names in docs/images: the attributes of each card, two cards side by side. */
const PICTURES: Readonly<Record<string, readonly string[]>> = {
  cards: FOUR.map((id) => `source-id="${id}"`),
  variants: ['card', 'chart', 'compact', 'text'].map((name) => `source-id="src_us_employment" variant="${name}"`),
  parts: ['source-id="src_us_employment"', 'source-id="src_us_employment" class="own"'],
};

/** The parts that are outlined on the first card. */
const PARTS = ['name', 'note', 'time', 'heading', 'chart', 'toggle'];

const PAGE_HEAD = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark">
<script type="module" src="BFF/pulse-card.js"></script>
<style>
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f6f7f9, #0e1014) }
  .own {
    --pulse-card-accent: #b00020;
    --pulse-card-radius: 0;
    --pulse-card-font-family: Georgia, serif;
    font-size: 1.125rem;
  }
  .outline { position: absolute; border: 1px dashed #d6006c; border-radius: 3px }
  .outline::after {
    content: attr(title); position: absolute; top: -0.75rem; right: 0; padding: 0 0.25rem; border-radius: 3px;
    background: #d6006c; color: #fff; font: 0.6875rem/1.3 monospace;
  }
  .outline[title='heading']::after { top: auto; bottom: -0.5rem }
  main { position: relative; display: grid; grid-template-columns: 1fr 1fr; gap: 24px; padding: 24px; align-items: start }
</style>`;

/**
 * Takes the pictures of README and guides, with the demo's pulses, and then those that the looks of the card are held to
 * (`e2e/pictures`); with `docs` only the first. Needs a build.
 */
const executablePath = await provideBrowser();
if (executablePath === undefined) throw new Error(`Cannot take pictures: no Chromium; name one in ${BROWSER_VARIABLE}`);
const stack = await startStack();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
try {
  for (const name of Object.keys(PICTURES))
    for (const colorScheme of ['light', 'dark'] as const) await takePicture(browser, name, colorScheme);
  for (const colorScheme of ['light', 'dark'] as const) await takeChat(browser, colorScheme);
} finally {
  await browser.close();
  await stack.close();
}
if (process.argv[2] !== 'docs') await takeLooks(executablePath);

async function takeLooks(chromiumPath: string): Promise<void> {
  const playwright = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const taken = await run(process.execPath, [playwright, 'test', 'looks', '--update-snapshots=all'], {
    env: { [BROWSER_VARIABLE]: chromiumPath, NODE_OPTIONS: '--conditions=source' },
  });
  process.exitCode = taken ? 0 : 1;
}

async function takePicture(opened: Browser, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await opened.newPage({ viewport: { width: 1240, height: 1400 }, colorScheme, deviceScaleFactor: 1.5 });
  const cards = (PICTURES[name] ?? []).map(
    (attributes) => `<pulse-card ${attributes} chart-theme="auto"></pulse-card>`,
  );
  await page.goto(
    stack.site.put(`/${name}`, `${PAGE_HEAD}<main>${cards.join('')}</main>`.replace('BFF', stack.bffUrl)),
  );
  const main = page.locator('main');
  await expect(main.locator('pulse-card:state(ready)')).toHaveCount(cards.length);
  for (const image of await main.locator('[part~=image]').all())
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
  if (name === 'parts') await main.evaluate(outline, PARTS);
  const path = join(ROOT, 'docs', 'images', `${name}-${colorScheme}.png`);
  await main.screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}

/** The card in a chat client. */
async function takeChat(opened: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await opened.newPage({ viewport: { width: 760, height: 640 }, deviceScaleFactor: 1.5 });
  await openChat(page, stack, 'src_us_employment', { theme });
  await expect(page.frameLocator('iframe').frameLocator('iframe').getByRole('img')).toHaveJSProperty('complete', true);
  const path = join(ROOT, 'docs', 'images', `chat-${theme}.png`);
  await page.locator('body').screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}

/** Draws a frame with a name around parts of the first card. */
function outline(main: HTMLElement, parts: readonly string[]): void {
  for (const part of parts) {
    const element = main.querySelector('pulse-card')?.shadowRoot?.querySelector(`[part~=${part}]`);
    if (!element) throw new Error(`The card has no part ${part}`);
    const { left, top, width, height } = element.getBoundingClientRect();
    const frame = Object.assign(document.createElement('div'), { className: 'outline', title: part });
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    main.append(frame);
  }
}
