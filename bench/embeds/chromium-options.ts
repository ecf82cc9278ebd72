import type { LaunchOptions } from '@playwright/test';
import { BROWSER_VARIABLE, provideBrowser } from '../../scripts/setup/browser.ts';

let provided: Promise<string | undefined> | undefined;

/** How Chromium is started: no address outside this machine resolves. */
export async function chromiumOptions(): Promise<LaunchOptions> {
  const executablePath = await (provided ??= provideBrowser());
  if (executablePath === undefined)
    throw new Error(`Cannot measure in a browser: no Chromium; name one in ${BROWSER_VARIABLE}`);
  const nowhere = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
  return { executablePath, args: ['--no-sandbox', '--disable-background-networking', nowhere] };
}
