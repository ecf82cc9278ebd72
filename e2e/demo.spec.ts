import { startDemo } from '../demo/server.ts';
import { freePort } from './stack/free-port.ts';
import { startStack } from './stack/stack.ts';
import { expect, test } from './test.ts';

test.describe('A designer at the demo', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let stack: Awaited<ReturnType<typeof startStack>>;

  test.beforeAll(async () => {
    const port = await freePort();
    stack = await startStack({ PULSE_ALLOWED_ORIGINS: `http://localhost:${port}` });
    demo = await startDemo({ port, bffUrl: stack.bffUrl });
  });

  test.afterAll(async () => {
    await demo.close();
    await stack.close();
  });

  test('sees a card of real data, and copies the very snippet of what is shown', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(demo.url);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`);
    const shown = await page
      .locator('pulse-card')
      .first()
      .evaluate((card) => card.getAttribute('source-id'));
    expect(copied).toContain(`<pulse-card source-id="${shown}"`);
  });

  for (const path of ['', 'sources.html', 'states.html', 'themes.html', 'surroundings.html']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`meets no accessibility fault on /${path} in ${colorScheme}`, async ({ page, brokenRules }) => {
        await page.emulateMedia({ colorScheme });
        await page.goto(`${demo.url}/${path}`);
        await expect(page.locator('pulse-card').first()).toBeVisible();
        expect(await brokenRules()).toEqual([]);
      });
    }
  }

  test('sees the pages of 320 px width without sideways scrolling', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    for (const path of ['', 'sources.html', 'states.html', 'themes.html']) {
      await page.goto(`${demo.url}/${path}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320);
    }
  });
});
