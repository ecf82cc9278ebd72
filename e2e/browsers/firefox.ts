import { type Driver, WINDOW } from '@pulse-card/testkit/browsers/driver';
import { pathOf } from '@pulse-card/testkit/system/ask';
import { launch } from 'puppeteer-core';

/** With these settings, Firefox doesn't check for updates or send telemetry. */
export const QUIET = {
  'app.update.enabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disabled': true,
};

/** Whether Firefox is installed on this machine. */
export function isInstalled(): boolean {
  return findFirefox() !== undefined;
}

/** The path of the installed Firefox. */
export function findFirefox(): string | undefined {
  return ['firefox', 'firefox-esr'].map(pathOf).find((path) => path !== undefined);
}

/** Starts the installed Firefox and controls it through WebDriver BiDi. */
export async function startFirefox(): Promise<Driver> {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('Can’t start Firefox: it isn’t installed');
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    extraPrefsFirefox: QUIET,
    defaultViewport: WINDOW,
  });
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: <Value>(expression: string) => page.evaluate(expression) as Promise<Value>,
    picture: async () => Buffer.from(await page.screenshot()),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
