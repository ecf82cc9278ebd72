import { readFileSync } from 'node:fs';
import type { PulseCard } from '@pulse-card/widget';
import { expect, testOnOnePage as test } from './test.ts';

test.describe('A reader of a card with actions', () => {
  test.beforeEach(async ({ page, openPageWith }) => {
    await openPageWith('src_us_employment');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await card.evaluate((element: PulseCard) => (element.actions = 'copy save'));
  });

  test('saves the whole card, including its chart, as a single image', async ({ page, stack }) => {
    const charts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') charts.push(request.url());
    });
    const saved = page.waitForEvent('download');
    await page.locator('pulse-card [value=save]').click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('US nonfarm employment.png');
    const png = readFileSync(await download.path());
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16)]).toEqual(['PNG', 1_200]);
    // The chart covers most of the image.
    expect(png.readUInt32BE(20)).toBeGreaterThan(800);
    expect(charts.join()).toMatch(new RegExp(`^${stack.bffUrl}/v1/sources/src_us_employment/image\\?run=[^,]+$`));
  });

  test('copies the finding with its label and the page’s URL', async ({ page }) => {
    await page.locator('pulse-card [value=copy]').click();
    await expect(page.getByRole('status')).toHaveText('Copied');
    const [facts, finding, url] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(facts).toMatch(/^US nonfarm employment · AI-generated · /);
    expect(finding).toMatch(/\d/);
    expect(url).toBe(page.url());
  });
});
