import { expect, testOnOnePage as test } from './test.ts';

test.describe('A source without a pulse', () => {
  test('shows the source’s name and says that there is no pulse yet', async ({ page, openPageWith }) => {
    await openPageWith('src_store_revenue');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'empty');
    await expect(card).toContainText('No chart yet');
    await expect(card.getByRole('heading', { level: 3 })).not.toBeEmpty();
    await expect(card.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });
});

test.describe('A source that doesn’t exist', () => {
  test('has a card with a calm message and no error code', async ({ page, openPageWith }) => {
    await openPageWith('src_no_such_source');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'error');
    await expect(card).not.toContainText(/404|source_unknown/);
  });
});
