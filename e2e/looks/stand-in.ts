import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Route } from '@playwright/test';
import { ROOT } from '@pulse-card/testkit/root';
import { fontFileOf } from './fonts.ts';
import { BFF_ORIGIN, bffOf, boardBff, CHARTS, CHARTS_ORIGIN, DOWN, NOW, SILENT } from './specimens.ts';

/** The origin of the site in the screenshots. */
export const SITE_ORIGIN = 'https://site.test';

const WIDGET_DIST = join(ROOT, 'packages/widget/dist');
const OPEN = { 'access-control-allow-origin': '*' };

type Answer = Parameters<Route['fulfill']>[0];

/**
 * Responds to all requests from a page to the site, the BFF, and the charts. The site's response is `page`. Requests
 * never leave this machine.
 */
export async function standIn(context: BrowserContext, page: string): Promise<void> {
  await context.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    if (url.pathname.startsWith(SILENT)) return;
    await route.fulfill(await answerTo(url, page));
  });
}

async function answerTo(url: URL, page: string): Promise<Answer> {
  if (url.origin === CHARTS_ORIGIN) return chartAt(url.pathname);
  if (url.origin === BFF_ORIGIN) return bffAnswer(url);
  const font = fontFileOf(url.pathname);
  if (font !== undefined) return { path: font, contentType: 'font/woff2' };
  return url.origin === SITE_ORIGIN ? { body: page, contentType: 'text/html; charset=utf-8' } : { status: 404 };
}

async function bffAnswer(url: URL): Promise<Answer> {
  const { pathname, searchParams } = url;
  if (/^\/pulse-[\w-]+\.js$/.test(pathname)) return fromDist(pathname.slice(1), 'text/javascript');
  const [, language] = /\/pulse-card-(lang\/.*)$/.exec(pathname) ?? [];
  if (language !== undefined) return fromDist(language, 'application/json');
  const bff = pathname === '/v1/sources' ? boardBff : bffOf((searchParams.get('ids') ?? '').split(','));
  const isDown = pathname.startsWith(DOWN);
  if (isDown) bff.fail('upstream_unavailable');
  const response = await bff.fetch(url);
  const wait = { 'retry-after': '300', 'access-control-expose-headers': '*' };
  const body = (await response.text()).replaceAll(/("requestedAt":")[^"]+/g, `$1${NOW.toISOString()}`);
  return { status: response.status, headers: { ...OPEN, ...(isDown && wait) }, body, contentType: 'application/json' };
}

function fromDist(file: string, contentType: string): Answer {
  return { headers: OPEN, contentType, body: readFileSync(join(WIDGET_DIST, file)) };
}

function chartAt(path: string): Answer {
  const file = CHARTS.get(path);
  return file === undefined ? { status: 404 } : { path: file, contentType: 'image/png' };
}
