import { chromium } from '@playwright/test';
import { chromiumOptions } from '../../../../bench/embeds/chromium.ts';
import { type Driver, WINDOW } from './driver.ts';

/** The Chromium that the tests use, controlled through Playwright. */
export async function startChromium(): Promise<Driver> {
  const browser = await chromium.launch(await chromiumOptions());
  const page = await browser.newPage({ viewport: WINDOW });
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: <Value>(expression: string) => page.evaluate<Value>(expression),
    picture: () => page.screenshot(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
