import type { Locator, Page } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { putComponent, putHtml, putRendered } from './stack/pasted-code.ts';
import { emptyStorage, expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

const TABS = ['HTML', 'Short HTML', 'WordPress', 'React', 'Vue', 'Svelte', 'iframe', 'Server'] as const;

/** The URL of a release's script on a CDN. */
const PUBLISHED = 'https://cdn.jsdelivr.net/npm/@pulse-card/widget@1.2.3/dist/pulse-card.js';

/** A look and settings that the code in every tab must contain. */
const STYLED = `source=${SOURCE}&variant=compact&accent=9b1c1c.ff9d8a&heading=2`;

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

  for (const tab of ['HTML', 'Short HTML', 'WordPress'] as const)
    test(`shows the card: ${tab}`, async ({ page, stack }) => {
      await page.goto(putHtml(stack.site, '/pasted', codeOf(tab)));
      await expectStyledCard(page.locator('pulse-card'));
    });

  for (const [tab, framework] of [
    ['React', 'react'],
    ['Vue', 'vue'],
    ['Svelte', 'svelte'],
  ] as const)
    test(`shows the card: ${tab}`, async ({ page, stack }) => {
      await page.goto(putComponent(stack.site, `/pasted-${framework}`, framework, codeOf(tab)));
      await expectStyledCard(page.locator('pulse-card'));
    });

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

  test('stays within its column in a layout that limits the width of its children', async ({ page, stack }) => {
    const limit = '<style>main > * { max-width: 400px; margin-inline: auto }</style>';
    await page.route(`${stack.bffUrl}/pulse-card.js`, (route) => route.abort());
    for (const [tab, part] of [
      ['HTML', 'pulse-card svg'],
      ['iframe', 'iframe'],
    ] as const) {
      await page.goto(putHtml(stack.site, '/column', `${limit}<main>${codeOf(tab)}</main>`));
      const box = await page.locator(part).first().boundingBox();
      expect(Math.round(box?.width ?? 0), tab).toBe(400);
      if (tab === 'iframe') expect(box?.height).toBeLessThan(200);
    }
  });
});

test.describe('Code with a pinned script', () => {
  test('shows the card, unless one byte of the script differs', async ({ page, stack }) => {
    await emptyStorage(page, stack.adminUrl);
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
  });
});

async function openStyled(page: Page, adminUrl: string, more = ''): Promise<void> {
  await page.goto(`${adminUrl}/studio/?${STYLED}${more}`);
  await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
}

async function copyTab(page: Page, tab: string): Promise<string> {
  await page.getByLabel('Where will you paste it?').selectOption({ label: tab });
  // The button shows "Copied" for a while after the previous click.
  return copyBy(page.locator('.code').getByRole('button', { name: /^Cop(y|ied)$/ }));
}

async function expectStyledCard(card: Locator): Promise<void> {
  await expect(card).toHaveJSProperty('state', 'ready');
  await expect(card).toHaveJSProperty('variant', 'compact');
  await expect(card.locator('[part~=toggle]')).toHaveCSS('color', 'rgb(155, 28, 28)');
  await expect(card.locator('[part~=heading]')).toHaveAttribute('aria-level', '2');
}
