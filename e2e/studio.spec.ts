import type { Locator, Page } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { emptyStorage, expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('A designer in the Studio', () => {
  test('can change the card, copy the code, share the link, and check whether a site is allowed', async ({
    page,
    demo,
    stack,
    browser,
  }) => {
    const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByLabel('Source', { exact: true }).getByRole('option')).toHaveCount(11);
    await expect(pages).toHaveText(['Studio', 'Board', 'Check', 'Status']);
    await page.goto(demo.url);
    expect(new URL(page.url()).pathname).toBe('/studio/');
    await expect(page.getByLabel('Source', { exact: true }).getByRole('option')).toHaveCount(11);
    const docs = await pages.filter({ hasText: 'Docs' }).getAttribute('href');
    expect((await page.request.get(docs ?? '')).ok()).toBe(true);
    await page.getByLabel('Source', { exact: true }).selectOption('src_seattle_rain');
    await page.getByRole('radio', { name: 'Compact', exact: true }).check();
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    await page.getByRole('group', { name: 'Pages', exact: true }).getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('radio', { name: '320', exact: true }).check();
    await page.locator('#group-advanced summary').click();
    await page.getByLabel('Language of the AI-generated text').fill('de');
    await page.getByLabel('Language of the AI-generated text').press('Enter');
    // The URL is updated a moment after the last change.
    await expect(page).toHaveURL(/=de(?:&|$)/);
    const before = await shown(page);
    const copied = await copyBy(page.locator('.code').getByRole('button', { name: 'Copy' }));
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(before);
    const site = page.getByLabel('Is my site allowed?');
    const check = page.getByRole('button', { name: 'Check', exact: true });
    await check.click();
    await expect(page.getByText('Enter the URL of your site')).toBeVisible();
    await site.fill(`${stack.site.origin}/any/page`);
    await check.click();
    await expect(page.getByText('Yes, pages on this site can show the card.')).toBeVisible();
    await site.fill('blog.example.net');
    await check.click();
    await expect(page.getByLabel('The line for the operator')).toHaveText(
      /^PULSE_ALLOWED_ORIGINS=\S*https:\/\/blog\.example\.net npm start$/,
    );
    const shared = await copyBy(page.getByRole('button', { name: 'Share this look' }));
    const other = await (await browser.newContext()).newPage();
    await other.goto(shared);
    await expect.poll(() => shown(other)).toEqual(before);
    await other.context().close();
    await page.goto(stack.site.put('/newcomer', `<!doctype html><title>My page</title>${copied}`));
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    expect(
      await card.evaluate((one) => ['source-id', 'variant', 'summary-lang'].map((name) => one.getAttribute(name))),
    ).toEqual(['src_seattle_rain', 'compact', 'de']);
  });

  test('can undo changes, save a look, keep it on the Board page, and keep or replace the look from a link', async ({
    page,
    stack,
  }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    const news = page.getByRole('radio', { name: 'News', exact: true });
    await news.check();
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(page.getByRole('radio', { name: 'Default', exact: true })).toBeChecked();
    await page.keyboard.press('Control+z');
    await expect(news).toBeChecked();

    await page.locator('#group-looks summary').click();
    const looks = page.locator('saved-looks');
    await looks.getByLabel('Name').fill('Ours');
    await looks.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reset' }).click();
    await looks.getByLabel('Look').selectOption('Ours');
    await expect(news).toBeChecked();
    await looks.getByLabel('Name').fill('Theirs');
    await looks.getByRole('button', { name: 'Rename' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('Theirs');
    await looks.getByRole('button', { name: 'Delete' }).click();
    await expect(looks.getByLabel('Look')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(looks.getByLabel('Look')).toHaveValue('Theirs');

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Board' }).click();
    await expect(page.locator('pulse-board')).toHaveAttribute('style', /--pulse-card-accent: light-dark\(#b0221c/);
    await page.goto(`${stack.adminUrl}/studio/?accent=123456.`);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(news).toBeChecked();
    await page.goto(`${stack.adminUrl}/studio/?accent=123456.`);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.goto(`${stack.adminUrl}/studio/board/?charts`);
    await expect(page.locator('pulse-board')).toHaveAttribute('style', /#123456/);
    await expect(page.getByLabel('Code of the board')).toContainText('chart-theme="auto"');
    const ways = page.getByRole('radiogroup', { name: 'Charts on dark pages' });
    await ways.getByRole('radio', { name: 'Keep light' }).check();
    await expect(page.getByLabel('Code of the board')).not.toContainText('chart-theme');
    await page.getByRole('link', { name: 'Get the snippet for Rain in Seattle' }).click();
    const code = page.locator('.code pre');
    await expect(code).toContainText('source-id="src_seattle_rain"');
    await expect(code).toContainText('#123456');
    await expect(code).not.toContainText('chart-theme');
  });

  test('can use the keyboard to pick a color that passes, drag the card’s edge, and click a part to copy its selector', async ({
    page,
    stack,
  }) => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&view=light&heading-size=2&weight=800&frame=none`);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    await expect(page.locator('pulse-card [part~=heading]')).toHaveCSS('font-size', '32px');
    await expect(page.locator('pulse-card [part~=heading]')).toHaveCSS('font-weight', '800');
    await expect(page.locator('pulse-card [part~=base]')).toHaveCSS('outline-style', 'none');

    await page.locator('#swatch-background-light').focus();
    await page.keyboard.press('ArrowRight');
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const picker = page.getByRole('dialog', { name: 'Accent, dark' });
    await picker.getByLabel('Color value').fill('#7a52f4');
    await picker.getByLabel('Color value').press('Enter');
    await expect(picker.getByText('3.6 : 1 on the background. Links need 4.5 (AA).')).toBeVisible();
    await picker.getByRole('button', { name: /^Use #/ }).click();
    await expect(picker.getByText('Passes AA')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('.code pre')).toContainText(/--pulse-card-accent: light-dark\(#3d40d4, #[\da-f]{6}\)/);

    const grip = page.getByRole('slider', { name: 'Width of the card' });
    const start = await centreOf(grip);
    await page.mouse.move(start, 400);
    await page.mouse.down();
    await page.mouse.move(start + 80, 400);
    await expect.poll(async () => Math.abs((await centreOf(grip)) - start - 80)).toBeLessThan(2);
    await page.mouse.up();
    await expect(page).toHaveURL(/width=640/);
    await page.getByRole('button', { name: 'Pick' }).click();
    await page.locator('pulse-card [part~=toggle]').click();
    await expect(page.getByRole('dialog', { name: 'Accent, light' })).toContainText('pulse-card::part(toggle) copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('pulse-card::part(toggle)');
  });

  test('sees every state in one grid, without console output', async ({ page, stack }) => {
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}&view=light`);
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'All states' });
    for (const [name, state] of [
      ['loading', 'loading'],
      ['stale', 'stale'],
      ['pulse_not_found', 'empty'],
      ['upstream_unavailable', 'error'],
      ['signed_out', 'error'],
    ] as const)
      await expect(page.locator(`[data-state="${name}"] pulse-card`)).toHaveJSProperty('state', state);
    await expect(page.locator('[data-state="no-picture"] [part~=chart]')).toContainText('can’t be loaded');
    const link = page.locator('[data-state=history]').getByRole('link', { name: /202\d/ }).first();
    const opened = page.waitForEvent('popup');
    await link.click();
    await expect((await opened).locator('pulse-card')).toContainText('Payrolls reached');
    expect(lines).toEqual([]);
  });

  test('sees the card, the Copy button, and the chosen options in windows of all sizes, at 200% zoom, and with forced colors', async ({
    page,
    stack,
  }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    const copy = page.locator('.code').getByRole('button', { name: 'Copy' });
    for (const [width, height, cards] of [
      [1440, 900, 2],
      [1024, 768, 2],
      [390, 844, 1],
      [360, 740, 1],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect(page.locator('pulse-card')).toHaveCount(cards);
      const card = page.locator('pulse-card').first();
      await expect(card).toHaveJSProperty('state', 'ready');
      const bottomOf = async (found: Locator) =>
        ((await found.boundingBox())?.y ?? 0) + ((await found.boundingBox())?.height ?? 0);
      await expect
        .poll(async () => (await bottomOf(card)) - (await bottomOf(page.locator('studio-stage'))))
        .toBeLessThanOrEqual(0);
      await expect(copy).toBeInViewport({ ratio: 1 });
    }
    // A window of 1280 by 720 at 200% zoom.
    await page.setViewportSize({ width: 640, height: 360 });
    for (const target of [
      page.getByLabel('Language', { exact: true }),
      page.locator('.code pre'),
      page.getByLabel('Is my site allowed?'),
    ]) {
      await target.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      await expect(target).toBeInViewport();
      expect(await target.evaluate(isUncovered)).toBe(true);
    }
    await page.emulateMedia({ forcedColors: 'active' });
    for (const choices of ['.themes', '.variants']) {
      const drawings = page.locator(choices).locator('input + span');
      await expect(drawings).toHaveCount(4);
      const outlines = await drawings.evaluateAll((found) => found.map((span) => getComputedStyle(span).outlineStyle));
      expect(outlines, choices).toEqual(['solid', 'none', 'none', 'none']);
    }
    await expect(page.locator('#swatch-accent-light .chip')).toHaveCSS('background-color', 'rgb(61, 64, 212)');
  });
});

test.describe('A source in the Studio', () => {
  test('can be entered by its ID, but nothing can be copied while the ID is invalid', async ({ page, stack }) => {
    const id = '<script>alert(1)</script>';
    await page.goto(`${stack.adminUrl}/studio/?source=${encodeURIComponent(id)}`);
    await expect(page.getByRole('alert')).toContainText(`“${id}” can’t be an ID`);
    await expect(page.locator('pulse-card')).toHaveCount(0);
    await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
    const copy = page.locator('.code').getByRole('button', { name: 'Copy' });
    await expect(copy).toBeDisabled();
    await page.getByLabel('ID', { exact: true }).fill('src_jobless_by_industry');
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await expect(copy).toBeEnabled();
  });

  test('is a sample if the account has no sources', async ({ page, stack }) => {
    await page.route('**/studio/api/bff/v1/sources', (route) =>
      route.fulfill({ json: { meta: { requestedAt: new Date().toISOString(), stale: false }, sources: [] } }),
    );
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByRole('alert')).toContainText('This account has no sources yet');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
  });
});

test.describe('The Studio’s pages', () => {
  const pages = [
    ['', 'pulse-card:state(ready)'],
    ['board/', 'pulse-board pulse-card:state(ready)'],
    ['check/', '.set-up'],
  ] as const;
  for (const [path, content] of pages)
    test(`never shift, scroll sideways, or violate a policy or an accessibility rule: /studio/${path}`, async ({
      page,
      demo,
      brokenRules,
      lackOfContrast,
    }) => {
      const violations: string[] = [];
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) violations.push(message.text());
      });
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 412, height: 823 });
      await page.goto(`${demo.url}/studio/${path}`);
      await expect(page.locator(content).first()).toBeVisible();
      expect(await page.evaluate(shift)).toBeLessThan(0.05);
      for (const width of [320, 768, 1440, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        // A layout that depends on an element's size changes one frame later than that size.
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${width} px` })
          .toBeLessThanOrEqual(width);
      }
      expect(violations).toEqual([]);
      expect(await brokenRules('pulse-card', 'pulse-board')).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await lackOfContrast('pulse-card', 'pulse-board')).toEqual([]);
    });
});

/** The page's cumulative layout shift so far. */
async function shift(): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
  return new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
  });
}

/** Returns whether nothing covers the center of an element. */
function isUncovered(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const y = Math.min((top + bottom) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2);
  return element.contains(document.elementFromPoint((left + right) / 2, y));
}

async function centreOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox();
  return (box?.x ?? 0) + (box?.width ?? 0) / 2;
}

/** The visible settings. */
async function shown(page: Page): Promise<Record<string, unknown>> {
  await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
  await expect(page.locator('.code .line').first()).toBeVisible();
  const card = page.locator('pulse-card');
  return {
    code: await page.locator('.code pre').textContent(),
    cards: await card.count(),
    style: await card.first().getAttribute('style'),
    language: await card.first().getAttribute('summary-lang'),
    width: Math.round((await card.first().boundingBox())?.width ?? 0),
  };
}
