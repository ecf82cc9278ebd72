import { join } from 'node:path';
import { type Browser, chromium, expect } from '@playwright/test';
import { startStack } from '../e2e/stack/stack.ts';
import { ROOT, run } from '../scripts/run.ts';
import { BROWSER_VARIABLE, provideBrowser } from '../scripts/setup/browser.ts';

/** The sources on the picture, two beside each other. */
const SOURCES = ['src_us_employment', 'src_seattle_rain', 'src_life_expectancy', 'src_barley_yields'];

const PAGE_HEAD = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark">
<script type="module" src="BFF/pulse-card.js"></script>
<style>
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f6f7f9, #0e1014) }
  main { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; padding: 24px; align-items: start }
</style>`;

/**
 * Takes the README's pictures, four cards with the demo's pulses, and then those that the looks of the card are held to
 * (`e2e/pictures`); with `readme` the first alone. Needs a build.
 */
const executablePath = await provideBrowser();
if (executablePath === undefined) throw new Error(`Cannot take pictures: no Chromium; name one in ${BROWSER_VARIABLE}`);
const stack = await startStack();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
try {
  for (const colorScheme of ['light', 'dark'] as const) await takeCards(browser, colorScheme);
} finally {
  await browser.close();
  await stack.close();
}
if (process.argv[2] !== 'readme') await takeLooks(executablePath);

async function takeLooks(chromiumPath: string): Promise<void> {
  const playwright = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const taken = await run(process.execPath, [playwright, 'test', 'looks', '--update-snapshots'], {
    env: { [BROWSER_VARIABLE]: chromiumPath, NODE_OPTIONS: '--conditions=source' },
  });
  process.exitCode = taken ? 0 : 1;
}

async function takeCards(opened: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await opened.newPage({ viewport: { width: 1240, height: 1400 }, colorScheme, deviceScaleFactor: 1.5 });
  const cards = SOURCES.map((id) => `<pulse-card source-id="${id}" chart-theme="auto"></pulse-card>`);
  await page.goto(stack.site.put('/readme', `${PAGE_HEAD}<main>${cards.join('')}</main>`.replace('BFF', stack.bffUrl)));
  const main = page.locator('main');
  await expect(main.locator('pulse-card:state(ready)')).toHaveCount(SOURCES.length);
  for (const image of await main.locator('[part~=image]').all())
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
  const path = join(ROOT, 'docs', 'images', `cards-${colorScheme}.png`);
  await main.screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}
