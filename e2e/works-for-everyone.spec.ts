import { expect, testOnOnePage as test } from './test.ts';

test.describe('A reader with only a keyboard', () => {
  test('reaches the analysis with Tab, expands it with Enter, and collapses it with Space', async ({
    page,
    openPageWith,
  }) => {
    await openPageWith('src_us_employment');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    for (let presses = 0; presses < 10 && !(await hasFocusOnToggle()); presses += 1) await page.keyboard.press('Tab');
    expect(await hasFocusOnToggle()).toBe(true);
    await page.keyboard.press('Enter');
    await expect(card.locator('[part~=analysis]')).toBeVisible();
    await page.keyboard.press('Space');
    await expect(card.locator('[part~=analysis]')).toBeHidden();
    expect(await hasFocusOnToggle()).toBe(true);

    function hasFocusOnToggle(): Promise<boolean> {
      return card.evaluate((element) => element.shadowRoot?.activeElement?.part.contains('toggle') ?? false);
    }
  });
});

test.describe('A reader who searches the page', () => {
  test('finds words in a collapsed analysis, which then expands', async ({ page, openPage }) => {
    const address = await openPage({ sourceIds: ['src_us_employment'] });
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    const analysis = card.locator('[part~=analysis]');
    await expect(analysis).toBeHidden();
    const words = (await analysis.textContent())?.trim().split(/\s+/).slice(0, 4).join(' ') ?? '';
    // A link with a text fragment finds words the same way as the browser's own search.
    await page.goto(`${address}#:~:text=${encodeURIComponent(words)}`);
    await expect(analysis).toBeVisible();
    await expect(card).toHaveJSProperty('open', true);
  });
});

test.describe('A page with cards', () => {
  test('passes accessibility checks whether cards are ready, empty, or failed', async ({
    page,
    openPageWith,
    brokenRules,
  }) => {
    await page.setViewportSize({ width: 800, height: 3_000 });
    await openPageWith('src_us_employment', 'src_store_revenue', 'src_no_such_source');
    const cards = page.locator('pulse-card');
    for (const [index, state] of ['ready', 'empty', 'error'].entries())
      await expect(cards.nth(index)).toHaveJSProperty('state', state);
    await cards.first().getByText('Read the analysis').click();
    expect(await brokenRules()).toEqual([]);
  });
});
