import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { STYLE_FILE } from '@pulse-card/widget/server';
import type { Bundle } from '../bundles.ts';
import { columnStyle, pageWith } from '../page-with.ts';
import { type Behaviour, startStub } from '../stub.ts';
import type { Contestant } from './contestant.ts';

/** "Slow 4G" as Chromium's developer tools have it: every request costs a latency, all share the throughput. */
export const SLOW_4G = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 } as const;

const TIMEOUT_MS = 30_000;
const SETTLED_MS = 2_000;

/** A chart painted, and what it took. */
export interface ChartFigures {
  /** From the beginning of the navigation to the first paint of the chart. */
  readonly chartMs: number;
  /** Of the chart, by the same page until two seconds later; a redirect is none. */
  readonly downloads: number;
}

/** Loads one instance over a slow connection and says when its chart was painted first; undefined where that never happened. */
export async function timeToChart(
  { embed, bundle, chart, browser }: Contestant,
  images: Behaviour['images'],
): Promise<ChartFigures | undefined> {
  const style = await styleOf(bundle);
  await using stub = await startStub({ ...bundle, style }, chart, { images, isCompressed: true });
  stub.behaviour.html = pageWith(embed, stub, { ids: ['ready-1'], style: columnStyle(600), before: '<h1>A page</h1>' });
  const context = await browser.newContext({ viewport: { width: 1_000, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchPaints);
    const devTools = await context.newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
    await page.goto(`${stub.page}/page`, { waitUntil: 'commit' });
    const chartMs = await paintedAt(page);
    if (chartMs === undefined) return undefined;
    await delay(SETTLED_MS);
    const charts = stub.arrivals.filter(({ kind, url }) => kind === 'image' && !url.includes('avatar'));
    const redirects = images === 'direct' ? charts.filter(({ url }) => url.startsWith('/v1/')).length : 0;
    return { chartMs, downloads: charts.length - redirects };
  } finally {
    await context.close();
  }
}

/** The card that a server rendered brings a style sheet, which lies beside its script. */
async function styleOf({ style }: Bundle): Promise<Buffer> {
  if (style.length > 0) return style;
  return readFile(
    new URL(STYLE_FILE, `file://${createRequire(import.meta.url).resolve('@pulse-card/widget/pulse-card.js')}`),
  );
}

interface Paint {
  readonly url: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

type Watched = typeof globalThis & { readonly paints: Paint[] };

/** Runs in the page and in its frames. The chart is the largest thing on the page, so its first paint is reported. */
function watchPaints(): void {
  const paints: Paint[] = [];
  Object.assign(globalThis, { paints });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { url: string })[])
      paints.push({ url: entry.url, at: performance.timeOrigin + entry.startTime });
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/** When the first chart was painted in the page or a frame of it, from the beginning of the navigation. */
async function paintedAt(page: Page): Promise<number | undefined> {
  const end = performance.now() + TIMEOUT_MS;
  while (performance.now() < end) {
    const lists = await Promise.all(
      page.frames().map((frame) => frame.evaluate(() => (globalThis as Watched).paints).catch(() => [])),
    );
    const charts = lists.flat().filter(({ url }) => /\/chart|\/vi|\/image/.test(url) && !url.includes('avatar'));
    const startedAt = await page.evaluate(() => performance.timeOrigin);
    if (charts.length > 0) return Math.min(...charts.map(({ at }) => at)) - startedAt;
    await delay(50);
  }
  return undefined;
}
