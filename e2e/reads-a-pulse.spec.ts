import type { Page } from '@playwright/test';
import { expect, testOnOnePage as test } from './test.ts';

test.describe('A reader of a page with a card', () => {
  test('sees the name, the chart, the finding, and the time', async ({ page, openPageWith }) => {
    await openPageWith('src_us_employment');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card.getByRole('heading', { level: 3 })).not.toBeEmpty();
    await expect(card.locator('[part~=summary]')).toContainText(/\d/);
    await expect(card.locator('time')).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT/);
    const image = card.locator('[part~=image]');
    await expect(image).toHaveAttribute('alt', 'Chart');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1600);
  });

  test('downloads the chart only once, even though both the snippet and the card show it', async ({
    page,
    openPageWith,
    stack,
  }) => {
    const charts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'image') charts.push(request.url());
    });
    await page.route('**/pulse-card.js', async (route) => {
      await expect.poll(() => page.evaluate(() => document.querySelector('img')?.complete)).toBe(true);
      await route.continue();
    });
    await openPageWith('src_us_employment');
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    await expect.poll(() => imageWidth(page)).toBe(1600);
    expect(charts).toEqual([`${stack.bffUrl}/v1/sources/src_us_employment/image`]);
  });
});

function imageWidth(page: Page): Promise<number> {
  return page.locator('pulse-card [part~=image]').evaluate((image: HTMLImageElement) => image.naturalWidth);
}
