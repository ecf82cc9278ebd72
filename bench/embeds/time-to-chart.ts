import type { Browser } from '@playwright/test';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { bundleOf } from './bundles.ts';
import {
  bareCard,
  liteYouTube,
  plainImage,
  pulseCard,
  reactTweet,
  serverRenderedCard,
  tableauPulse,
} from './contestants.ts';
import type { Embed } from './embed.ts';
import { type ChartFigures, SLOW_4G, timeToChart } from './measures/time-to-chart.ts';
import type { Behaviour } from './stub.ts';

const ROUNDS = 5;

/** Everyone who takes part; the first is the limit. */
const RUNNERS: readonly { readonly name: string; readonly embed: Embed; readonly images: Behaviour['images'] }[] = [
  { name: plainImage.name, embed: plainImage, images: 'direct' },
  { name: 'pulse-card, snippet, images by the BFF', embed: pulseCard, images: 'proxy' },
  { name: 'pulse-card, snippet, images by the CDN', embed: pulseCard, images: 'direct' },
  { name: 'pulse-card, rendered by a server', embed: serverRenderedCard, images: 'direct' },
  { name: 'pulse-card, bare tag', embed: bareCard, images: 'direct' },
  ...[liteYouTube, reactTweet, tableauPulse].map((embed) => ({ name: embed.name, embed, images: 'direct' as const })),
];

interface Row {
  readonly name: string;
  readonly chartMs: readonly number[];
  readonly downloads: number;
}

/** When the chart is painted over a slow connection, by turns. */
export async function chartTimes(browser: Browser, chart: Buffer): Promise<void> {
  const runs = new Map<string, (ChartFigures | undefined)[]>(RUNNERS.map(({ name }) => [name, []]));
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, embed, images } of RUNNERS) {
      const figures = await timeToChart({ embed, bundle: await bundleOf(embed), chart, browser }, images);
      if (round > 0) runs.get(name)?.push(figures);
    }
    console.log(`  time to chart: round ${round} of ${ROUNDS}`);
  }
  const rows = [...runs].map(([name, figures]): Row => {
    const painted = figures.filter((each) => each !== undefined);
    return {
      name,
      chartMs: painted.map(({ chartMs }) => chartMs),
      downloads: median(painted.map(({ downloads }) => downloads)),
    };
  });
  await writeResult({ name: 'time-to-chart', title: 'Time to chart', text: textOf(browser, chart, rows) });
}

function textOf(browser: Browser, chart: Buffer, rows: readonly Row[]): string {
  const limitMs = median(rows[0]?.chartMs ?? []);
  const cells = rows.map(({ name, chartMs, downloads }) => {
    if (chartMs.length === 0) return [name, undefined, undefined, undefined, undefined, undefined];
    return [
      name,
      Math.round(median(chartMs)),
      `${Math.round(Math.min(...chartMs))} to ${Math.round(Math.max(...chartMs))}`,
      (median(chartMs) / limitMs).toFixed(2),
      Math.round(median(chartMs) - limitMs),
      downloads,
    ];
  });
  return `
From the beginning of the navigation to the first paint of the chart (largest contentful paint, in the page or its frame), one instance in a column of
600 px in a window of 1000 by 800, in Chromium ${browser.version()}. The connection is "Slow 4G" as Chromium's developer tools have it:
${SLOW_4G.latency} ms for each request and ${SLOW_4G.downloadThroughput / 1_000} kB/s for all together; handshakes cost nothing. Nothing is cached. Scripts, style sheets and data are
compressed by brotli. Each embed shows the same PNG of 1600 by 900 (${chart.length.toLocaleString('en-US')} B). Medians of ${ROUNDS} rounds, by turns. The plain \`<img>\` knows the address of the chart
and is the limit. Images by the CDN: the BFF answers 302, which costs a request more. A redirect is not counted as a download.

${table(['', 'chart painted, ms', 'range, ms', 'of the limit', 'later than it, ms', 'downloads of the chart'], cells)}
`;
}
