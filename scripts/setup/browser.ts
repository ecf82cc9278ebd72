import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { ask, capture, pathOf, ROOT } from '../run.ts';
import { installFromSystem } from './system-packages.ts';

/** The variable that tells every test which browser to use. */
export const BROWSER_VARIABLE = 'PULSE_CHROMIUM';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * The variable that names Chromium without windows. Most tests take a third less time there than in the whole browser.
 */
export const SHELL_VARIABLE = 'PULSE_CHROMIUM_SHELL';

const SHELL = 'chromium-headless-shell';

/**
 * Finds an installed Chromium. If there is none, downloads Playwright's Chromium. If the download fails, installs the
 * system's package. Resolves to undefined if all of this fails.
 */
export async function provideBrowser(): Promise<string | undefined> {
  const named = process.env[BROWSER_VARIABLE];
  if (named !== undefined && existsSync(named)) return named;
  return find() ?? (await download()) ?? (await install());
}

/**
 * Finds the headless shell, or installs it if this doesn't need a password, as in a container. Resolves to undefined on
 * other machines: the tests then use the whole browser.
 */
export async function provideShell(): Promise<string | undefined> {
  const named = process.env[SHELL_VARIABLE] ?? pathOf(SHELL);
  if (named !== undefined) return named;
  if (process.getuid?.() !== 0 || !ask('apt-cache', ['show', SHELL]).ok) return undefined;
  const names = { apt: SHELL, dnf: SHELL };
  await installFromSystem({ title: 'Headless Chromium', reason: 'the browser tests', names });
  return pathOf(SHELL);
}

async function download(): Promise<string | undefined> {
  console.log("Browser: none found. Downloading Playwright's Chromium for the browser tests …");
  await capture(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']);
  if (!existsSync(chromium.executablePath())) console.log('Browser: the download failed.');
  return find();
}

async function install(): Promise<string | undefined> {
  const names = { apt: 'chromium', brew: 'chromium', dnf: 'chromium' };
  await installFromSystem({ title: 'Browser', reason: 'the browser tests', names });
  return find();
}

function find(): string | undefined {
  const installed = PROGRAMS.map(pathOf).find((path) => path !== undefined);
  return installed ?? (existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined);
}
