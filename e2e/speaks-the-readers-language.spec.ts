import { expect, testOnOnePage as test } from './test.ts';

test.describe('A page in German', () => {
  test('shows cards with German text and dates from the BFF’s language file', async ({ page, openPage, stack }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await openPage({ sourceIds: ['src_us_employment', 'src_seattle_rain'], language: 'de' });
    const card = page.locator('pulse-card').first();
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card.locator('[part~=toggle]')).toHaveText(WORDS.de.read);
    await expect(card.locator('time')).toHaveText(/^(vor|gestern|heute)/);
    await expect(card.locator('time')).toHaveAttribute('title', /\d{4}/);
    expect(asked.filter((url) => url.startsWith(`${stack.bffUrl}/pulse-card-lang/`))).toHaveLength(1);
  });
});

test.describe('A page in Arabic', () => {
  test('shows cards that read from right to left and don’t cause horizontal scrolling', async ({ page, openPage }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    await openPage({ sourceIds: ['src_case_arabic', 'src_store_revenue'], language: 'ar', direction: 'rtl' });
    const card = page.locator('pulse-card').first();
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card.locator('[part~=toggle]')).toHaveText(WORDS.ar.read);
    const [name, edge] = await Promise.all(
      ['[part~=heading]', '[part~=base]'].map((part) => card.locator(part).boundingBox()),
    );
    const fromTheRight = (edge?.x ?? 0) + (edge?.width ?? 0) - (name?.x ?? 0) - (name?.width ?? 0);
    expect(fromTheRight).toBeLessThan(32);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

const WORDS = { de: { read: 'Analyse lesen' }, ar: { read: 'قراءة التحليل' } } as const;
