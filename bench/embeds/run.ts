// Compares the card with other embeds: bytes, layout shift, requests, and time to chart and finding.
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { brotliBytes, bundleOf, versionOf } from './bundles.ts';
import { chartPicture } from './chart-picture.ts';
import { chromiumOptions } from '@pulse-card/testkit/browsers/chromium';
import { EMBEDS } from './contestants.ts';
import {
  type Contestant,
  INSTANCES,
  LATE_MS,
  layoutShiftOf,
  requestsOf,
  SLOW_4G,
  type Times,
  timesOf,
  WIDTHS,
} from './page.ts';

/** All measurements for one embed. */
interface Row {
  readonly name: string;
  readonly version: string;
  readonly scriptBytes: number;
  readonly shifts: readonly number[];
  readonly requests: { readonly data: number; readonly images: number };
  readonly times: readonly Times[];
}

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const rounds = values.short ? 3 : 5;
const browser = await chromium.launch(chromiumOptions());
const rows: Row[] = [];
try {
  const chart = await chartPicture(browser);
  const contestants: Contestant[] = [];
  for (const embed of EMBEDS) contestants.push({ embed, bundle: await bundleOf(embed), chart, browser });
  const times = await interleavedTimes(contestants);
  for (const [at, contestant] of contestants.entries()) rows.push(await rowOf(contestant, times[at]!));
} finally {
  await browser.close();
}
await report(rows);
checkDownloads(rows[1]!);

/** Measures all embeds in turn, so that a busy moment on the machine doesn't affect just one of them. */
async function interleavedTimes(contestants: readonly Contestant[]): Promise<readonly (readonly Times[])[]> {
  const times: Times[][] = contestants.map(() => []);
  // The first round is a warm-up and isn't counted.
  for (let round = 0; round <= rounds; round += 1) {
    console.log(`  Round ${round} of ${rounds}`);
    for (const [at, contestant] of contestants.entries()) {
      const measured = await timesOf(contestant);
      if (round > 0) times[at]!.push(measured);
    }
  }
  return times;
}

/** Fails if a chart is downloaded more than once. The card must reuse its snippet's image. */
function checkDownloads({ name, requests }: Row): void {
  if (requests.images === INSTANCES) return;
  console.error(`${name}: ${requests.images} image requests for ${INSTANCES} cards; expected ${INSTANCES}`);
  process.exitCode = 1;
}

async function rowOf(contestant: Contestant, times: readonly Times[]): Promise<Row> {
  const { embed, bundle } = contestant;
  const shifts = await Promise.all(WIDTHS.map((width) => layoutShiftOf(contestant, width)));
  const requests = await requestsOf(contestant);
  const scriptBytes = brotliBytes(bundle.script);
  return { name: embed.name, version: await versionOf(embed), scriptBytes, shifts, requests, times };
}

/** The median of the measured times. Undefined if there are none. */
function medianOf(times: readonly Times[], name: keyof Times): number | undefined {
  const known = times.map((each) => each[name]).filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.round(median(known));
}

async function report(measured: readonly Row[]): Promise<void> {
  const [limit, snippet] = measured;
  const limitMs = medianOf(limit!.times, 'chartMs')!;
  await writeResult({
    name: 'embeds',
    title: 'The card compared with other embeds',
    figures: {
      'script-bytes': snippet!.scriptBytes,
      'layout-shift': Math.max(...snippet!.shifts).toFixed(4),
      'chart-later-than-image-ms': medianOf(snippet!.times, 'chartMs')! - limitMs,
    },
    text: `
Measured with Chromium ${browser.version()}. Servers on this machine deliver every page, script, data response, and image. These servers imitate the endpoints that each embed needs, and no other host name resolves. Each embed uses the code from its documentation. For pulse-card, the script is the built file.

- **Bytes**: The size of the script and everything that it needs, minified, and compressed by brotli at level 11. Frames are not counted.
- **Layout shift**: The sum of all shifts while one instance loads in a column with text below it. The servers delay the script by ${LATE_MS.script} ms, data and frames by ${LATE_MS.data} ms, and images by ${LATE_MS.image} ms.
- **Requests**: The number of requests of ${INSTANCES} visible instances, which all have different ids.
- **Time to chart**: The time from the navigation to the first paint of the chart over "Slow 4G" (${SLOW_4G.latency} ms for each request, ${SLOW_4G.downloadThroughput / 1_000} kB/s for all requests together). Nothing is cached, and data is compressed. The figure is the median of ${rounds} runs, which alternate between the embeds. The plain \`<img>\` knows the URL of the chart, so no embed can be faster.
- **Time to finding**: The time until the text of a card is visible.

${table(
  [
    '',
    'version',
    'script',
    ...WIDTHS.map(({ widthPx }) => `shift at ${widthPx} px`),
    'requests: data, frames',
    'images',
    'chart painted, ms',
    'ratio',
    'finding, ms',
  ],
  measured.map(({ name, version, scriptBytes, shifts, requests, times }) => [
    name,
    version,
    scriptBytes,
    ...shifts.map((shift) => shift.toFixed(4)),
    requests.data,
    requests.images,
    medianOf(times, 'chartMs'),
    (medianOf(times, 'chartMs') ?? NaN) / limitMs,
    medianOf(times, 'findingMs'),
  ]),
)}
`,
  });
}
