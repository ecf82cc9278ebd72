import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { startDemo } from '../demo/server.ts';
import { freePort } from '../scripts/free-port.ts';
import { startStack } from '../e2e/stack/stack.ts';
import { ROOT, run } from '../scripts/run.ts';
import { BROWSER_VARIABLE, provideBrowser } from '../scripts/setup/browser.ts';

/** The states that the picture has, in its order. */
const STATES = ['fresh', 'pulse_not_found', 'fresh', 'stale', 'upstream_unavailable'] as const;

/** The states closely packed in columns, under their names alone. */
const SIDE_BY_SIDE = `
  .gallery { display: block !important; columns: 3; column-gap: 24px; padding: 24px; }
  .gallery figure { break-inside: avoid; margin: 0 0 24px !important; }
  .gallery figcaption code, .gallery figure:not(.chosen) { display: none; }
  .gallery pulse-card { max-width: none; }`;

/**
 * Takes the README's pictures of the real thing, the states of the card from a running demo, and then those that the
 * looks of the card are held to (`e2e/pictures`). Needs a build.
 */
const executablePath = await provideBrowser();
if (executablePath === undefined) throw new Error(`Cannot take pictures: no Chromium; name one in ${BROWSER_VARIABLE}`);
const demoPort = await freePort();
const stack = await startStack({ PULSE_ALLOWED_ORIGINS: `http://localhost:${demoPort}` });
const demo = await startDemo({ port: demoPort, adminUrl: stack.adminUrl });
try {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
  for (const colorScheme of ['light', 'dark'] as const) await takeStates(browser, colorScheme);
  await browser.close();
} finally {
  await demo.close();
  await stack.close();
}
const playwright = join(ROOT, 'node_modules/@playwright/test/cli.js');
const taken = await run(process.execPath, [playwright, 'test', 'looks', '--update-snapshots'], {
  env: { [BROWSER_VARIABLE]: executablePath, NODE_OPTIONS: '--conditions=source' },
});
process.exitCode = taken ? 0 : 1;

async function takeStates(browser: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1240, height: 1400 },
    colorScheme,
    deviceScaleFactor: 1.5,
    bypassCSP: true,
  });
  await page.goto(`${demo.url}/studio/states/?group=all`);
  const gallery = page.locator('.gallery');
  await page.addStyleTag({ content: SIDE_BY_SIDE });
  await gallery.evaluate((root, states) => {
    for (const state of states) {
      const figure = root.querySelector(`[data-state="${state}"]:not(.chosen)`);
      figure?.classList.add('chosen');
      if (figure) root.append(figure);
    }
  }, STATES);
  await gallery.locator('.chosen pulse-card:state(ready)').first().waitFor();
  await gallery.locator('.chosen pulse-card:state(error)').first().waitFor();
  // Charts fade in.
  await page.waitForTimeout(1_500);
  const path = join(ROOT, 'docs', 'images', `cards-${colorScheme}.png`);
  await gallery.screenshot({ path });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}
