import type { Locator, Page } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { emptyStorage, expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('The address of the Studio', () => {
  test('restores all settings after a reload, and for another person who opens it', async ({
    page,
    stack,
    browser,
  }) => {
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByLabel('Source', { exact: true }).getByRole('option')).toHaveCount(11);
    await page.getByLabel('Source', { exact: true }).selectOption('src_seattle_rain');
    await page.getByRole('radio', { name: 'Compact', exact: true }).check();
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.getByRole('group', { name: 'Pages', exact: true }).getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('radio', { name: '320', exact: true }).check();
    await page.getByLabel('Where will you paste it?').selectOption('svelte');
    await page.getByLabel('Is my site allowed?').fill(stack.site.origin);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('#site-verdict')).not.toBeEmpty();
    const before = await shown(page);
    expect(before['code']).toContain('src_seattle_rain');
    await expect(page).toHaveURL(/site=/);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(before);
    const shared = await copyBy(page.getByRole('button', { name: 'Share this look' }));
    const other = await (await browser.newContext()).newPage();
    await other.goto(shared);
    await expect.poll(() => shown(other)).toEqual(before);
    await other.context().close();
  });
});

test.describe('A designer in the Studio', () => {
  test('is told that a color’s contrast is too low, and is offered a color that passes', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.locator('#swatch-accent-dark').click();
    const picker = page.getByRole('dialog', { name: 'Accent, dark' });
    await picker.getByLabel('Color value').fill('not a color');
    await picker.getByLabel('Color value').press('Enter');
    await expect(picker.getByText('Not an opaque color')).toBeVisible();
    await picker.getByLabel('Color value').fill('#7a52f4');
    await picker.getByLabel('Color value').press('Enter');
    await expect(picker.getByText('3.6 : 1 on the background. Links need 4.5 (AA).')).toBeVisible();
    await picker.getByRole('button', { name: /^Use #/ }).click();
    await expect(picker.getByText('Passes AA')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('.code pre')).toContainText(/--pulse-card-accent: light-dark\(#3d40d4, #[\da-f]{6}\)/);
  });

  test('sees the whole color picker, even when it shows a message', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    const swatch = page.locator('#swatch-accent-light');
    await swatch.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await swatch.click();
    const picker = page.getByRole('dialog', { name: 'Accent, light' });
    const shortest = await picker.evaluate((element) => element.clientHeight);
    const { top } = await swatch.evaluate((element) => element.getBoundingClientRect());
    await page.keyboard.press('Escape');
    // In a window of this height, the picker just fits below the button.
    await page.setViewportSize({ width: 1440, height: Math.ceil(top + shortest + 12) });
    await swatch.click();
    await picker.getByLabel('Color value').fill('#ffee00');
    await picker.getByLabel('Color value').press('Enter');
    await expect(picker.getByRole('button', { name: /^Use #/ })).toBeVisible();
    expect(await picker.evaluate((element) => element.clientHeight)).toBeGreaterThan(shortest);
    expect(await picker.evaluate((element) => innerHeight - element.getBoundingClientRect().bottom)).toBeGreaterThan(0);
  });

  test('drags the card’s edge, which stays under the pointer', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&view=light`);
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    const grip = page.getByRole('slider', { name: 'Width of the card' });
    const start = await centreOf(grip);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    for (const far of [-40, 30, 80]) {
      await page.mouse.move(start.x + far, start.y);
      await expect.poll(async () => Math.abs((await centreOf(grip)).x - start.x - far)).toBeLessThan(2);
    }
    await page.mouse.up();
    await expect(page).toHaveURL(/width=640/);
  });

  test('sees a one-line bar with the Copy button on a phone, and can open the code', async ({ page, stack }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    const code = page.getByRole('region', { name: 'Code for your page' });
    await expect(code.getByRole('button', { name: 'Copy' })).toBeInViewport({ ratio: 1 });
    await expect(code.locator('pre')).not.toBeInViewport();
    expect((await page.locator('.code-head').boundingBox())?.height).toBeLessThan(64);
    await page.getByLabel('Where will you paste it?').selectOption('short');
    await expect(code.locator('pre')).toBeInViewport();
    await expect(code.getByRole('button', { name: 'Copy' })).toBeInViewport({ ratio: 1 });
  });

  test('sees the whole card on phones', async ({ page, stack }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&view=light&width=full`);
    await expectWholeCard(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectWholeCard(page);
  });

  test('sees no empty space around a short card on a phone', async ({ page, stack }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&variant=compact`);
    await expectWholeCard(page);
    const stageHeight = async () => (await page.locator('studio-stage').boundingBox())?.height;
    await expect.poll(stageHeight).toBeLessThan(300);
    await expectWholeCard(page);
  });

  test('reads the widths from left to right on a page that reads from right to left', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&dir=rtl&width=compare&view=light`);
    await expect(page.locator('figcaption [dir=ltr]')).toHaveText(['320 px', '600 px', '1200 px']);
  });

  test('sees both pages side by side, with the code and the policy below them', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    const code = page.getByRole('region', { name: 'Code for your page' });
    for (const [width, height] of [
      [1440, 900],
      [1280, 800],
      [1024, 768],
    ] as const)
      await test.step(`${width} × ${height}`, async () => {
        await page.setViewportSize({ width, height });
        await expectWholeCard(page);
        const [light, dark] = await Promise.all(
          ['light', 'dark'].map((scheme) => page.locator(`.pane[data-pane=${scheme}]`).boundingBox()),
        );
        expect([dark?.y, dark?.width]).toEqual([light?.y, light?.width]);
        const stageBottom = await bottomOf(page.locator('studio-stage'));
        expect((await page.locator('.code').boundingBox())?.y).toBeGreaterThanOrEqual(stageBottom);
        for (const part of [
          page.getByLabel('Where will you paste it?'),
          code.getByRole('button', { name: 'Copy' }),
          code.locator('.line').first(),
          code.locator('.code-foot'),
          page.getByLabel('Is my site allowed?'),
        ])
          await expect(part).toBeInViewport({ ratio: 1 });
        await expect(page.getByLabel('Lines of the policy')).toBeInViewport({ ratio: 0.5 });
      });
  });

  test('scrolls the controls without scrolling the page', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.locator('#swatch-page-light').focus();
    expect(await page.evaluate(() => [document.documentElement.scrollHeight, scrollY])).toEqual([900, 0]);
  });

  test('sees one page in a narrow window, and two pages in a wide window', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await expect(page.locator('pulse-card')).toHaveCount(2);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.locator('pulse-card')).toHaveCount(1);
    await expectWholeCard(page);
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(page.locator('pulse-card')).toHaveCount(2);
  });

  test('points at a part of the card, sees its name, copies its selector, and styles it', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&view=light`);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    await page.getByRole('button', { name: 'Pick' }).click();
    await page.locator('pulse-card [part~=toggle]').hover();
    await expect(page.locator('.hint')).toHaveText('::part(toggle)');
    await page.locator('pulse-card [part~=toggle]').click();
    const picker = page.getByRole('dialog', { name: 'Accent, light' });
    await expect(picker).toContainText('pulse-card::part(toggle) copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('pulse-card::part(toggle)');
    await expect(page.locator('pulse-card')).toHaveJSProperty('open', false);
  });

  test('sees earlier findings, and opens a run’s page', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=src_us_employment&state=history&view=light`);
    const link = page.locator('pulse-card').getByRole('link', { name: /202\d/ }).first();
    await expect(link).toBeVisible();
    const opened = page.waitForEvent('popup');
    await link.click();
    await expect((await opened).locator('pulse-card')).toContainText('Payrolls reached');
  });

  test('reaches the colors and the Copy button with the keyboard', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await tabTo(page, (element) => element.id === 'swatch-background-light', 30);
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const value = page.getByRole('dialog').getByLabel('Color value');
    await tabTo(page, (element) => element.getAttribute('aria-label') === 'Color value', 4);
    await value.fill('#9b1c1c');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('swatch-accent-light');
    await tabTo(page, (element) => element.textContent?.trim() === 'Copy' && element.closest('.code') !== null, 30);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(clipboard).toContain('light-dark(#9b1c1c, #a3a9ff)');
  });
});

test.describe('Charts on dark pages', () => {
  test('are previewed both ways before the designer chooses one, and the choice is kept', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByRole('link', { name: 'All charts both ways' }).click();
    const ways = page.locator('.ways');
    await expect(page.getByRole('heading', { name: 'Charts on dark pages, both ways' })).toBeInViewport();
    await expect(ways.locator('pulse-card')).toHaveCount(20);
    for (const [way, filter] of [
      ['light', /^none$/],
      ['auto', /invert\(1\)/],
    ] as const) {
      const card = ways.locator(`pulse-card[source-id="${SOURCE}"][chart-theme="${way}"]`);
      await card.scrollIntoViewIfNeeded();
      await expect(card.locator('[part~=image]')).toHaveCSS('filter', filter);
    }
    await expect(page.getByLabel('Code of the board')).toContainText('chart-theme="auto"');
    await page.getByRole('radio', { name: 'Keep light' }).check();
    await expect(page.getByLabel('Code of the board')).not.toContainText('chart-theme');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Studio' }).click();
    await expect(page.locator('.code pre')).toContainText('<pulse-card');
    await expect(page.locator('.code pre')).not.toContainText('chart-theme');
  });
});

/** Checks that the stage shows the whole first card once it is rendered. */
async function expectWholeCard(page: Page): Promise<void> {
  const card = page.locator('pulse-card').first();
  await expect(card).toHaveJSProperty('state', 'ready');
  await expect(card.locator('[part~=toggle]')).toBeVisible();
  const hiddenPx = async () => (await bottomOf(card)) - (await bottomOf(page.locator('studio-stage')));
  await expect.poll(hiddenPx).toBeLessThanOrEqual(0);
}

async function bottomOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('Cannot measure: nothing is shown');
  return box.y + box.height;
}

async function centreOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
}

/** Presses Tab until the target has the focus, at most `most` times. */
async function tabTo(page: Page, isThere: (element: Element) => boolean, most: number): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluateHandle(() => document.activeElement ?? document.body);
    if (await focused.evaluate(isThere)) return;
  }
  throw new Error(`The focus did not get there within ${most} presses of Tab`);
}

/** The visible settings. */
async function shown(page: Page): Promise<Record<string, unknown>> {
  await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
  const card = page.locator('pulse-card');
  return {
    code: await page.locator('.code pre').textContent(),
    tab: await page.locator('#place').inputValue(),
    cards: await card.count(),
    style: await card.first().getAttribute('style'),
    width: Math.round((await card.first().boundingBox())?.width ?? 0),
    site: await page.getByLabel('Is my site allowed?').inputValue(),
    verdict: await page.locator('#site-verdict').textContent(),
  };
}
