import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, expect, type LaunchOptions, type Page, test as base } from '@playwright/test';
import { type RunningDemo, startDemo } from '@pulse-card/demo/server';
import { type HostPage, hostPage } from './stack/host-page.ts';
import { TOKEN_KEYS_FILE } from '@pulse-card/testkit/portal';
import { type Stack, startStack } from '@pulse-card/testkit/stack';

export { expect };

/** Marks a test that runs in `npm run test:long`, but not in `npm test`. */
export const LONG = { tag: '@long' } as const;

/** The options for the page in `testOnOnePage`. The options are the same regardless of which test runs first. */
const ONE_PAGE = {
  colorScheme: 'light',
  javaScriptEnabled: true,
  locale: 'en-US',
  viewport: { width: 1280, height: 720 },
} as const;

interface OfWorker {
  /** Additional BFF variables. */
  bffEnv: Readonly<Record<string, string>>;
  stack: Stack;
  demo: RunningDemo;
  /** The page that `testOnOnePage` uses. */
  onePage: Page;
}

interface OfTest {
  /** Opens a page on the host site. Resolves to its URL. */
  openPage: (page: HostPage, headers?: Readonly<Record<string, string>>) => Promise<string>;
  /** Opens a page on the host site with the snippets of these sources on it. */
  openPageWith: (...sourceIds: string[]) => Promise<void>;
  /** Resolves to the accessibility rules that the page violates. Elements that match the selectors are ignored. */
  brokenRules: (...leftOut: string[]) => Promise<string[]>;
  /** Like `brokenRules`, but only for contrast, which is the only rule that depends on the color scheme. */
  lackOfContrast: (...leftOut: string[]) => Promise<string[]>;
}

/** Playwright's `test` with a whole stack for each worker. Files with the same `bffEnv` share a stack. */
export const test = base.extend<OfTest, OfWorker>({
  bffEnv: [{}, { scope: 'worker', option: true }],
  stack: [
    async ({ bffEnv }, use) => {
      const stack = await startStack(bffEnv);
      await use(stack);
      await stack.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  demo: [
    async ({ stack }, use) => {
      const demo = await startDemo({ port: stack.demoPort, adminUrl: stack.adminUrl });
      await use(demo);
      await demo.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  onePage: [
    async ({ browser }, use) => {
      const context = await browser.newContext({ ...ONE_PAGE, permissions: ['clipboard-read', 'clipboard-write'] });
      await use(await context.newPage());
      await context.close();
    },
    { scope: 'worker' },
  ],
  async openPage({ page, stack }, use, { testId }) {
    await use(async (asked, headers) => {
      const address = stack.site.put(`/${testId}`, hostPage(stack.bffUrl, asked), headers);
      await page.goto(address);
      return address;
    });
  },
  async openPageWith({ openPage }, use) {
    await use(async (...sourceIds) => void (await openPage({ sourceIds })));
  },
  async brokenRules({ page }, use) {
    await use((...leftOut) => violationsOf(violationsAlone(page), leftOut));
  },
  async lackOfContrast({ page }, use) {
    await use((...leftOut) => violationsOf(violationsAlone(page).withRules('color-contrast'), leftOut));
  },
});

/**
 * Launches the full browser. The headless shell has no back/forward cache, doesn't size frames by their content, and
 * draws some controls and letters differently.
 */
export function inWholeBrowser(options: LaunchOptions): LaunchOptions {
  const { PULSE_CHROMIUM: executablePath } = process.env;
  return executablePath === undefined ? options : { ...options, executablePath };
}

/**
 * `test` with a BFF that quickly refreshes a source that readers view, quickly notices an outage, and can withhold
 * text. The files share it, because starting a stack takes longer than most tests.
 */
export const testWithShortLives = test.extend({
  bffEnv: [
    // eslint-disable-next-line no-empty-pattern -- Playwright requires a pattern
    async ({}, use) => {
      using folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-withheld-'));
      // If it were much shorter, a new BFF wouldn't have enough calls.
      await use({ PULSE_FRESH_MS: '3000', PULSE_WITHHELD_FILE: join(folder.path, 'withheld') });
    },
    { scope: 'worker' },
  ],
});

/** `test` with a BFF that requires tokens. */
export const testWithTokens = test.extend<object, { backCacheBrowser: Browser }>({
  bffEnv: [{ PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: TOKEN_KEYS_FILE }, { scope: 'worker' }],
  backCacheBrowser: [
    async ({ playwright, launchOptions }, use) => {
      const browser = await playwright.chromium.launch({
        ...inWholeBrowser(launchOptions),
        // By default, Playwright disables the back/forward cache.
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
});

/** `testWithTokens` in a browser with a back/forward cache. The files share a worker, and so a stack. */
export const testWithBackCache = testWithTokens.extend({
  async context({ backCacheBrowser }, use) {
    const context = await backCacheBrowser.newContext();
    await use(context);
    await context.close();
  },
});

/**
 * `test` with one page for all tests in a worker. The page is cleared before each test. A new page for each test would
 * have to load the same script again, which takes longer than most tests. Use it only if `emptied()` removes everything
 * that a test leaves behind. `emptied()` doesn't remove a clock or a script for later pages.
 */
export const testOnOnePage = test.extend({
  async page({ onePage, colorScheme, javaScriptEnabled, locale, viewport }, use) {
    const asked = { colorScheme, javaScriptEnabled, locale, viewport };
    expect(asked, 'Options of test.use() need a separate page: import `test`').toEqual(ONE_PAGE);
    await emptied(onePage);
    await use(onePage);
  },
});

async function emptied(page: Page): Promise<void> {
  for (const event of ['request', 'response', 'console', 'pageerror'] as const) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Tries again, because the previous test's page might still be closing.
  await expect(() => page.evaluate(clearStorage)).toPass();
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
  await page.setViewportSize(ONE_PAGE.viewport);
  await page.mouse.move(0, 0);
}

/** Deletes everything that an earlier test stored in the Studio at `url`, such as a look. */
export async function emptyStorage(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/status`);
  await page.evaluate(clearStorage);
}

function clearStorage(): void {
  // A page without an origin has no storage.
  if (origin === 'null') return;
  localStorage.clear();
  sessionStorage.clear();
}

/** Runs axe without details about the rules that pass. */
function violationsAlone(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
}

async function violationsOf(axe: AxeBuilder, leftOut: readonly string[]): Promise<string[]> {
  for (const selector of leftOut) axe.exclude(selector);
  const { violations } = await axe.analyze();
  return violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.target.join(' ')}`);
}
