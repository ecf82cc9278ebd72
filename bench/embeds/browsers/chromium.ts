import { chromium } from '@playwright/test';
import { chromiumOptions } from '../chromium-options.ts';
import { type Driver, WINDOW } from './driver.ts';

/** Chromium, by Playwright. */
export async function startChromium(): Promise<Driver> {
  const browser = await chromium.launch(await chromiumOptions());
  const page = await browser.newPage({ viewport: WINDOW });
  return {
    title: `Chromium ${browser.version()}`,
    protocol: 'DevTools protocol, Playwright',
    open: async (url) => void (await page.goto(url, { waitUntil: 'commit' })),
    evaluate: (expression) => page.evaluate(expression),
    picture: () => page.screenshot(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
