import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { exampleText, putExample } from './stack/example-pages.ts';
import type { Stack } from '@pulse-card/testkit/stack';
import { expect, testOnOnePage as test } from './test.ts';

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 1_000 });
});

test('WordPress’s output still matches the recorded example', () => {
  const read = (file: string) => readFileSync(new URL(`../examples/wordpress/${file}`, import.meta.url), 'utf8');
  const digest = createHash('sha256').update(read('block.html')).digest('hex');
  expect(digest, 'Run "npm run record-sanitized"').toBe(read('printed/block.sha256').trim());
});

test.describe('The examples', () => {
  for (const framework of ['react', 'vue', 'svelte']) {
    test(`${framework} sets the card’s properties and receives its events`, async ({ page, stack }) => {
      const faults = faultsOf(page);
      await page.goto(putExample(framework, stack));
      const card = page.locator('pulse-card');
      const said = page.locator('output');
      await expect(card).toHaveJSProperty('state', 'ready');
      await expect(card.getByRole('heading', { level: 2 })).not.toBeEmpty();
      await expect(said).toHaveText(/^loaded \S+$/);

      const first = await said.textContent();
      await page.getByLabel('Source').selectOption('src_seattle_rain');
      await expect(said).toHaveText(/^loaded \S+$/);
      await expect(said).not.toHaveText(String(first));
      await page.getByRole('button', { name: 'Expand' }).click();
      await expect(card.locator('[part~=analysis]')).toBeVisible();
      await card.getByText('Read the analysis').click();
      await expect(page.getByRole('button', { name: 'Expand' })).toBeVisible();

      const asked = page.waitForRequest(/\/v1\/pulses/);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await asked;
      await expect(card).toHaveJSProperty('state', 'ready');
      expect(faults).toEqual([]);
    });
  }

  test('plain HTML receives the card’s events', async ({ page, stack }) => {
    const faults = faultsOf(page);
    await page.goto(putExample('plain', stack));
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(page.locator('output')).toHaveText(/^loaded \S+$/);
    await card.getByText('Read the analysis').click();
    await expect(page.locator('output')).toHaveText('expanded');
    expect(faults).toEqual([]);
  });

  test('a page with a strict policy doesn’t cause violations', async ({ page, stack }) => {
    const faults = faultsOf(page);
    await page.goto(putExample('strict-csp', stack));
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect.poll(() => widthOfChart(card)).toBe(1600);
    expect(faults).toEqual([]);
  });

  test('a WordPress block leaves the card unchanged', async ({ page, stack }) => {
    await openPost(page, stack, exampleText('wordpress/printed/block.html', stack));
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
  });

  test('WordPress’s classic editor adds paragraphs, and the card works inside them', async ({ page, stack }) => {
    const printed = exampleText('wordpress/printed/classic.html', stack);
    await openPost(page, stack, printed);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
  });

  test('WordPress shows a link with the card’s name if the author isn’t allowed to post HTML', async ({
    page,
    stack,
  }) => {
    await openPost(page, stack, exampleText('wordpress/printed/author.html', stack));
    await expect(page.locator('pulse-card')).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'US employment' })).toHaveAttribute(
      'href',
      /\/embed\/src_us_employment$/,
    );
  });
});

/** Records a page's errors: script errors, policy violations, and console errors. */
function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  return faults;
}

function widthOfChart(card: Locator): Promise<number> {
  return card.locator('[part~=image]').evaluate((image: HTMLImageElement) => image.naturalWidth);
}

/** Opens a page that shows a post in a theme. */
async function openPost(page: Page, { site }: Stack, post: string): Promise<void> {
  const style = 'body{max-width:40rem;margin:2rem auto;padding:0 1rem;font:1.1rem/1.6 Georgia,serif}';
  await page.goto(
    site.put(
      '/a-post',
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A post</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><article class="entry-content"><h1>What the quarter brought</h1>\n${post}\n<p>Text after the block.</p></article></body></html>`,
    ),
  );
}
