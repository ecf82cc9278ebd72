import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { snippetFor } from '@pulse-card/widget/snippet';
import { fromHtml } from 'hast-util-from-html';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import sanitizeHtml from 'sanitize-html';
import xss from 'xss';

const require = createRequire(import.meta.url);
// The package has no types.
const insane = require('insane') as (html: string) => string;

/** The snippet that the sanitizers get: the Studio's snippet for a chart whose aspect ratio is known. */
export const SANITIZED_SNIPPET: string = snippetFor({
  sourceId: 'src_1',
  baseUrl: 'https://pulse.example.com',
  name: 'Q2 revenue',
  chartRatio: 16 / 9,
});

/** Sanitizes HTML with one program and its default settings. */
export type Sanitize = (html: string, page: Page) => string | Promise<string>;

/** Ten sanitizers, with their default settings. */
export const SANITIZERS = {
  'WordPress 6.1 (wp_kses_post, for authors)': recorded('wordpress'),
  'GitHub (html-pipeline 2.14)': recorded('html-pipeline'),
  'GitHub’s list in JavaScript (hast-util-sanitize)': (html) =>
    toHtml(sanitize(fromHtml(html, { fragment: true }), defaultSchema)),
  'feed readers (feedparser 6.0)': recorded('feedparser'),
  'mail (lettersanitizer)': inBrowser(letterSanitizer),
  DOMPurify: inBrowser(domPurify),
  'sanitize-html': (html) => sanitizeHtml(html),
  xss: (html) => xss(html),
  insane: (html) => insane(html),
  'the browser’s own (setHTML)': inBrowser(() => Promise.resolve()),
} satisfies Readonly<Record<string, Sanitize>>;

/**
 * Returns the recorded result of a program that isn't written in JavaScript. `record-sanitized.ts` runs these programs.
 */
function recorded(name: string): Sanitize {
  const read = (file: string) => readFileSync(new URL(`../fixtures/sanitized/${file}.html`, import.meta.url), 'utf8');
  return (html) => {
    if (html !== read('input')) throw new Error('The snippet has changed: run e2e/fixtures/record-sanitized.ts');
    return read(name);
  };
}

/**
 * Sanitizes in the browser. If `prepare` adds a `sanitizeForTest` function to the page, uses this function, and
 * otherwise the browser's own sanitizer.
 */
function inBrowser(prepare: (page: Page) => Promise<unknown>): Sanitize {
  return async (html, page) => {
    await prepare(page);
    return page.evaluate((text) => {
      const { sanitizeForTest } = globalThis as { sanitizeForTest?: (html: string) => string };
      if (sanitizeForTest) return sanitizeForTest(text);
      const place = document.createElement('div') as HTMLDivElement & { setHTML(html: string): void };
      place.setHTML(text);
      return place.innerHTML;
    }, html);
  };
}

async function domPurify(page: Page): Promise<void> {
  await page.addScriptTag({ path: require.resolve('dompurify').replace(/purify[.\w]*$/, 'purify.min.js') });
  await page.addScriptTag({ content: 'globalThis.sanitizeForTest = (html) => DOMPurify.sanitize(html)' });
}

async function letterSanitizer(page: Page): Promise<void> {
  const folder = require.resolve('lettersanitizer').replace(/cjs.index\.js$/, 'esm/');
  const addressOf = (code: string) => `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const constants = addressOf(readFileSync(`${folder}constants.js`, 'utf8'));
  const code = readFileSync(`${folder}index.js`, 'utf8').replace('./constants.js', constants);
  await page.evaluate(async (address) => {
    const { sanitize } = (await import(address)) as { sanitize: (html: string, text: string) => string };
    Object.assign(globalThis, { sanitizeForTest: (html: string) => sanitize(html, '') });
  }, addressOf(code));
}
