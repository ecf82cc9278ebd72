import type { Page } from '@playwright/test';
import { SANITIZED_SNIPPET, SANITIZERS, type Sanitize } from './stack/sanitizers.ts';
import { expect, testOnOnePage as test } from './test.ts';

const CHART = new URL('../demo/src/states/sample-chart.png', import.meta.url).pathname;

/** The parts of the snippet that readers see at 390 px. */
interface Remains {
  readonly link: boolean;
  /** Whether the name and the label are separate words. */
  readonly words: boolean;
  readonly chart: boolean;
  /** The height of empty space, in pixels. */
  readonly voidPx: number;
}

const ALL: Remains = { link: true, words: true, chart: true, voidPx: 0 };
const NOTHING: Remains = { link: false, words: false, chart: false, voidPx: 0 };

const REMAINS: Readonly<Record<keyof typeof SANITIZERS, Remains>> = {
  'WordPress 6.1 (wp_kses_post, for authors)': ALL,
  'GitHub (html-pipeline 2.14)': ALL,
  'GitHub’s list in JavaScript (hast-util-sanitize)': ALL,
  // Keeps the SVGs, so the space for the footer also stays. A link in an SVG loses its URL.
  'feed readers (feedparser 6.0)': { ...ALL, link: false, voidPx: 44 },
  // Removes each SVG with its content.
  'mail (lettersanitizer)': NOTHING,
  // Keeps the SVGs, so their space stays. Removes `foreignObject`, which contains the chart.
  DOMPurify: { ...ALL, chart: false, voidPx: 241 },
  // Removes images, unless a site allows them.
  'sanitize-html': { ...ALL, chart: false },
  // Shows unknown markup as text between the link and the chart.
  xss: ALL,
  // The next two remove unknown elements together with their content.
  insane: NOTHING,
  'the browser’s own (setHTML)': NOTHING,
};

test.describe('The snippet on a phone, after a sanitizer has changed it', () => {
  for (const [name, sanitize] of Object.entries(SANITIZERS) as [keyof typeof SANITIZERS, Sanitize][])
    test(`keeps ${textOf(REMAINS[name])}: ${name}`, async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 700 });
      await page.route('https://pulse.example.com/**', (route) =>
        route.request().url().endsWith('/image') ? route.fulfill({ path: CHART }) : route.abort(),
      );
      const rest = await sanitize(SANITIZED_SNIPPET, page);
      await page.setContent(pageOf(rest), { waitUntil: 'load' });
      expect(await remainsOf(page)).toEqual(REMAINS[name]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    });
});

function textOf({ link, words, chart, voidPx }: Remains): string {
  const kept = [...(link ? ['a link'] : words ? ['words'] : []), ...(chart ? ['the chart'] : [])].join(' and ');
  return `${kept || 'nothing'}${voidPx > 0 ? `, and a void of ${voidPx} px` : ''}`;
}

function pageOf(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<style>body{margin:20px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}</style></head><body><p>Text above.</p><div id="rest">${content}</div><p>Text below.</p></body></html>`;
}

function remainsOf(page: Page): Promise<Remains> {
  return page.evaluate(async () => {
    const rest = document.querySelector('#rest') as HTMLElement;
    const image = rest.querySelector('img');
    if (image) {
      image.loading = 'eager';
      await image.decode();
    }
    const width = image?.getBoundingClientRect().width ?? 0;
    const voids = [...rest.querySelectorAll('svg')].filter(
      (svg) => svg.textContent?.trim() === '' && !svg.querySelector('img'),
    );
    return {
      link: rest.querySelector('a[href="https://pulse.example.com/embed/src_1"]')?.textContent === 'Q2 revenue',
      words: /Q2 revenue\b.*(?<!\w)AI-generated/s.test(rest.textContent ?? ''),
      chart: width > 300 && width <= 350,
      voidPx: Math.round(voids.reduce((sum, svg) => sum + svg.getBoundingClientRect().height, 0)),
    };
  });
}
