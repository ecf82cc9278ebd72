import type { Browser } from '@playwright/test';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { bundleOf } from './bundles.ts';
import { eagerCard, pulseCard, shoelace } from './contestants.ts';
import type { Embed } from './embed.ts';
import { type HundredFigures, hundredOf } from './measures/hundred.ts';

const ROUNDS = 5;
const BELOW_PX = 200;

/** Everyone who takes part, with what it means to be ready. */
const RUNNERS: readonly { readonly embed: Embed; readonly isReady: string }[] = [
  {
    embed: eagerCard,
    isReady: `(all => all.length === 100 && all.every(card => card.state === 'ready'))([...document.querySelectorAll('pulse-card')])`,
  },
  {
    embed: pulseCard,
    isReady: `(near => near.length > 0 && near.every(card => card.state === 'ready'))([...document.querySelectorAll('pulse-card')].filter(card => card.getBoundingClientRect().top < innerHeight + ${BELOW_PX}))`,
  },
  {
    embed: shoelace,
    isReady: `(all => all.length === 200 && all.every(each => each.hasUpdated))([...document.querySelectorAll('sl-card, sl-details')])`,
  },
];

/** A hundred cards on a page, and a hundred of Shoelace's, by turns. */
export async function hundredCards(browser: Browser, chart: Buffer): Promise<void> {
  const runs = new Map<string, HundredFigures[]>(RUNNERS.map(({ embed }) => [embed.name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { embed, isReady } of RUNNERS) {
      const contestant = { embed, bundle: await bundleOf(embed), chart, browser };
      runs.get(embed.name)?.push(await hundredOf(contestant, isReady));
    }
    console.log(`  100 cards: round ${round} of ${ROUNDS}`);
  }
  const medians = [...runs].map(([name, figures]) => ({ name, ...mediansOf(figures) }));
  await writeResult({
    name: 'hundred-cards',
    title: 'A hundred cards on one page',
    figures: { browser: browser.version(), medians, runs: Object.fromEntries(runs) },
    text: textOf(browser, medians),
  });
}

function mediansOf(runs: readonly HundredFigures[]): HundredFigures {
  const names = Object.keys(runs[0] ?? {}) as (keyof HundredFigures)[];
  return Object.fromEntries(
    names.map((name) => [name, median(runs.map((run) => run[name]))]),
  ) as unknown as HundredFigures;
}

function textOf(browser: Browser, medians: readonly ({ readonly name: string } & HundredFigures)[]): string {
  const rows = medians.map((m) => [
    m.name,
    Math.round(m.readyMs),
    Math.round(m.scriptMs),
    Math.round(m.styleAndLayoutMs),
    m.longTasks,
    Math.round(m.maxTaskMs),
    m.heapMiB,
    m.nodes,
    m.listeners,
    m.dataRequests,
    m.imageRequests,
  ]);
  const head = [
    '',
    'all ready, ms',
    'scripts, ms',
    'style and layout, ms',
    'long tasks',
    'longest, ms',
    'JS heap, MiB',
  ];
  return `
Chromium ${browser.version()}, one column of 600 px in a window of 1000 by 800, everything from this machine and at once, no cache; medians of
${ROUNDS} rounds, by turns. Each card has an id and an image of its own (1600 by 900). "Ready": each \`<pulse-card>\` is in the state \`ready\`, the answer
fetched, checked and shown; each \`<sl-card>\` and \`<sl-details>\` has rendered what the page brought with it, for they ask for nothing. The card as a
page gets it by default is lazy: there, ready are those near the window, and the rest asks for nothing until it is. Scripts, style and layout are
times of the page's main thread (DevTools \`Performance.getMetrics\`) 1.5 s after that; long tasks are those over 50 ms; the heap is that of the whole page after
garbage collection.

${table([...head, 'DOM nodes', 'listeners', 'data requests', 'image requests'], rows)}

A request for data carries 50 ids, so a hundred cards ask in two.
`;
}
