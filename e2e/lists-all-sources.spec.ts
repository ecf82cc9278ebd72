import { boardSnippetFor } from '@pulse-card/widget/snippet';
import { expect, test } from './test.ts';

test.use({ bffEnv: { PULSE_EXPOSE: 'link' } });

test.describe('A reader at a board of all sources', () => {
  test.beforeEach(async ({ page, stack }, { testId }) => {
    const board = boardSnippetFor({ baseUrl: stack.bffUrl, name: 'Our figures' });
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Figures</title><main><h1>Figures</h1><h2>All</h2>${board}</main></html>`;
    await page.goto(stack.site.put(`/${testId}`, html));
    await expect(page.locator('pulse-board')).toHaveJSProperty('state', 'ready');
  });

  test('finds the ten that the service lists in its order, each with a card and the way to the dashboard', async ({
    page,
    stack,
  }) => {
    const list = await page.request.get(`${stack.bffUrl}/v1/sources`);
    const { sources } = (await list.json()) as { sources: { id: string; name: string; link: string }[] };
    const items = page.locator('pulse-board li:has(> pulse-card)');
    await expect(items).toHaveCount(10);
    for (const [at, { id, name, link }] of sources.entries()) {
      const item = items.nth(at);
      await item.scrollIntoViewIfNeeded();
      await expect(item.locator('pulse-card')).toHaveJSProperty('sourceId', id);
      await expect(item.locator('[part=header]')).toContainText(name);
      await expect(item.getByRole('link')).toHaveAttribute('href', link);
      await expect(item.getByRole('link')).toHaveAttribute('title', 'Open in the dashboard');
    }
  });

  test('leaves the sources that need attention, by keyboard, with no further request', async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const filter = page.getByRole('button', { name: /^Needs attention/ });
    const count = Number(/\d+/.exec(await filter.innerText())?.[0]);
    await filter.focus();
    await page.keyboard.press('Enter');
    await expect(filter).toHaveAttribute('aria-pressed', 'true');
    await expect(page.locator('pulse-board li:not([hidden]):has(> pulse-card)')).toHaveCount(count);
    expect(count).toBeLessThan(10);
    expect(asked.filter((url) => url.includes('/v1/sources'))).toEqual([]);
  });

  test('breaks no accessibility rule', async ({ page, brokenRules }) => {
    await expect(page.locator('pulse-board pulse-card').first()).toHaveJSProperty('state', 'ready');
    expect(await brokenRules()).toEqual([]);
  });
});

test.describe('A board while the service does not answer', () => {
  test('keeps what the BFF remembers', async ({ page, stack }, { testId }) => {
    await page.request.get(`${stack.bffUrl}/v1/sources`);
    await stack.stopService();
    try {
      const board = boardSnippetFor({ baseUrl: stack.bffUrl });
      await page.goto(stack.site.put(`/${testId}`, `<!doctype html><title>Figures</title>${board}`));
      await expect(page.locator('pulse-board li:has(> pulse-card)')).toHaveCount(10);
    } finally {
      await stack.startService();
    }
  });
});
