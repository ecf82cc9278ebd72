import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ROOT } from '@pulse-card/testkit/root';
import { copyBy } from './stack/clipboard.ts';
import { STATIC_SERVERS, type StaticServer } from '@pulse-card/testkit/fronts/static-servers';
import { expect, testOnOnePage as test } from './test.ts';

const BUILT = join(ROOT, 'demo/dist-preview/studio');

test.describe('The Studio as static files, below a path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-preview-'));
  let host: StaticServer;
  let studio: string;
  test.beforeAll(async () => {
    cpSync(BUILT, join(folder, 'brand/studio'), { recursive: true });
    host = await (STATIC_SERVERS['sirv'] as NonNullable<(typeof STATIC_SERVERS)['sirv']>)(folder);
    studio = `${host.url}/brand/studio/`;
  });
  test.afterAll(async () => {
    await host.close();
    rmSync(folder, { recursive: true });
  });

  test('shows the demo’s charts on every page and requests only files that exist', async ({ page }) => {
    const failed = failedRequests(page, studio);
    await page.goto(studio);
    const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await expect(pages).toHaveText(['Studio', 'Board']);
    for (const name of ['Studio', 'Board']) {
      await pages.filter({ hasText: name }).click();
      const card = page.locator('pulse-card:state(ready)').first();
      await expect(card.locator('[part~=image]').first()).toHaveJSProperty('complete', true);
      await expect(card.locator('[part~=time]').first()).toContainText(/ago|yesterday/);
    }
    expect(failed).toEqual([]);
  });

  test('lets a designer choose a brand and copy its code', async ({ page }) => {
    await page.goto(studio);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.getByLabel('Source', { exact: true }).selectOption('src_seattle_rain');
    const code = await copyBy(page.locator('.code').getByRole('button', { name: 'Copy' }));
    expect(code).toContain('https://pulse.example.com/pulse-card.js');
    expect(code).toContain('source-id="src_seattle_rain"');
    expect(code).toContain('--pulse-card-accent: light-dark(#b0221c, #ff9d8a)');
    await expect(page.getByRole('note')).toContainText('with the URL of your');
    await expect(page.getByLabel('Lines of the policy')).toHaveText(/^script-src https:\/\/pulse\.example\.com;/);
  });

  test('shows a card in any state', async ({ page }) => {
    await page.goto(`${studio}?state=all&view=light`);
    await expect(page.locator('[data-state="upstream_unavailable"] pulse-card')).toHaveJSProperty('state', 'error');
  });
});

/** Records requests for files that don't exist and requests outside the folder. */
function failedRequests(page: Page, studio: string): string[] {
  const failed: string[] = [];
  page.on('response', (response) => {
    if (!response.ok() && response.status() !== 304) failed.push(`${response.status()} ${response.url()}`);
    if (!response.url().startsWith(studio)) failed.push(`outside: ${response.url()}`);
  });
  return failed;
}
