import type { Page } from '@playwright/test';
import type { RunningDemo } from '../demo/server.ts';
import { expect, LONG, test } from './test.ts';

const PAGES = ['', 'board.html', 'states.html', 'themes.html', 'surroundings.html'] as const;

/** Its page breaks contrast and layout on purpose, to see what the card makes of it. */
const HOSTILE_FRAME = 'iframe[data-frame="hostile"]';

/** Its page runs no script, so the one that looks for faults waits in vain. */
const SCRIPTLESS_FRAME = 'iframe[sandbox=""]';

test.describe('A designer at the demo', () => {
  test('sees a card of real data, and copies the very snippet of what is shown', async ({
    page,
    context,
    stack,
    demo,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(demo.url);
    const card = page.locator('pulse-card').first();
    await expect(card).toHaveJSProperty('state', 'ready');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`);
    expect(copied).toContain(`<pulse-card source-id="${await card.getAttribute('source-id')}"`);
  });

  test('finds a control for each attribute and each custom property of the manifest', async ({ page, demo }) => {
    await page.goto(demo.url);
    const controls = page.getByRole('form', { name: 'Controls' });
    for (const variant of ['compact', 'chart', 'text', 'card']) {
      await controls.getByText(variant, { exact: true }).click();
      await expect(page.locator('pulse-card').first()).toHaveJSProperty('variant', variant);
    }
    await controls.getByRole('switch', { name: 'open' }).check();
    await expect(page.locator('pulse-card [part~=analysis]').first()).toBeVisible();
    const accent = controls.getByLabel('accent', { exact: true });
    await accent.fill('#9b1c1c');
    await accent.press('Enter');
    await expect(page.locator('pulse-card [part~=toggle]').first()).toHaveCSS('color', 'rgb(155, 28, 28)');
  });

  test('sees a board of all sources, changes it, and copies the snippet of that', async ({ page, context, demo }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${demo.url}/board.html`);
    const cards = page.locator('pulse-board pulse-card');
    await expect(cards).toHaveCount(10);
    await page.getByRole('radiogroup', { name: 'Variant' }).getByText('compact').click();
    await page.getByRole('radiogroup', { name: 'Columns' }).getByText('2').click();
    await expect(cards.first()).toHaveJSProperty('variant', 'compact');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('<pulse-board columns="2" variant="compact">');
  });

  for (const path of PAGES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const tag = colorScheme === 'dark' ? LONG : {};
      test(`meets no accessibility fault on /${path} in ${colorScheme}`, tag, async ({ page, demo, brokenRules }) => {
        await page.emulateMedia({ colorScheme });
        await openDemo(page, demo, path);
        expect(await brokenRules(HOSTILE_FRAME, SCRIPTLESS_FRAME)).toEqual([]);
      });
    }
  }

  for (const path of PAGES) {
    for (const width of [320, 1_280]) {
      const tag = width === 320 ? {} : LONG;
      test(`reads /${path} in the dark, ${width} px wide, without sideways scrolling`, tag, async ({ page, demo }) => {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.setViewportSize({ width, height: 3_000 });
        await openDemo(page, demo, path);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      });
    }
  }

  test('sees the frame of the BFF’s own page as high as its card, and copies its snippet', async ({
    page,
    context,
    stack,
    demo,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${demo.url}/surroundings.html`);
    const frame = page.locator('iframe[data-frame="embed"]');
    await frame.scrollIntoViewIfNeeded();
    const card = page.frameLocator('iframe[data-frame="embed"]').locator('pulse-card');
    const heights = async () => [(await frame.boundingBox())?.height, (await card.boundingBox())?.height];
    await expect.poll(async () => new Set((await heights()).map((height) => Math.ceil(height ?? 0))).size).toBe(1);
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`<script type="module" src="${stack.bffUrl}/pulse-frame.js"></script>`);
  });

  test('tells what is switched on where colours are forced', async ({ page, demo }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await openDemo(page, demo, '');
    const on = page.locator('.segments :checked + span').first();
    const off = page.locator('.segments :not(:checked) + span').first();
    const grounds = [on, off, page.getByRole('switch').first()].map((element) =>
      element.evaluate((one) => getComputedStyle(one).backgroundColor),
    );
    const [chosen, other, track] = await Promise.all(grounds);
    expect(chosen).not.toBe(other);
    expect(track).not.toBe(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  });

  test('sees a card hold its own among hostile styles, and a name with a link where no script runs', async ({
    page,
    demo,
  }) => {
    await page.goto(`${demo.url}/surroundings.html`);
    const card = page.frameLocator(HOSTILE_FRAME).locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card.locator('[part~=image]')).toHaveCSS('filter', 'none');
    await expect(card.locator('[part~=toggle]')).toHaveCSS('position', 'static');
    const link = page.frameLocator('iframe[data-frame="scriptless"]').getByRole('link');
    await expect(link).toHaveAttribute('href', /\/embed\//);
  });
});

/** Opens a page of the demo; resolves when a card of it is there, in a frame where the page has frames. */
async function openDemo(page: Page, demo: RunningDemo, path: string): Promise<void> {
  await page.goto(`${demo.url}/${path}`);
  const place = path === 'surroundings.html' ? page.frameLocator('iframe[data-frame="framed"]') : page;
  await expect(place.locator('pulse-card:state(ready)').first()).toBeVisible();
}
