// Cards that a server rendered: bytes, and layout shift, copies and requests when the element takes them over.
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { type Browser, chromium } from '@playwright/test';
import { renderPulseCard, STYLE_FILE } from '@pulse-card/widget/server';
import { snippetFor } from '@pulse-card/widget/snippet';
import { chartPicture } from '../embeds/chart-picture.ts';
import { chromiumOptions } from '../embeds/chromium-options.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';

const SCRIPT_LATE_MS = 700;
const IMAGE_LATE_MS = 200;
const WATCHED_MS = 3_000;
const WIDTHS_PX = [320, 600, 1_200];
const DIST = new URL('../../packages/widget/dist/', import.meta.url);

const BELOW = '<p>Text below, which must not move.</p>'.repeat(20);

/** What one page did while it loaded. */
interface Seen {
  readonly shift: number;
  readonly copies: number;
  readonly requests: number;
}

const browser = await chromium.launch(await chromiumOptions());
const chart = await chartPicture(browser);
const server = createServer((request, response) => void answer(request.url ?? '/', response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const pulseAnswer = {
  pulse: {
    jobRunId: 'run_1',
    sourceId: 'src_1',
    sourceName: 'US nonfarm employment',
    status: 'SUCCESS',
    completedAt: '2026-05-08T09:00:12.000Z',
    imageUrl: `${base}/chart.png`,
    aiSummaryShort: 'Payrolls reached 143.1 million in December 2015, up 1.9 % on the year.',
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May\n- Least: July',
  },
  meta: { stale: false },
  source: { status: 'ACTIVE', provider: 'GOOGLE', name: 'US nonfarm employment' },
};
const served = renderPulseCard(pulseAnswer, { sourceId: 'src_1', baseUrl: base });
const bare = renderPulseCard(pulseAnswer, { sourceId: 'src_1', baseUrl: base, inside: false });
const snippet = snippetFor({ sourceId: 'src_1', baseUrl: base, name: 'US nonfarm employment' });
const script = `<script type="module" src="${base}/pulse-card.js"></script>`;
const PAGES: Readonly<Record<string, string>> = {
  'server-rendered, answer inside': served + script,
  'server-rendered, answer asked for': bare + script,
  'snippet (baseline)': snippet,
  'bare tag (baseline)': `<pulse-card source-id="src_1"></pulse-card>${script}`,
};

const rows: (string | number)[][] = [];
for (const [name, markup] of Object.entries(PAGES)) {
  for (const widthPx of WIDTHS_PX) {
    const { shift, copies, requests } = await watch(browser, markup, widthPx);
    rows.push([name, `${widthPx} px`, shift.toFixed(4), copies, requests]);
    console.log(name, widthPx, shift, copies, requests);
  }
}
const sizes = [
  ['`pulse-card.js`', bytesOf(readFileSync(new URL('pulse-card.js', DIST)))],
  ['the style sheet', bytesOf(readFileSync(new URL(STYLE_FILE, DIST)))],
  ['`pulse-frame.js`', bytesOf(readFileSync(new URL('pulse-frame.js', DIST)))],
  ['HTML of a card, answer inside', bytesOf(Buffer.from(served))],
  ['the same without the answer', bytesOf(Buffer.from(bare))],
  ['HTML of the snippet', bytesOf(Buffer.from(snippet))],
] as const;
await writeResult({
  name: 'server-rendering',
  title: 'Cards that a server rendered',
  text: `${table(
    ['what', 'bytes', 'brotli'],
    sizes.map(([what, [plain, small]]) => [what, plain, small]),
  )}

The script comes ${SCRIPT_LATE_MS} ms late, the chart ${IMAGE_LATE_MS} ms; there is text below the card. Shifts are added up over the
whole load; copies are those of the short summary once the element has taken over; requests are those for data.

${table(['page', 'width', 'layout shift', 'copies', 'requests'], rows)}`,
  figures: { sizes, rows },
});
await browser.close();
server.closeAllConnections();
server.close();

async function answer(url: string, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(url, base);
  const send = (type: string, body: string | Buffer): void => void response.setHeader('content-type', type).end(body);
  if (pathname === '/page') return send('text/html; charset=utf-8', pageOf(searchParams.get('name') ?? ''));
  if (pathname === '/pulse-card.js') {
    await delay(SCRIPT_LATE_MS);
    return send('text/javascript', readFileSync(new URL('pulse-card.js', DIST)));
  }
  if (pathname === `/${STYLE_FILE}`) return send('text/css', readFileSync(new URL(STYLE_FILE, DIST)));
  if (pathname === '/chart.png') {
    await delay(IMAGE_LATE_MS);
    return send('image/png', chart);
  }
  if (pathname === '/v1/pulses') {
    return send('application/json', JSON.stringify({ pulses: [{ sourceId: 'src_1', ok: true, ...pulseAnswer }] }));
  }
  response.writeHead(404).end();
}

function pageOf(name: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<style>body{margin:0;font:16px/1.5 sans-serif}</style></head><body>${PAGES[name]}${BELOW}</body></html>`;
}

async function watch(browser: Browser, markup: string, widthPx: number): Promise<Seen> {
  const page = await browser.newPage({ viewport: { width: widthPx, height: 1_000 } });
  let requests = 0;
  page.on('request', (request) => void (requests += Number(request.url().includes('/v1/'))));
  const name = Object.keys(PAGES).find((each) => PAGES[each] === markup) ?? '';
  await page.goto(`${base}/page?name=${encodeURIComponent(name)}`);
  await delay(WATCHED_MS);
  const [shift, copies] = await page.evaluate(async () => {
    const shifts = await new Promise<PerformanceEntryList>((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve([]), 200);
    });
    const sum = shifts.reduce((all, entry) => all + (entry as PerformanceEntry & { value: number }).value, 0);
    const summaries = document.querySelector('pulse-card')?.shadowRoot?.querySelectorAll('[part=summary]');
    return [sum, summaries?.length ?? 0] as const;
  });
  await page.close();
  return { shift, copies, requests };
}

function bytesOf(file: Buffer): readonly [number, number] {
  return [file.length, brotliCompressSync(file).length];
}
