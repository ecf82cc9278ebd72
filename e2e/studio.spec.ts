import type { Locator, Page } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { putComponent, putHtml, putRendered } from './stack/pasted-code.ts';
import { emptyStorage, expect, test as testOnOwnPage, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

/** Tabs whose code is HTML. */
const HTML_TABS = ['HTML', 'Short HTML', 'WordPress'] as const;

const COMPONENT_TABS = [
  ['React', 'react'],
  ['Vue', 'vue'],
  ['Svelte', 'svelte'],
] as const;

const TABS = [...HTML_TABS, 'React', 'Vue', 'Svelte', 'iframe', 'Server'] as const;

/** The address of a release's script on a CDN. */
const PUBLISHED = 'https://cdn.jsdelivr.net/npm/@pulse-card/widget@1.2.3/dist/pulse-card.js';

/** A look and settings that the code in every tab must contain. */
const STYLED = `source=${SOURCE}&variant=compact&accent=9b1c1c.ff9d8a&heading=2`;

// The tests in this file share the workers.
test.describe.configure({ mode: 'parallel' });

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('Code from a BFF’s Studio, pasted into a page on another origin', () => {
  // The code of all tabs is copied in a single visit. Each test pastes the code of one tab.
  const copied = new Map<string, string>();
  test.beforeAll(async ({ browser, stack }) => {
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await openStyled(page, stack.adminUrl);
    for (const tab of TABS) copied.set(tab, await copyTab(page, tab));
    await page.close();
  });
  const codeOf = (tab: (typeof TABS)[number]) => copied.get(tab) ?? '';

  test('shows the card: HTML, Short HTML, and WordPress', async ({ page, stack }) => {
    for (const tab of HTML_TABS)
      await test.step(tab, async () => {
        await page.goto(putHtml(stack.site, '/pasted', codeOf(tab)));
        await expectStyledCard(page.locator('pulse-card'));
      });
  });

  for (const [tab, framework] of COMPONENT_TABS) {
    test(`shows the card: ${tab}`, async ({ page, stack }) => {
      await page.goto(putComponent(stack.site, `/pasted-${framework}`, framework, codeOf(tab)));
      await expectStyledCard(page.locator('pulse-card'));
    });
  }

  test('shows the card: iframe', async ({ page, stack }) => {
    await page.goto(putHtml(stack.site, '/pasted-frame', codeOf('iframe')));
    const card = page.frameLocator('iframe').locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card).toHaveJSProperty('variant', 'compact');
  });

  test('shows the card: Server', async ({ page, stack }) => {
    await page.goto(await putRendered(stack.site, '/pasted-rendered', codeOf('Server')));
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card).toHaveJSProperty('variant', 'compact');
  });
});

test.describe('Code with a pinned script', () => {
  test('shows the card, unless one byte of the script differs', async ({ page, stack }) => {
    await page.route('**/studio/api/config', async (route) => {
      const config = await (await route.fetch()).json();
      await route.fulfill({ json: { ...config, script: { ...config.script, publishedUrl: PUBLISHED } } });
    });
    await openStyled(page, stack.adminUrl, '&pinned');
    const code = await copyTab(page, 'HTML');
    expect(code).toContain(`src="${PUBLISHED}" integrity="sha384-`);
    await expect(page.getByLabel('Lines of the policy')).toContainText(`script-src ${PUBLISHED};`);
    // The package and the BFF contain the same file.
    const published = await (await fetch(`${stack.bffUrl}/pulse-card.js`)).bytes();
    const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/javascript' };
    await page.route(PUBLISHED, (route) => route.fulfill({ body: Buffer.from(published), headers }));
    const address = putHtml(stack.site, '/pinned', code);
    await page.goto(address);
    await expectStyledCard(page.locator('pulse-card'));

    const flipped = Buffer.from(published);
    flipped[flipped.length - 2] = (flipped[flipped.length - 2] ?? 0) ^ 1;
    await page.route(PUBLISHED, (route) => route.fulfill({ body: flipped, headers }));
    const refused = page.waitForEvent('console', (message) => message.text().includes('integrity'));
    await page.goto(address);
    await refused;
    expect(await page.evaluate(() => customElements.get('pulse-card') === undefined)).toBe(true);
    await expect(page.locator('pulse-card a')).toHaveAttribute('href', new RegExp(`/embed/${SOURCE}$`));
    expect((await page.locator('pulse-card').boundingBox())?.height).toBeGreaterThan(100);
  });
});

test.describe('Code from a server that was built from source', () => {
  test('can’t be pinned, and the Studio explains why and what to do', async ({ page, stack }) => {
    await openStyled(page, stack.adminUrl);
    await page.getByRole('switch', { name: 'Load the script of this version only' }).check();
    await expect(page.getByText('no CDN has its script. To pin a version,')).toBeVisible();
    await expect(page.locator('.code pre')).toContainText(`src="${stack.bffUrl}/pulse-card.js"`);
  });
});

/** Records the layout shifts of every page that is opened from now on. */
function recordShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The cumulative layout shift of the page until now. */
async function shiftOf(page: Page): Promise<number> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))));
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
  return shifts.reduce((sum, shift) => sum + shift, 0);
}

test.describe('The Studio while it loads', () => {
  for (const [width, height] of [
    [412, 823],
    [1280, 800],
  ] as const)
    testOnOwnPage(`doesn’t move at ${width} × ${height}`, async ({ page, stack }) => {
      await page.setViewportSize({ width, height });
      await recordShifts(page);
      // The data doesn't arrive until the page has been drawn.
      const drawn = page.waitForFunction(() => document.querySelector('.side') !== null);
      await page.route('**/studio/api/**', async (route) => {
        await drawn;
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
        await route.continue();
      });
      await page.goto(`${stack.adminUrl}/studio/`);
      await expect(page.locator('pulse-card [part~=image]').first()).toBeVisible();
      await expect(page.locator('.code .line').first()).toBeVisible();
      expect(await shiftOf(page)).toBeLessThan(0.05);
    });

  testOnOwnPage('doesn’t move on its other pages', async ({ page, stack }) => {
    await page.setViewportSize({ width: 412, height: 823 });
    await recordShifts(page);
    for (const [path, last] of [
      ['board/', 'pulse-board pulse-card [part~=image]'],
      ['states/', '[data-state=fresh] [part~=image]'],
      ['docs/', 'main h1'],
      ['docs/?guide=style', '.guide img'],
      ['docs/?guide=embed', '.guide pulse-card [part~=image]'],
      ['check/', 'main input'],
      ['status/', '.sources'],
    ] as const) {
      await page.goto(`${stack.adminUrl}/studio/${path}`);
      await expect(page.locator(last).first()).toBeVisible();
      expect(await shiftOf(page), path).toBeLessThan(0.05);
    }
  });

  testOnOwnPage('shows the pictures of a guide in the page’s color scheme', async ({ page, stack }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${stack.adminUrl}/studio/docs/?guide=style`);
    const picture = page.getByRole('img', { name: /^The four variants/ });
    await expect(picture).toHaveCount(1);
    await expect(picture).toHaveAttribute('src', /variants-dark/);
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  });
});

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
  test('sees that a color’s contrast is too low, and gets one that passes', async ({ page, stack }) => {
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

test.describe('A source that is not listed', () => {
  test('can be entered before any card has loaded', async ({ page, stack }) => {
    await page.route(/\/v1\/(pulses|sources\/)/, () => {});
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByLabel('Source', { exact: true }).selectOption({ label: 'Another, by ID' });
    await expect(page.getByText('Type the ID of a source to see its card.').first()).toBeVisible();
    await expect(page.locator('pulse-card')).toHaveCount(0);
    await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
    await page.getByLabel('ID', { exact: true }).fill('src_jobless_by_industry');
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('sourceId', 'src_jobless_by_industry');
  });
});

test.describe('An id that no source can have', () => {
  test('is rejected with a message, and no other source is shown instead', async ({ page, stack }) => {
    const id = '<script>alert(1)</script>';
    await page.goto(`${stack.adminUrl}/studio/?source=${encodeURIComponent(id)}`);
    const expectRefused = async () => {
      await expect(page.getByRole('alert')).toContainText(`“${id}” can’t be an ID`);
      await expect(page.getByLabel('ID', { exact: true })).toHaveValue(id);
      await expect(page.locator('pulse-card')).toHaveCount(0);
      await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
    };
    await expectRefused();
    await page.getByLabel('ID', { exact: true }).fill(SOURCE);
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await page.getByLabel('Source', { exact: true }).selectOption({ label: 'Another, by ID' });
    await page.getByLabel('ID', { exact: true }).fill(id);
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expectRefused();
  });
});

test.describe('The Studio of an account without charts', () => {
  test('shows a sample, and code with a placeholder for the id', async ({ page, stack }) => {
    await page.route('**/studio/api/bff/v1/sources', (route) =>
      route.fulfill({ json: { meta: { requestedAt: new Date().toISOString(), stale: false }, sources: [] } }),
    );
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByRole('alert')).toContainText('This account has no sources yet');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
  });

  testOnOwnPage('shows the status page’s text until the problem is over', async ({ page, stack }) => {
    const summary = { level: 'down', headline: 'The service refuses the API key.', advice: 'Create a new key.' };
    await page.clock.install();
    await page.route('**/studio/api/bff/v1/sources', (route) => route.fulfill({ status: 503, json: {} }));
    await page.route('**/studio/api/status', (route) => route.fulfill({ json: { summary } }));
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByRole('alert')).toContainText('The service refuses the API key. Create a new key.');
    await expect(page.locator('.code pre')).toContainText(`${stack.bffUrl}/pulse-card.js`);
    await page.unrouteAll();
    await page.clock.runFor(10_000);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByLabel('Source', { exact: true }).getByRole('option')).toHaveCount(11);
  });
});

test.describe('A site owner in the Studio', () => {
  test('sees whether the site is allowed, or which line the operator must add', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Type the address of your site')).toBeVisible();
    await page.getByLabel('Is my site allowed?').fill(`${stack.site.origin}/any/page`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Yes, pages on this site can show the card.')).toBeVisible();
    await page.getByLabel('Is my site allowed?').fill('blog.example.net');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Not yet. Ask the server’s operator to allow this site.')).toBeVisible();
    const line = page.getByLabel('The line for the operator');
    await expect(line).toContainText(',https://blog.example.net');
    const rowsOfOrigins = await line.evaluate((pre) =>
      [...pre.childNodes]
        .filter((node) => node.textContent?.startsWith('http'))
        .map((origin) => {
          const range = document.createRange();
          range.selectNodeContents(origin);
          return range.getClientRects().length;
        }),
    );
    expect(rowsOfOrigins).toContain(1);
    expect(new Set(rowsOfOrigins).size).toBe(1);
  });

  test('goes from a card on the board to its snippet', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/board/`);
    await page.getByRole('link', { name: 'Get the snippet for Rain in Seattle' }).click();
    await expect(page.locator('.code pre')).toContainText('source-id="src_seattle_rain"');
  });
});

async function openStyled(page: Page, adminUrl: string, more = ''): Promise<void> {
  await page.goto(`${adminUrl}/studio/?${STYLED}${more}`);
  await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
}

async function copyTab(page: Page, tab: string): Promise<string> {
  await page.getByLabel('Where will you paste it?').selectOption({ label: tab });
  // The button says "Copied" for a while after the previous press.
  return copyBy(page.locator('.code').getByRole('button', { name: /^Cop(y|ied)$/ }));
}

async function expectStyledCard(card: Locator): Promise<void> {
  await expect(card).toHaveJSProperty('state', 'ready');
  await expect(card).toHaveJSProperty('variant', 'compact');
  await expect(card.locator('[part~=toggle]')).toHaveCSS('color', 'rgb(155, 28, 28)');
  await expect(card.locator('[part~=heading]')).toHaveAttribute('aria-level', '2');
}

/** Checks that an element has the look of the theme News on light and dark pages. */
async function expectNews(element: Locator): Promise<void> {
  await expect(element).toHaveAttribute('style', /--pulse-card-accent: #b0221c/);
  await expect(element).toHaveAttribute('theme', 'light');
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
