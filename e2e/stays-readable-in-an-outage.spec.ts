import { expect, test } from './test.ts';

test.describe('When the service is down', () => {
  test.afterEach(async ({ stack }) => stack.startService());

  test('the card stays readable and says that it shows an earlier version', async ({ page, openPageWith, stack }) => {
    await openPageWith('src_us_employment');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    const sentence = await card.locator('[part~=summary]').innerText();
    await stack.stopService();
    await expect
      .poll(
        async () =>
          (await page.request.get(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`).then((answer) => answer.json()))
            .meta.stale,
      )
      .toBe(true);
    await openPageWith('src_us_employment');
    await expect(card).toHaveJSProperty('state', 'stale');
    await expect(card.locator('[part~=summary]')).toHaveText(sentence);
    await expect(card).toContainText('Earlier version');
  });

  test('a source never asked before says that it cannot be shown right now, and recovers by itself or on demand', async ({
    page,
    openPageWith,
    stack,
  }) => {
    await stack.stopService();
    await openPageWith('src_co2_mauna_loa');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'error', { timeout: 30_000 });
    await stack.startService();
    await card.getByRole('button', { name: 'Try again' }).click();
    await expect(card).toHaveJSProperty('state', 'ready', { timeout: 30_000 });
  });
});
