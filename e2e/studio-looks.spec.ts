import type { Locator } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { emptyStorage, expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('A look', () => {
  test('is kept across Board, States, Studio, and a reload, but the source isn’t', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=src_seattle_rain`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.getByRole('group', { name: 'Scheme of the card' }).getByRole('radio', { name: 'Light' }).check();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    for (const [name, element] of [
      ['Board', 'pulse-board'],
      ['States', 'pulse-card'],
      ['Studio', 'pulse-card'],
    ] as const) {
      await pages.getByRole('link', { name }).click();
      await expectNews(page.locator(element).first());
    }
    await page.reload();
    await expectNews(page.locator('pulse-card').first());
    await expect(page.locator('.code pre')).not.toContainText('src_seattle_rain');
    await pages.getByRole('link', { name: 'Board' }).click();
    await expect(page.getByLabel('Code of the board')).toContainText('--pulse-card-accent: #b0221c');
  });

  test('can be restored with the keyboard or a button after Reset', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=src_seattle_rain`);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    // Once an option has been chosen twice, the browser ignores the option's attribute.
    for (const language of ['de', '', 'de']) await page.getByLabel('Language').selectOption(language);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(page.getByRole('radio', { name: 'Default', exact: true })).toBeChecked();
    await expect(page.getByLabel('Language')).toHaveValue('');
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('radio', { name: 'News', exact: true })).toBeChecked();
    await expect(page.locator('.code pre')).toContainText('src_seattle_rain');
  });

  test('applies to one tab if it comes from a link, and leaves the saved look unchanged', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/`);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    const other = await page.context().newPage();
    await other.goto(`${stack.adminUrl}/studio/?accent=123456.`);
    await other.goto(`${stack.adminUrl}/studio/board/`);
    await expect(other.locator('pulse-board')).toHaveAttribute('style', /--pulse-card-accent: light-dark\(#123456/);
    await other.close();
    await page.reload();
    await expect(page.getByRole('radio', { name: 'News', exact: true })).toBeChecked();
  });

  test('can be kept or discarded if it comes from a link', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/`);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.goto(`${stack.adminUrl}/studio/?accent=123456.`);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('radio', { name: 'News', exact: true })).toBeChecked();
    await page.goto(`${stack.adminUrl}/studio/?accent=123456.`);
    await page.getByRole('button', { name: 'Keep' }).click();
    await expect(page.getByRole('button', { name: 'Keep' })).toHaveCount(0);
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.locator('.code pre')).toContainText('#123456');
  });

  test('can be saved under a name, chosen, renamed, and deleted, and each step can be undone', async ({
    page,
    stack,
  }) => {
    await page.goto(`${stack.adminUrl}/studio/`);
    await page.locator('#group-looks summary').click();
    const looks = page.locator('saved-looks');
    const accent = page.locator('#swatch-accent-light');
    const plain = await accent.textContent();
    await page.getByRole('radio', { name: 'News' }).check({ force: true });
    await looks.getByLabel('Name').fill('Ours');
    await looks.getByRole('button', { name: 'Save' }).click();
    const news = await accent.textContent();
    expect(news).not.toBe(plain);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('');
    await page.reload();
    await page.locator('#group-looks summary').click();
    await looks.getByLabel('Look').selectOption('Ours');
    await expect(accent).toHaveText(news ?? '');
    await looks.getByLabel('Name').fill('Theirs');
    await looks.getByRole('button', { name: 'Rename' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('Theirs');
    await looks.getByRole('button', { name: 'Delete' }).click();
    await expect(looks.getByLabel('Look')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('Theirs');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('Ours');
  });

  test('can be undone and redone with the keyboard, except in a text field', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('radio', { name: 'Default', exact: true })).toBeChecked();
    await page.keyboard.press('Control+Shift+z');
    await expect(page.getByRole('radio', { name: 'News', exact: true })).toBeChecked();
    await page.getByLabel('Is my site allowed?').fill('https://www.example.com');
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('radio', { name: 'News', exact: true })).toBeChecked();
  });

  test('can be shared as a link even if it is the default', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    const shared = await copyBy(page.getByRole('button', { name: 'Share this look' }));
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.goto(shared);
    await expect(page.getByRole('radio', { name: 'Default', exact: true })).toBeChecked();
  });

  test('can be copied as CSS that styles cards and boards', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&accent=9b1c1c.ff9d8a`);
    const css = await copyBy(page.getByRole('button', { name: 'CSS', exact: true }));
    await page.goto(
      stack.site.put(
        '/styled',
        `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script><style>${css}</style>
        <pulse-card source-id="${SOURCE}"></pulse-card><pulse-board></pulse-board>`,
      ),
    );
    await expect(page.locator('pulse-card [part~=toggle]').first()).toHaveCSS('color', 'rgb(155, 28, 28)');
    for (const element of ['pulse-card', 'pulse-board']) {
      const accent = await page
        .locator(element)
        .first()
        .evaluate((host) => getComputedStyle(host).getPropertyValue('--pulse-card-accent'));
      expect(accent).toBe('light-dark(#9b1c1c, #ff9d8a)');
    }
  });

  test('includes the page’s background, but not in the code', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.locator('#swatch-page-light').click();
    const value = page.getByRole('dialog', { name: 'Page, light' }).getByLabel('Color value');
    await value.fill('#fff1e5');
    await value.press('Enter');
    await expect(page.locator('.pane[data-pane=light]')).toHaveCSS('background-color', 'rgb(255, 241, 229)');
    await expect(page.locator('.code pre')).not.toContainText('style');
    await page.goto(`${stack.adminUrl}/studio/board/`);
    await expect(page.locator('.ground')).toHaveCSS('background-color', 'rgb(255, 241, 229)');
  });
});

/** Checks that an element has the look of the theme News on light and dark pages. */
async function expectNews(element: Locator): Promise<void> {
  await expect(element).toHaveAttribute('style', /--pulse-card-accent: #b0221c/);
  await expect(element).toHaveAttribute('theme', 'light');
}
