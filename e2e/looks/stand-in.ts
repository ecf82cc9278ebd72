import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Route } from '@playwright/test';
import { pulsesAnswerSchema, sourcesAnswerSchema } from '@pulse-card/contract';
import { chartPng, chartSvg } from '../../demo/data/chart/render-chart.ts';
import { ROOT } from '../../scripts/run.ts';
import { fontFileOf } from './fonts.ts';
import { BFF_ORIGIN, CHARTS, CHARTS_ORIGIN, DOWN, LISTED, NOW, outcomeOf, SILENT } from './specimens.ts';

/** The site that the pictures are taken of. */
export const SITE_ORIGIN = 'https://site.test';

const WIDGET_DIST = join(ROOT, 'packages/widget/dist');
const OPEN = { 'access-control-allow-origin': '*' };

type Answer = Parameters<Route['fulfill']>[0];

/** Stands in for everything a page asks: the site with `page` on it, the BFF, the charts. Nothing goes out. */
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

function bffAnswer({ pathname, searchParams }: URL): Answer {
  if (/^\/pulse-(?:board|card-extras-\w+)\.js$/.test(pathname)) return fromDist(pathname.slice(1), 'text/javascript');
  if (pathname.startsWith('/pulse-card-lang/'))
    return fromDist(pathname.replace('/pulse-card-', ''), 'application/json');
  if (pathname.startsWith(DOWN)) {
    const body = { success: false, error: 'The service does not answer', code: 'upstream_unavailable' };
    return {
      status: 503,
      headers: { ...OPEN, 'retry-after': '300', 'access-control-expose-headers': '*' },
      json: body,
    };
  }
  const meta = { requestedAt: NOW.toISOString(), stale: false };
  if (pathname === '/v1/sources') {
    const wanted = searchParams.get('provider');
    const sources = LISTED.filter(({ provider }) => wanted === null || provider === wanted);
    return { headers: OPEN, json: sourcesAnswerSchema.parse({ meta, sources }) };
  }
  const ids = (searchParams.get('ids') ?? '').split(',');
  return { headers: OPEN, json: pulsesAnswerSchema.parse({ meta, pulses: ids.map(outcomeOf) }) };
}

function fromDist(file: string, contentType: string): Answer {
  return { headers: OPEN, contentType, body: readFileSync(join(WIDGET_DIST, file)) };
}

const drawn = new Map<string, Promise<Uint8Array>>();

async function chartAt(path: string): Promise<Answer> {
  const option = Object.entries(CHARTS).find(([known]) => known === path)?.[1];
  if (option === undefined) return { status: 404 };
  const png = drawn.get(path) ?? chartPng(chartSvg(option));
  drawn.set(path, png);
  return { body: Buffer.from(await png), contentType: 'image/png' };
}
