import type { Page } from '@playwright/test';
import { emptyStorage, expect, test } from './test.ts';

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('The Studio while it loads', () => {
  for (const [width, height] of [
    [412, 823],
    [1280, 800],
  ] as const)
    test(`doesn’t move at ${width} × ${height}`, async ({ page, stack }) => {
      await page.setViewportSize({ width, height });
      await recordShifts(page);
      // The data doesn't arrive until the page has been drawn.
      const drawn = page.waitForFunction(() => document.querySelector('.side') !== null);
      await page.route('**/studio/api/**', async (route) => {
        await drawn;
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
        await route.continue();
      });
      await page.goto(`${stack.adminUrl}/studio/`);
      await expect(page.locator('pulse-card [part~=image]').first()).toBeVisible();
      await expect(page.locator('.code .line').first()).toBeVisible();
      expect(await shiftOf(page)).toBeLessThan(0.05);
    });

  test('doesn’t move on its other pages', async ({ page, stack }) => {
    await page.setViewportSize({ width: 412, height: 823 });
    await recordShifts(page);
    for (const [path, last] of [
      ['board/', 'pulse-board pulse-card [part~=image]'],
      ['states/', '[data-state=fresh] [part~=image]'],
      ['docs/', 'main h1'],
      ['docs/?guide=style', '.guide img'],
      ['docs/?guide=embed', '.guide pulse-card [part~=image]'],
      ['check/', 'main input'],
      ['status/', '.sources'],
    ] as const) {
      await page.goto(`${stack.adminUrl}/studio/${path}`);
      await expect(page.locator(last).first()).toBeVisible();
      expect(await shiftOf(page), path).toBeLessThan(0.05);
    }
  });

  test('shows the pictures of a guide in the page’s color scheme', async ({ page, stack }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${stack.adminUrl}/studio/docs/?guide=style`);
    const picture = page.getByRole('img', { name: /^The four variants/ });
    await expect(picture).toHaveCount(1);
    await expect(picture).toHaveAttribute('src', /variants-dark/);
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  });
});

/** Records the layout shifts of every page that is opened from now on. */
function recordShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The cumulative layout shift of the page until now. */
async function shiftOf(page: Page): Promise<number> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))));
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
  return shifts.reduce((sum, shift) => sum + shift, 0);
}
