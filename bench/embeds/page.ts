import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import type { Bundle } from './bundles.ts';
import type { Embed } from './contestants.ts';
import { type Behavior, startStub, type Stub } from './stub.ts';

/** An embed, with everything needed to measure it. */
export interface Contestant {
  readonly embed: Embed;
  readonly bundle: Bundle;
  readonly chart: Buffer;
  readonly browser: Browser;
}

/** A page with instances of an embed. */
interface PageOptions {
  readonly ids: readonly string[];
  /** The column's width, or undefined for a grid of five columns. */
  readonly widthPx?: number;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly behavior?: Partial<Behavior>;
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** What the script in a page has measured. */
interface Seen {
  readonly shifts: readonly number[];
  /** The times at which the largest content was first painted, in milliseconds since the Unix epoch. */
  readonly paints: readonly { readonly url: string; readonly at: number }[];
  /** When a card's finding first had a size, in milliseconds since the navigation. */
  readonly findingMs?: number;
}

/** The times since the start of the navigation, in ms. Undefined if an embed shows no chart or isn't a card. */
export interface Times {
  readonly chartMs: number | undefined;
  readonly findingMs: number | undefined;
}

/** "Slow 4G" as in Chromium's developer tools: each request has a latency, and all requests share the throughput. */
export const SLOW_4G = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 } as const;

/** How long, in ms, each resource is delayed while layout shifts are measured. */
export const LATE_MS = { script: 700, data: 400, frame: 400, image: 200 } as const;

/** The column widths. Each window is large enough that the text below the embed is initially visible. */
export const WIDTHS = [
  { widthPx: 320, viewport: { width: 360, height: 740 } },
  { widthPx: 600, viewport: { width: 1_000, height: 800 } },
  { widthPx: 1_200, viewport: { width: 1_300, height: 1_400 } },
] as const;

/** The number of embeds on the page that counts requests. */
export const INSTANCES = 20;

/** Longer than the sum of `LATE_MS`, even on a busy machine. */
const WATCHED_MS = 3_500;

const TIMEOUT_MS = 30_000;

/** The sum of layout shifts while one instance loads in a column. The script, data, and image arrive late. */
export async function layoutShiftOf(contestant: Contestant, width: (typeof WIDTHS)[number]): Promise<number> {
  const options = { ids: ['ready-1'], behavior: { lateMs: LATE_MS }, ...width };
  return withPage(contestant, options, async ({ page }) => {
    await pause(WATCHED_MS);
    return (await seenIn(page)).flatMap(({ shifts }) => shifts).reduce((sum, shift) => sum + shift, 0);
  });
}

/**
 * The number of requests for data and frames, and the number for images. `INSTANCES` instances are in view, each with
 * its own ID.
 */
export async function requestsOf(contestant: Contestant): Promise<{ data: number; images: number }> {
  const ids = Array.from({ length: INSTANCES }, (_, at) => `ready-${at + 1}`);
  return withPage(contestant, { ids, viewport: { width: 1_600, height: 2_400 } }, async ({ stub }) => {
    await pause(WATCHED_MS);
    const count = (pattern: RegExp) => stub.arrivals.filter(({ kind }) => pattern.test(kind)).length;
    return { data: count(/data|frame/), images: count(/image/) };
  });
}

/** The times until the chart is first painted and until the finding is visible, over a slow connection. */
export async function timesOf(contestant: Contestant): Promise<Times> {
  const slow = async (page: Page) => {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  };
  const options = { ids: ['ready-1'], behavior: { isCompressed: true }, prepare: slow, ...WIDTHS[1] };
  const hasFinding = contestant.embed.script === 'pulse-card.js';
  return withPage(contestant, options, async ({ page }) => {
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(50)) {
      const seen = await seenIn(page);
      const charts = seen
        .flatMap(({ paints }) => paints)
        .filter(({ url }) => /\/chart|\/image/.test(url) && !url.includes('avatar'));
      const findingMs = seen[0]?.findingMs;
      if (charts.length === 0 || (hasFinding && findingMs === undefined)) continue;
      const startedAt = await page.evaluate(() => performance.timeOrigin);
      return { chartMs: Math.min(...charts.map(({ at }) => at)) - startedAt, findingMs };
    }
    return { chartMs: undefined, findingMs: undefined };
  });
}

/** Opens the page in a new context. No request is intercepted, because that would disable the browser's cache. */
async function withPage<Result>(
  { embed, bundle, chart, browser }: Contestant,
  { viewport, behavior, prepare, ids, widthPx }: PageOptions,
  measure: (opened: { page: Page; stub: Stub }) => Promise<Result>,
): Promise<Result> {
  await using stub = await startStub(bundle, chart, behavior);
  stub.behavior.html = htmlWith(embed, stub, ids, widthPx);
  const context = await browser.newContext({ viewport });
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    await prepare?.(page);
    await page.goto(`${stub.page}/page`, { waitUntil: 'commit' });
    return await measure({ page, stub });
  } finally {
    await context.close();
  }
}

function htmlWith(embed: Embed, stub: Stub, ids: readonly string[], widthPx: number | undefined): string {
  const layout =
    widthPx === undefined
      ? 'margin:0;display:grid;grid-template-columns:repeat(5,minmax(0,1fr));gap:16px;align-items:start'
      : `margin:0 auto;width:${widthPx}px`;
  const script = embed.script ? `<script type="module" src="${stub.embed}/${embed.script}"></script>` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
<style>body{${layout};font:16px/1.5 sans-serif} img{max-width:100%;height:auto}</style>${script}</head>
<body><p>Text above.</p>${ids.map((id) => embed.markup(stub, id)).join('\n')}${'<p>Text below.</p>'.repeat(20)}</body></html>`;
}

type Watching = typeof globalThis & { readonly seen: Seen };

/** The measurements from the page and its frames. */
async function seenIn(page: Page): Promise<Seen[]> {
  const nothing: Seen = { shifts: [], paints: [] };
  return Promise.all(
    page.frames().map((frame) => frame.evaluate(() => (globalThis as Watching).seen).catch(() => nothing)),
  );
}

/** Runs in the page and in its frames before anything else. The chart is the largest element, so browsers report its first paint. */
function watch(): void {
  const seen: { shifts: number[]; paints: { url: string; at: number }[]; findingMs?: number } = {
    shifts: [],
    paints: [],
  };
  Object.assign(globalThis, { seen });
  const observe = (type: string, add: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
  if (window.top === window)
    observe('layout-shift', (entry) => seen.shifts.push((entry as PerformanceEntry & { value: number }).value));
  observe('largest-contentful-paint', (entry) => {
    const { url } = entry as PerformanceEntry & { url: string };
    seen.paints.push({ url, at: performance.timeOrigin + entry.startTime });
  });
  const lookForFinding = (): void => {
    const finding = document.querySelector('pulse-card')?.shadowRoot?.querySelector('[part=summary]');
    if (finding?.clientHeight) seen.findingMs = performance.now();
    else requestAnimationFrame(lookForFinding);
  };
  requestAnimationFrame(lookForFinding);
}
