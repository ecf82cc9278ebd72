import { boardSnippetFor } from '@pulse-card/widget/snippet';
// This file's name sorts after the other files with this BFF, because the BFF needs some time to recover from an outage.
import { expect, LONG, testWithShortLives as test } from './test.ts';

test.describe('When the service is down', () => {
  test.afterEach(async ({ stack }) => stack.startService());

  test('new readers still see the card, marked as stale', async ({ page, openPageWith, stack, browser }) => {
    await openPageWith('src_us_employment');
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    const sentence = await page.locator('pulse-card [part~=summary]').innerText();
    await stack.stopService();
    await expect
      .poll(
        async () =>
          (await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`).then((answer) => answer.json()))
            .meta.stale,
      )
      .toBe(true);
    const later = await browser.newPage();
    await later.goto(page.url());
    const card = later.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'stale');
    await expect(card.locator('[part~=summary]')).toHaveText(sentence);
    await expect(card).toContainText('Earlier version');
    await later.close();
  });

  test('a board shows the BFF’s stored responses', LONG, async ({ page, stack }, { testId }) => {
    await page.request.get(`${stack.bffUrl}/v1/sources`);
    await stack.stopService();
    const board = boardSnippetFor({ baseUrl: stack.bffUrl });
    await page.goto(stack.site.put(`/${testId}`, `<!doctype html><title>Figures</title>${board}`));
    await expect(page.locator('pulse-board li:has(> pulse-card)')).toHaveCount(10);
  });

  test(
    'the card for a source that was never loaded shows a message and recovers later',
    LONG,
    async ({ page, openPageWith, stack }) => {
      test.setTimeout(90_000);
      await stack.stopService();
      await openPageWith('src_co2_mauna_loa');
      const card = page.locator('pulse-card');
      await expect(card).toHaveJSProperty('state', 'error', { timeout: 30_000 });
      await expect(card).toContainText(/This chart can.t be shown right now/);
      await stack.startService();
      await expect(async () => {
        await card.getByRole('button', { name: 'Try again' }).click({ timeout: 1_000 });
        await expect(card).toHaveJSProperty('state', 'ready', { timeout: 5_000 });
      }).toPass({ timeout: 60_000 });
    },
  );
});
