import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { snippetFor } from '@pulse-card/widget/snippet';

const require = createRequire(import.meta.url);

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
  'GitHub’s list in JavaScript (hast-util-sanitize)': recorded('hast-util-sanitize'),
  'feed readers (feedparser 6.0)': recorded('feedparser'),
  'mail (lettersanitizer)': recorded('lettersanitizer'),
  DOMPurify: inBrowser((page) =>
    page.addScriptTag({ path: require.resolve('dompurify').replace(/purify[.\w]*$/, 'purify.min.js') }),
  ),
  'sanitize-html': recorded('sanitize-html'),
  xss: recorded('xss'),
  insane: recorded('insane'),
  'the browser’s own (setHTML)': inBrowser(() => Promise.resolve()),
} satisfies Readonly<Record<string, Sanitize>>;

/** Returns the recorded result of a program. `npm run record-sanitized` runs these programs. */
function recorded(name: string): Sanitize {
  const read = (file: string) => readFileSync(new URL(`../fixtures/sanitized/${file}.html`, import.meta.url), 'utf8');
  return (html) => {
    if (html !== read('input')) throw new Error('The snippet has changed: run "npm run record-sanitized"');
    return read(name);
  };
}

/** Sanitizes in the browser. If `prepare` adds DOMPurify to the page, uses it, and otherwise the browser's own sanitizer. */
function inBrowser(prepare: (page: Page) => Promise<unknown>): Sanitize {
  return async (html, page) => {
    await prepare(page);
    return page.evaluate((text) => {
      const { DOMPurify } = globalThis as { DOMPurify?: { sanitize(html: string): string } };
      if (DOMPurify) return DOMPurify.sanitize(text);
      const place = document.createElement('div') as HTMLDivElement & { setHTML(html: string): void };
      place.setHTML(text);
      return place.innerHTML;
    }, html);
  };
}
