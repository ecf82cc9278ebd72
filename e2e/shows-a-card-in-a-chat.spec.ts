import type { Frame, Page } from '@playwright/test';
import type { Stack } from '@pulse-card/testkit/stack';
import type { HostContext } from './stack/chat-host.ts';
import { openChat as openChatPage } from './stack/chat.ts';
import { expect, test } from './test.ts';

/** The open app, with its page's policy violations and requests. */
interface OpenedApp {
  readonly app: Frame;
  readonly violations: readonly string[];
  readonly requests: readonly string[];
}

/** Opens a chat with an app that shows a pulse and watches the app. */
async function openChat(page: Page, stack: Stack, context: HostContext): Promise<OpenedApp> {
  const [violations, requests]: [string[], string[]] = [[], []];
  // Violations are read from the console, because writing the app into its frame removes earlier listeners.
  page.on('console', (line) => {
    if (line.text().includes('Content Security Policy')) violations.push(line.text());
  });
  page.on('request', (request) => {
    const isOfApp = request.frame() !== page.mainFrame() && !request.url().endsWith('/sandbox');
    if (isOfApp && !/^(data|about):/.test(request.url())) requests.push(request.url());
  });
  await openChatPage(page, stack, 'src_us_employment', context);
  return { app: page.frames().at(-1) as Frame, violations, requests };
}

test.describe('An MCP App in a chat', () => {
  test('T-98: shows the card with its chart under the strictest policy, without network access', async ({
    page,
    stack,
  }) => {
    const { app, violations, requests } = await openChat(page, stack, { theme: 'light', locale: 'en-US' });
    const card = app.locator('pulse-card');
    await expect(card.getByRole('heading')).toContainText('million');
    await expect(card.getByText('AI-generated')).toBeVisible();
    await expect(card.getByRole('img')).toHaveJSProperty('complete', true);
    expect(await card.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(500);
    await card.getByText('Read the analysis').click();
    await card.getByRole('button', { name: 'Enlarge the chart' }).click();
    await expect(card.getByRole('dialog')).toBeVisible();
    expect(violations).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('is tested in a page that records policy violations', async ({ page, stack }) => {
    const { app, violations } = await openChat(page, stack, { theme: 'light' });
    await app.evaluate(() => void fetch('https://evil.test/').catch(() => {}));
    await expect.poll(() => violations.join()).toContain('https://evil.test/');
  });

  test('reports its height when it opens and again when a reader expands it', async ({ page, stack }) => {
    const { app } = await openChat(page, stack, { theme: 'light' });
    const heights = async () => ({
      frame: await page.locator('iframe').evaluate((frame) => frame.clientHeight),
      card: await app.locator('pulse-card').evaluate((card) => Math.ceil(card.getBoundingClientRect().height)),
    });
    const difference = async () => {
      const { frame, card } = await heights();
      return frame - card;
    };
    await expect.poll(difference).toBe(0);
    const folded = await heights();
    await app.getByText('Read the analysis').click();
    await expect.poll(async () => (await heights()).frame).toBeGreaterThan(folded.frame);
    await expect.poll(difference).toBe(0);
  });

  test('follows its host’s theme, and keeps an analysis open when the theme or the size changes', async ({
    page,
    stack,
  }) => {
    const { app } = await openChat(page, stack, { theme: 'light', locale: 'en' });
    const base = app.locator('pulse-card [part=base]');
    await expect(base).toHaveCSS('background-color', 'rgb(255, 255, 255)');
    await app.getByText('Read the analysis').click();
    await page.evaluate(() =>
      window.chat.setContext({ theme: 'dark', locale: 'en', containerDimensions: { width: 500 } }),
    );
    await expect(base).toHaveCSS('background-color', 'rgb(22, 25, 31)');
    await expect(app.locator('pulse-card')).toHaveJSProperty('open', true);
    await page.evaluate(() => window.chat.setContext({ theme: 'dark', locale: 'de' }));
    await expect(app.getByText('Analyse lesen')).toBeVisible();
  });

  test('uses its host’s language', async ({ page, stack }) => {
    const { app, violations, requests } = await openChat(page, stack, { theme: 'light', locale: 'ar' });
    for (const [locale, words, direction] of [
      ['ar', 'قراءة التحليل', 'rtl'],
      ['de-DE', 'Analyse lesen', 'ltr'],
      ['sv', 'Read the analysis', 'ltr'],
      ['zh_TW', '閱讀分析', 'ltr'],
      ['not a language', 'Read the analysis', 'ltr'],
    ] as const) {
      await page.evaluate((context) => window.chat.setContext(context), { theme: 'light', locale } as const);
      await expect(app.getByText(words)).toBeVisible();
      await expect(app.locator('html')).toHaveAttribute('dir', direction);
    }
    expect(violations).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('shows errors, stale content, overdue sources, and withheld text, and shuts down at its host’s request', async ({
    page,
    stack,
  }) => {
    const { app } = await openChat(page, stack, { theme: 'light' });
    const result = (fields: object) => page.evaluate((shown) => window.chat.showResult(shown), fields);
    const pulse = { runId: 'run_1', sourceId: 'src_1', name: 'Q2', finding: 'Revenue rose', analysis: null };
    await result({ content: [], structuredContent: { ...pulse, completedAt: null, stale: true } });
    await expect(app.getByText('Earlier version')).toBeVisible();
    const overdueSince = '2026-05-08T09:00:00.000Z';
    await result({ content: [], structuredContent: { ...pulse, completedAt: null, stale: false, overdueSince } });
    await expect(app.getByText('Overdue')).toBeVisible();
    await result({ content: [], structuredContent: { ...pulse, finding: null, completedAt: null, withheld: true } });
    await expect(app.getByText('The text was withheld by this site.')).toBeVisible();
    await result({ isError: true, content: [{ type: 'text', text: 'The BFF requires a token. <b>x</b>' }] });
    await expect(app.getByText('The BFF requires a token. <b>x</b>')).toBeVisible();
    await page.evaluate(() => window.chat.teardown());
  });
});
