import type { Page } from '@playwright/test';
import { expect, LONG, testWithShortLives as test } from './test.ts';

/** The table row of the source whose pulse these tests request. */
function rowOf(page: Page) {
  return page.getByRole('table', { name: 'Sources with readers' }).getByRole('row', { name: /US nonfarm employment/ });
}

/** Makes the page report that it is hidden behind another tab, or that it is visible again. */
function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** The page's headline if nothing fails. One of the demo’s sources needs reconnection. */
const WELL = 'Readers get their charts. 1 source needs attention.';

/** How often the page requests the status. */
const POLLED_EVERY_MS = 3_000;

/**
 * The maximum time until the BFF notices an outage or its end, in ms: three failed calls, and the pause before the next
 * one.
 */
const OUTAGE_MS = 60_000;

test.describe('A BFF’s status page', () => {
  test.afterEach(async ({ stack }) => stack.startService());

  test('shows that readers are getting their charts, which sites show them, and which site isn’t allowed', async ({
    page,
    openPageWith,
    stack,
  }) => {
    await openPageWith('src_us_employment');
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    const headers = { Origin: 'https://blog.example.net' };
    await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`, { headers });
    await page.goto(stack.adminUrl);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(WELL);
    for (const name of ['JSON', 'Prometheus']) {
      const document = await page.getByRole('link', { name }).getAttribute('href');
      expect((await page.request.get(`${stack.adminUrl}${document}`)).ok()).toBe(true);
    }
    // A pulse is stale soon after its last reader.
    await expect
      .poll(async () => {
        await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
        return rowOf(page).textContent();
      })
      .toContain('Fresh');
    const readers = page.getByRole('table', { name: /Where charts are read/ });
    const reader = readers.getByRole('row', { name: stack.site.origin }).filter({ hasText: 'US nonfarm employment' });
    await expect(reader).toBeVisible();
    const refusals = page.getByRole('table', { name: /Rejected/ });
    await expect(refusals.getByRole('row', { name: /blog\.example\.net/ })).toContainText('PULSE_ALLOWED_ORIGINS');
  });

  test('withholds a run’s AI-generated text and restores it', async ({ page, stack, openPageWith }) => {
    await openPageWith('src_us_employment');
    const finding = page.locator('pulse-card').getByText(/Payrolls reached/);
    await expect(finding).toBeVisible();
    await page.goto(stack.adminUrl);
    const withhold = rowOf(page).getByRole('button', { name: 'Withhold the AI text of US nonfarm employment' });
    const restore = rowOf(page).getByRole('button', { name: 'Restore the AI text of US nonfarm employment' });
    await withhold.click();
    await expect(restore).toBeVisible();
    // For a moment, the browser's cache still contains the response with the text.
    await expect(async () => {
      await openPageWith('src_us_employment');
      await expect(page.getByText('The text was withheld by this site.')).toBeVisible({ timeout: 10_000 });
    }).toPass();
    await page.goto(stack.adminUrl);
    await restore.click();
    await expect(withhold).toBeVisible();
    await expect(async () => {
      await openPageWith('src_us_employment');
      await expect(finding).toBeVisible({ timeout: 10_000 });
    }).toPass();
  });

  test('explains why AI text can’t be withheld', async ({ page, stack }) => {
    await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
    await page.route('**/api/withheld', (route) =>
      route.fulfill({ status: 409, json: { error: 'This server can’t write PULSE_WITHHELD_FILE' } }),
    );
    await page.goto(stack.adminUrl);
    await rowOf(page).getByRole('button', { name: 'Withhold' }).click();
    await expect(rowOf(page).getByRole('alert')).toHaveText('This server can’t write PULSE_WITHHELD_FILE');
  });

  test('lists all problems, marks overdue sources, and can’t withhold text if the file isn’t writable', async ({
    page,
    stack,
  }) => {
    await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
    const problems = [
      {
        code: 'redis_lost',
        level: 'degraded',
        headline: 'Redis has been unavailable for 4 s.',
        advice: 'Check that it runs.',
      },
      { code: 'source_broken', level: 'notice', headline: 'The source "A" needs reconnection.', advice: 'Look at it.' },
      {
        code: 'source_overdue',
        level: 'notice',
        sourceId: 'src_us_employment',
        headline: 'The source "B" is overdue.',
        advice: 'Wait.',
      },
    ];
    await page.route('**/api/status', async (route) => {
      const response = await route.fetch();
      const { withheld, ...status } = (await response.json()) as { withheld: object };
      const shown = { problems, warnings: [], summary: problems[0] };
      const json = { ...status, ...shown, withheld: { ...withheld, isWritable: false, runs: ['run_0'] } };
      await route.fulfill({ response, json });
    });
    await page.goto(stack.adminUrl);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Redis has been unavailable for 4 s.');
    await expect(page.locator('.verdict')).toHaveText([
      'The source "A" needs reconnection. Look at it.',
      'The source "B" is overdue. Wait.',
    ]);
    await expect(rowOf(page)).toContainText('Overdue');
    await expect(page.getByRole('region', { name: /Withheld text/ })).toContainText('run_0');
    await expect(page.getByRole('button', { name: /Withhold|Release/ })).toHaveCount(0);
  });

  test('reports the start and the end of an outage automatically', LONG, async ({ page, stack }) => {
    test.setTimeout(3 * OUTAGE_MS);
    const read = () => page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
    await read();
    await page.goto(stack.adminUrl);
    const sentence = page.getByRole('heading', { level: 1 });
    await expect(sentence).toHaveText(WELL);
    await stack.stopService();
    await expect(async () => {
      await read();
      await expect(sentence).toContainText('Readers keep the last charts', { timeout: 1_000 });
    }).toPass({ timeout: OUTAGE_MS });
    await expect(page.locator('.summary')).toContainText('Readers keep the last charts for another 24 hours.');
    await expect(rowOf(page)).toContainText('Earlier version');
    await stack.startService();
    await expect(async () => {
      await read();
      await expect(sentence).toHaveText(WELL, { timeout: 1_000 });
    }).toPass({ timeout: OUTAGE_MS });
  });

  test('reports that the server itself is down, and stops sending requests while the page is hidden', async ({
    page,
    stack,
  }) => {
    await page.clock.install();
    await page.goto(stack.adminUrl);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(WELL);
    await page.route('**/api/status', (route) => route.abort());
    await page.clock.runFor(POLLED_EVERY_MS);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This server isn’t responding.');
    await page.unroute('**/api/status');
    await page.clock.runFor(POLLED_EVERY_MS);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(WELL);
    await setHidden(page, true);
    let asked = 0;
    page.on('request', () => (asked += 1));
    await page.clock.runFor(60_000);
    expect(asked).toBe(0);
    await setHidden(page, false);
    await expect.poll(() => asked).toBe(1);
  });

  test('passes accessibility checks and fits phones and desktops in both light and dark mode', async ({
    page,
    stack,
    brokenRules,
    lackOfContrast,
  }) => {
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(stack.adminUrl);
    await expect(rowOf(page)).toBeVisible();
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      // A layout that depends on an element's size changes one frame later than that size.
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${width} px` })
        .toBe(width);
    }
    expect(await brokenRules()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await lackOfContrast()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
