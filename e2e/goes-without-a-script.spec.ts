import type { Locator } from '@playwright/test';
import { renderPulseCard } from '@pulse-card/widget/server';
import { boardSnippetFor, frameHeightPx, snippetFor } from '@pulse-card/widget/snippet';
import { expect, test, testOnOnePage } from './test.ts';

const SOURCE = 'src_us_employment';

/** The sizes of tall, short, and wide frames, in pixels. */
const FRAME_SIZES = [
  [240, 600],
  [200, 120],
  [340, 220],
  [640, 360],
  [1200, 300],
] as const;

const BELOW = '<p>Text below the card.</p>';

test.describe('With scripts disabled', () => {
  test.use({ javaScriptEnabled: false });

  test('a reader can read and expand a server-rendered card', async ({ page, stack }) => {
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
  });

  test('a frame shows the same content', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, name: 'Employment' });
    await page.setViewportSize({ width: 640, height: 720 });
    await page.goto(stack.site.put('/framed', pageOf(`<h1>Somebody’s page</h1>${frame}${BELOW}`)));
    const inside = page.frameLocator('iframe');
    await expect(inside.locator('[part=summary]')).toBeVisible();
    await inside.getByText('Read the analysis').click();
    await expect(inside.locator('[part=analysis]')).toBeVisible();
  });

  test('a board links to each source’s chart', async ({ page, stack }) => {
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
    'with resizes is adopted without a request or a violation and fits its content',
    async ({ page, stack }) => {
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      page.on('console', (message) => {
        if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
      });
      const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, resizes: true });
      await page.setViewportSize({ width: 640, height: 900 });
      await page.goto(stack.site.put('/live-frame', pageOf(frame + BELOW)));
      const inside = page.frameLocator('iframe');
      await expect(inside.locator('pulse-card')).toHaveJSProperty('state', 'ready');
      const heightOf = () => page.locator('iframe').evaluate((element) => element.clientHeight);
      const folded = frameHeightPx(600);
      await expect.poll(heightOf).toBe(folded);
      await inside.getByText('Read the analysis').click();
      await expect.poll(heightOf).toBeGreaterThan(folded);
      const hiddenPx = () => inside.locator('html').evaluate((html) => html.scrollHeight - innerHeight);
      await expect.poll(hiddenPx).toBe(0);
      await inside.getByText('Read the analysis').click();
      await expect.poll(heightOf).toBe(folded);
      expect(asked.filter((path) => path.startsWith('/v1/'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  testOnOnePage('fills an iframe of any width, and is narrower in its own window', async ({ page, stack }) => {
    await page.setViewportSize({ width: 1600, height: 900 });
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    await page.goto(stack.site.put('/wide', pageOf(frame)));
    const widthOf = (card: Locator) => card.evaluate((element) => element.clientWidth);
    const inside = page.frameLocator('iframe').locator('pulse-card');
    await expect(inside).toHaveJSProperty('state', 'ready');
    await expect.poll(() => widthOf(inside)).toBe(1_560);
    await page.goto(`${stack.bffUrl}/embed/${SOURCE}`);
    await expect.poll(() => widthOf(page.locator('pulse-card'))).toBe(960);
  });

  testOnOnePage('ignores resize messages from other windows', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, resizes: true });
    await page.goto(stack.site.put('/spoofed', pageOf(frame)));
    await expect(page.frameLocator('iframe').locator('pulse-card')).toHaveJSProperty('state', 'ready');
    const height = await page.evaluate(async () => {
      const height = { message: 'height', value: 3_000 };
      for (const data of [{ ...height, secret: 'pulse' }, height, null, 7, 'x']) postMessage(data, '*');
      await new Promise((resolve) => setTimeout(resolve));
      return document.querySelector('iframe')?.height;
    });
    expect(Number(height)).toBeLessThan(1_000);
  });

  for (const [scripts, sizes] of [
    ['allow-scripts allow-same-origin', FRAME_SIZES],
    ['allow-scripts', FRAME_SIZES.slice(-2)],
    ['', FRAME_SIZES.slice(-2)],
  ] as const) {
    testOnOnePage(`fills its iframe at ${sizes.length} sizes, sandbox="${scripts}"`, async ({ page, stack }) => {
      await page.setViewportSize({ width: 1300, height: 900 });
      await page.goto(stack.site.put('/sizes', pageOf(`<iframe frameborder="0" sandbox="${scripts}"></iframe>`)));
      for (const [width, height] of sizes) {
        await test.step(`${width} × ${height}`, async () => {
          await page.locator('iframe').evaluate((frame, { src, size }) => Object.assign(frame, { src, ...size }), {
            src: `${stack.bffUrl}/embed/${SOURCE}`,
            size: { width: String(width), height: String(height) },
          });
          const card = page.frameLocator('iframe').locator('pulse-card');
          const base = card.locator('[part=base]');
          await expect(card.locator('[part~=footer]')).toBeInViewport({ ratio: 1 });
          // Without scripts, a page can't tell whether it is in a frame or in a window.
          const shownWidth = scripts === '' ? Math.min(width, 960) : width;
          await expect.poll(async () => sizeOf(base)).toEqual([shownWidth, height]);
          expect(await base.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
          expect(await base.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
          const { rows, chart, isFindingCut } = await base.evaluate(layoutOf);
          const gaps = rows.slice(1).map(({ top }, index) => top - (rows[index]?.bottom ?? 0));
          expect(Math.max(...gaps), JSON.stringify(rows)).toBeLessThanOrEqual(24);
          expect(Math.min(...gaps), JSON.stringify(rows)).toBeGreaterThanOrEqual(0);
          if (chart !== undefined) {
            expect(chart.height).toBeGreaterThan(90);
            expect(chart.width / chart.height).toBeCloseTo(16 / 9, 0);
          }
          if (height < 200) return;
          expect(isFindingCut).toBe(false);
          await card.locator('[part=toggle]').click();
          await expect(card.locator('[part=analysis]')).toBeVisible();
          await expect(card.locator('[part=toggle]')).toBeInViewport({ ratio: 1 });
        });
      }
    });
  }

  for (const width of [340, 640]) {
    testOnOnePage(
      `reports its height to WordPress at ${width} px, regardless of the iframe’s height`,
      async ({ page, stack }) => {
        const frame = (height: number) =>
          `<iframe frameborder="0" sandbox="allow-scripts" width="${width}" height="${height}" src="${stack.bffUrl}/embed/${SOURCE}#?secret=Ab3dEf9hIj"></iframe>`;
        const address = stack.site.put('/wordpress', pageOf(''));
        for (const height of [200, 490, 1_000]) {
          await page.goto(address);
          const message = await page.evaluate(
            (html) =>
              new Promise((resolve) => {
                addEventListener('message', ({ data }) => resolve(data), { once: true });
                document.body.insertAdjacentHTML('beforeend', html);
              }),
            frame(height),
          );
          expect(message).toEqual({ message: 'height', value: frameHeightPx(width), secret: 'Ab3dEf9hIj' });
        }
      },
    );
  }

  test('reports its height to a page that starts listening late, such as a WordPress page', async ({ page, stack }) => {
    await page.clock.install();
    const frame = `<iframe sandbox="allow-scripts" width="340" height="490" src="${stack.bffUrl}/embed/${SOURCE}#?secret=Ab3"></iframe>`;
    await page.goto(stack.site.put('/late', pageOf(frame)));
    await expect(page.frameLocator('iframe').locator('pulse-card')).toHaveJSProperty('state', 'ready');
    await page.clock.runFor(10_000);
    const heard = page.evaluate(
      () => new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data), { once: true })),
    );
    await page.clock.runFor(30_000);
    expect(await heard).toEqual({ message: 'height', value: frameHeightPx(340), secret: 'Ab3' });
  });

  testOnOnePage('sends its height only to a page that asks for it with a valid secret', async ({ page, stack }) => {
    await page.goto(stack.site.put('/quiet', pageOf('')));
    const said = await page.evaluate(async (src) => {
      const heard: unknown[] = [];
      addEventListener('message', ({ data }) => heard.push(data));
      for (const end of [
        '',
        '#?secret=',
        '#?secret=a-b',
        `#?secret=${'a'.repeat(33)}`,
        '#secret=abc',
        '#?secret=x&y=1',
      ]) {
        const frame = document.createElement('iframe');
        frame.src = src + end;
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        document.body.append(frame);
        await loaded;
      }
      return heard;
    }, `${stack.bffUrl}/embed/${SOURCE}`);
    expect(said).toEqual([]);
  });

  testOnOnePage('stays light on a light page in a dark system', async ({ page, stack }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    await page.goto(stack.site.put('/light-page', pageOf(frame)));
    const base = page.frameLocator('iframe').locator('pulse-card').locator('[part~=base]');
    await expect(base).toHaveCSS('background-color', 'rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: null });
  });

  testOnOnePage('opens its links in tabs outside the sandbox', async ({ page, stack }) => {
    await page.goto(
      stack.site.put('/sandboxed', pageOf(snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl }))),
    );
    const card = page.frameLocator('iframe').locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    const opened = page.waitForEvent('popup');
    await card.evaluate((element) => {
      const link = Object.assign(document.createElement('a'), { slot: 'footer', href: '/healthz', target: '_blank' });
      link.append('More');
      element.append(link);
    });
    await card.getByText('More').click();
    expect(await (await opened).evaluate(() => localStorage.length)).toBe(0);
    await (await opened).close();
  });

  testOnOnePage('has the style that its URL specifies', async ({ page, stack }) => {
    const violations: string[] = [];
    page.on('console', (message) => {
      if (!message.location().url.endsWith('/favicon.ico')) violations.push(message.text());
    });
    const look = 'chart-theme=auto&accent=9b1c1c.ff9d8a&radius=0&font=serif';
    const frames = (['light', 'dark'] as const).map((theme) =>
      snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, theme, look }),
    );
    await page.goto(stack.site.put('/themed', pageOf(frames.join(''))));
    const cardIn = (at: number) => page.frameLocator('iframe').nth(at).locator('pulse-card');
    const [light, dark] = [cardIn(0), cardIn(1)];
    await expect(light.locator('[part~=toggle]')).toHaveCSS('color', 'rgb(155, 28, 28)');
    await expect(light.locator('[part~=base]')).toHaveCSS('border-radius', '0px');
    await expect(light.locator('[part~=base]')).toHaveCSS('font-family', /^Charter/);
    await expect(light.locator('[part~=image]')).toHaveCSS('filter', 'none');
    await expect(dark.locator('[part~=toggle]')).toHaveCSS('color', 'rgb(255, 157, 138)');
    await expect(dark.locator('[part~=image]')).toHaveCSS('filter', /invert\(1\)/);
    expect(violations).toEqual([]);
  });

  test('logs which variable to change if the BFF doesn’t allow the frame', async ({ page, stack }) => {
    await page.clock.install();
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl, resizes: true });
    const address = stack.site.put('/refused', pageOf(frame)).replace('localhost', '127.0.0.1');
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(address);
    await refused;
    // The frame might have been blocked before the script ran. It is blocked again when it is reloaded.
    await page.locator('iframe').evaluate((frame: HTMLIFrameElement) => frame.setAttribute('src', frame.src));
    await expect(async () => {
      await page.clock.runFor(6_000);
      expect(lines.join('\n')).toContain(`add ${new URL(address).origin} to PULSE_ALLOWED_ORIGINS`);
    }).toPass();
  });

  testOnOnePage('is blocked on a page on another origin', async ({ page, stack }) => {
    const frame = snippetFor({ as: 'frame', sourceId: SOURCE, baseUrl: stack.bffUrl });
    const address = stack.site.put('/foreign', pageOf(frame)).replace('localhost', '127.0.0.1');
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(address);
    await refused;
  });
});

async function sizeOf(locator: Locator): Promise<number[]> {
  const box = await locator.boundingBox();
  return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
}

/** A card's rows from top to bottom, and its chart if it is shown. A chart next to the text isn't a row. */
function layoutOf(base: Element) {
  const boxes = ['header', 'heading', 'chart', 'lead', 'footer']
    .map((part) => base.querySelector(`[part=${part}]`) as Element)
    .filter((element) => element.getBoundingClientRect().height > 0);
  const isChart = (element: Element) => element.matches('[part=chart]');
  const rows = boxes.filter((element) => !isChart(element) || getComputedStyle(element).position === 'relative');
  const { scrollHeight, clientHeight } = base.querySelector('[part=summary]') as Element;
  return {
    rows: rows.map((element) => element.getBoundingClientRect().toJSON() as DOMRect),
    chart: boxes.find(isChart)?.getBoundingClientRect().toJSON() as DOMRect | undefined,
    isFindingCut: scrollHeight > clientHeight + 1,
  };
}

function pageOf(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Somebody's page</title><style>body { margin: 20px; font: 16px/1.5 system-ui, sans-serif }</style></head><body>${body}</body></html>`;
}
