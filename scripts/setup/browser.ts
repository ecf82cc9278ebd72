import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { pathOf, ROOT, run } from '../run.ts';
import { installFromSystem } from './system-packages.ts';

/** The variable that tells every test which browser to use. */
export const BROWSER_VARIABLE = 'PULSE_CHROMIUM';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Finds a Chromium, else downloads Playwright's own, else asks the system's package manager; undefined when all three fail. */
export async function provideBrowser(): Promise<string | undefined> {
  const named = process.env[BROWSER_VARIABLE];
  if (named !== undefined && existsSync(named)) return said(named, `named by ${BROWSER_VARIABLE}`);
  const installed = PROGRAMS.map(pathOf).find((path) => path !== undefined);
  if (installed !== undefined) return said(installed, 'installed on this machine');
  if (existsSync(chromium.executablePath())) return said(chromium.executablePath(), "Playwright's own");
  console.log("Browser: none found, downloading Playwright's own …");
  await run(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']);
  if (existsSync(chromium.executablePath())) return said(chromium.executablePath(), "Playwright's own, downloaded");
  console.log("Browser: the download failed, asking the system's package manager …");
  await installFromSystem({ apt: 'chromium', brew: 'chromium', dnf: 'chromium' });
  const provided = PROGRAMS.map(pathOf).find((path) => path !== undefined);
  return provided === undefined ? undefined : said(provided, "from the system's package manager");
}

function said(path: string, origin: string): string {
  console.log(`Browser: ${path} (${origin})`);
  return path;
}
