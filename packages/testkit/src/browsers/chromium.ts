import { chromium, type LaunchOptions } from '@playwright/test';
import { BROWSER_VARIABLE, provideBrowser } from '../system/programs.ts';
import { type Driver, WINDOW } from './driver.ts';

/** Launch options for Chromium. Host names outside this machine don't resolve. */
export function chromiumOptions(): LaunchOptions {
  const executablePath = provideBrowser();
  if (executablePath === undefined)
    throw new Error(`Can’t use a browser: Chromium wasn't found; set ${BROWSER_VARIABLE} to its path`);
  const nowhere = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
  return { executablePath, args: ['--no-sandbox', '--disable-background-networking', nowhere] };
}

/** Starts the Chromium that the tests use and controls it through Playwright. */
export async function startChromium(): Promise<Driver> {
  const browser = await chromium.launch(chromiumOptions());
  const page = await browser.newPage({ viewport: WINDOW });
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: <Value>(expression: string) => page.evaluate<Value>(expression),
    picture: () => page.screenshot(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
