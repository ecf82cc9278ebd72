import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { renderPulseCard } from '@pulse-card/widget/server';
import { boardSnippetFor, snippetFor } from '@pulse-card/widget/snippet';
import { unfurl } from 'unfurl.js';
import { ROOT } from '../scripts/run.ts';
import { expect, test, testOnOnePage } from './test.ts';

const SOURCE = 'src_us_employment';
const IMAGES = join(ROOT, 'docs/images');

/** Set where the pictures of the documentation are to be taken anew. */
const TAKES_PICTURES = process.env['PULSE_TAKE_PICTURES'] === '1';

const BELOW = '<p>Text below the card.</p>';

test.describe('Where scripts are off', () => {
  test.use({ javaScriptEnabled: false });

  test('a card that a server rendered is read, and unfolds', async ({ page, stack }) => {
    const answer = await (await fetch(`${stack.bffUrl}/v1/sources/${SOURCE}/pulse`)).json();
    const card = renderPulseCard(answer as Parameters<typeof renderPulseCard>[0], {
      sourceId: SOURCE,
      baseUrl: stack.bffUrl,
    });
    await page.setViewportSize({ width: 640, height: 720 });
    await page.goto(stack.site.put('/served', pageOf(`<h1>Somebody’s page</h1>${card}${BELOW}`)));
    await expect(page.getByRole('heading', { level: 3 })).toBeVisible();
    await expect(page.locator('[part=summary]')).toBeVisible();
    await expect(page.getByRole('button')).toHaveCount(0);
    await page.getByText('Read the analysis').click();
    await expect(page.locator('[part=analysis]')).toBeVisible();
    if (TAKES_PICTURES) await page.screenshot({ path: join(IMAGES, 'scripts-off-page.png') });
  });

  test('a frame shows the same', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, name: 'Employment' });
    await page.setViewportSize({ width: 640, height: 720 });
    await page.goto(stack.site.put('/framed', pageOf(`<h1>Somebody’s page</h1>${frame}${BELOW}`)));
    const inside = page.frameLocator('iframe');
    await expect(inside.locator('[part=summary]')).toBeVisible();
    await inside.getByText('Read the analysis').click();
    await expect(inside.locator('[part=analysis]')).toBeVisible();
    if (TAKES_PICTURES) await page.screenshot({ path: join(IMAGES, 'scripts-off-frame.png') });
  });

  test('a page for a frame is no wider than 60em in a window of its own', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto(`${stack.bffUrl}/embed/${SOURCE}`);
    expect((await page.locator('[part=base]').boundingBox())?.width).toBe(960);
  });

  test('a board leads to the chart of each of its sources', async ({ page, stack }) => {
    const sources = [
      { id: SOURCE, name: 'US nonfarm employment' },
      { id: 'src_seattle_rain', name: 'Rain in Seattle' },
    ];
    await page.goto(stack.site.put('/board', pageOf(boardSnippetFor({ baseUrl: stack.bffUrl, sources }))));
    await page.getByRole('link', { name: 'Rain in Seattle' }).click();
    await expect(page).toHaveURL(`${stack.bffUrl}/embed/src_seattle_rain`);
    await expect(page.locator('[part=summary]')).toBeVisible();
  });
});

test.describe('A frame', () => {
  testOnOnePage(
    'is taken over, asks for nothing, violates nothing, and is as high as what it shows',
    async ({ page, stack }) => {
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      page.on('console', (message) => {
        if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
      });
      const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, name: 'Employment' });
      await page.setViewportSize({ width: 640, height: 900 });
      await page.goto(stack.site.put('/live-frame', pageOf(frame + BELOW)));
      const inside = page.frameLocator('iframe');
      await expect(inside.locator('pulse-card')).toHaveJSProperty('state', 'ready');
      const heightOf = () => page.locator('iframe').evaluate((element) => element.clientHeight);
      const shown = () => inside.locator('html').evaluate((html) => Math.ceil(html.getBoundingClientRect().height));
      await expect.poll(async () => (await heightOf()) - (await shown())).toBe(0);
      const folded = await heightOf();
      await inside.getByText('Read the analysis').click();
      await expect.poll(heightOf).toBeGreaterThan(folded);
      await expect.poll(async () => (await heightOf()) - (await shown())).toBe(0);
      expect(asked.filter((path) => path.startsWith('/v1/'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  testOnOnePage('fills its frame, however wide, and is narrower than a window of its own', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1600, height: 900 });
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    await page.goto(stack.site.put('/wide', pageOf(frame)));
    const widthOf = (card: Locator) => card.evaluate((element) => element.clientWidth);
    const inside = page.frameLocator('iframe').locator('pulse-card');
    await expect(inside).toHaveJSProperty('state', 'ready');
    expect(await widthOf(inside)).toBe(1_560);
    await page.goto(`${stack.bffUrl}/embed/${SOURCE}`);
    await expect.poll(() => widthOf(page.locator('pulse-card'))).toBe(960);
  });

  testOnOnePage('is not resized by a window that is none of it', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    await page.goto(stack.site.put('/spoofed', pageOf(frame)));
    await expect(page.frameLocator('iframe').locator('pulse-card')).toHaveJSProperty('state', 'ready');
    const height = await page.evaluate(async () => {
      for (const data of [{ pulseFrameHeight: 3_000 }, { pulseFrameHeight: '9' }, null, 7, 'x']) postMessage(data, '*');
      await new Promise((resolve) => setTimeout(resolve));
      return document.querySelector('iframe')?.height;
    });
    expect(Number(height)).toBeLessThan(1_000);
  });

  testOnOnePage('is refused on a page of another origin', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    const address = stack.site.put('/foreign', pageOf(frame)).replace('localhost', '127.0.0.1');
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(address);
    await refused;
  });
});

test('A pasted link unfolds, by a consumer of oEmbed and Open Graph', async ({ stack }) => {
  const found = await unfurl(`${stack.bffUrl}/embed/${SOURCE}`);
  expect(found.oEmbed?.type).toBe('rich');
  expect((found.oEmbed as { html?: string }).html).toContain(`<iframe src="${stack.bffUrl}/embed/${SOURCE}"`);
  expect(found.open_graph.title).toBe(found.oEmbed?.title);
  expect(found.open_graph.images?.[0]?.url).toContain('/charts/');
  expect(found.twitter_card.card).toBe('summary_large_image');
});

function pageOf(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Somebody's page</title><style>body { margin: 20px; font: 16px/1.5 system-ui, sans-serif }</style></head><body>${body}</body></html>`;
}
