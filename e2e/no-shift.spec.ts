import type { Page } from '@playwright/test';
import { snippetFor } from '@pulse-card/widget/snippet';
import { strictPolicy } from './stack/strict-policy.ts';
import { expect, LONG, test } from './test.ts';

/** The maximum cumulative layout shift (CLS). */
const MOST = 0.001;

const SOURCES = {
  ready: 'src_us_employment',
  empty: 'src_store_revenue',
  error: 'src_no_such_source',
  stale: 'src_seattle_rain',
} as const;

test.describe('The snippet on a page with text below it', () => {
  for (const widthPx of [320, 600, 1200]) {
    const tag = widthPx === 600 ? {} : LONG;
    for (const [state, sourceId] of Object.entries(SOURCES)) {
      test(`doesn’t move content at ${widthPx} px when the card becomes ${state}`, tag, async ({ page, openPage }) => {
        await page.setViewportSize({ width: widthPx, height: 1_400 });
        await holdEverything(page, state === 'stale');
        await openPage({ sourceIds: [sourceId] });
        expect(await shiftUntil(page, state)).toBeLessThanOrEqual(MOST);
      });
    }
  }

  for (const withTrustedTypes of [true, false]) {
    test(`doesn’t move content or violate a strict policy ${withTrustedTypes ? 'with' : 'without'} Trusted Types`, async ({
      page,
      openPage,
      stack,
    }) => {
      await page.setViewportSize({ width: 600, height: 1_400 });
      const violations = await recordViolations(page);
      await holdEverything(page, false);
      const policy = strictPolicy({ bffUrl: stack.bffUrl, imagesUrl: stack.serviceUrl, withTrustedTypes });
      await openPage({ sourceIds: [SOURCES.ready] }, { 'content-security-policy': policy });
      expect(await shiftUntil(page, 'ready')).toBeLessThanOrEqual(MOST);
      expect(violations).toEqual([]);
    });
  }
});

test.describe('The snippet of a frame on a page with text below it', () => {
  for (const widthPx of [390, 800, 1280])
    test(`doesn’t move content at ${widthPx} px`, widthPx === 390 ? {} : LONG, async ({ page, stack }) => {
      await page.setViewportSize({ width: widthPx, height: 1_400 });
      const frame = snippetFor({ as: 'frame', sourceId: SOURCES.ready, baseUrl: stack.bffUrl });
      await page.goto(stack.site.put('/framed', `<!doctype html><h1>Figures</h1>${frame}<p>Text below the frame.</p>`));
      const card = page.frameLocator('iframe').locator('pulse-card');
      await expect(card).toHaveJSProperty('state', 'ready');
      const width = await page.locator('iframe').evaluate((element) => element.clientWidth);
      await expect(page.locator('iframe')).toHaveJSProperty('clientHeight', Math.round((width * 9) / 16 + 152));
      expect(await page.evaluate(shiftSoFar)).toBe(0);
    });

  test('is 490 px high under a policy that forbids inline styles', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCES.ready, baseUrl: stack.bffUrl });
    const policy = { 'content-security-policy': `default-src 'none'; frame-src ${stack.bffUrl}` };
    await page.goto(stack.site.put('/framed', `<!doctype html>${frame}`, policy));
    await expect(page.locator('iframe')).toHaveJSProperty('clientHeight', 490);
  });
});

/**
 * Delays the script, the data, and the charts until the page has been painted without them. If `isStale`, the data is
 * marked as stale, as it is during an outage.
 */
async function holdEverything(page: Page, isStale: boolean): Promise<void> {
  const { promise: firstPaint, resolve } = Promise.withResolvers<void>();
  await page.exposeFunction('tellFirstPaint', () => resolve());
  await page.addInitScript(tellFirstPaint);
  await page.route('**/pulse-card.js', async (route) => {
    await firstPaint;
    await route.continue();
  });
  await page.route('**/charts/*.png', async (route) => {
    await page.evaluate(nextPaint);
    await route.continue();
  });
  await page.route('**/v1/pulses?*', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const body = isStale ? text.replaceAll('"stale":false', '"stale":true') : text;
    await page.evaluate(nextPaint);
    await route.fulfill({ response, body });
  });
}

/** Notifies the test once the page has painted some content. */
function tellFirstPaint(): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return;
    (globalThis as unknown as { tellFirstPaint(): void }).tellFirstPaint();
  });
  observer.observe({ type: 'paint', buffered: true });
}

/** Resolves once the page's current content has been painted. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}

/**
 * Waits for the state, and for the chart if there is one. Resolves to the sum of all layout shifts since the page was
 * opened.
 */
async function shiftUntil(page: Page, state: string): Promise<number> {
  const card = page.locator('pulse-card');
  await expect(card).toHaveJSProperty('state', state);
  const chart = card.locator('[part~=image]');
  const hasChart = state === 'ready' || state === 'stale';
  await expect(chart).toHaveCount(hasChart ? 1 : 0);
  if (hasChart) {
    await expect.poll(() => chart.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  }
  return page.evaluate(shiftSoFar);
}

function shiftSoFar(): Promise<number> {
  return new Promise((resolve) => {
    const shifts: (PerformanceEntry & { readonly value?: number })[] = [];
    const observer = new PerformanceObserver((list) => void shifts.push(...list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    // Waits for two frames. The last change is drawn in the first frame, and its shift is reported after the second
    // frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        setTimeout(() => {
          shifts.push(...observer.takeRecords());
          resolve(shifts.reduce((sum, { value = 0 }) => sum + value, 0));
        }),
      ),
    );
  });
}

async function recordViolations(page: Page): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction('recordViolation', (violation: string) => violations.push(violation));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      (globalThis as unknown as { recordViolation(text: string): void }).recordViolation(
        `${effectiveDirective} ${blockedURI}`,
      );
    });
  });
  return violations;
}
