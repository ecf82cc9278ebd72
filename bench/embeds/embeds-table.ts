import type { Browser } from '@playwright/test';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { bundleOf, versionOf, type Weight, weightOf } from './bundles.ts';
import { bareCard, PEERS, pulseCard } from './contestants.ts';
import type { Contestant } from './measures/contestant.ts';
import { type FailureFigures, failureOf } from './measures/failure.ts';
import { layoutShiftOf, WIDTHS } from './measures/layout-shift.ts';
import { POLICIES, type PolicyFigures, underPolicy } from './measures/policies.ts';
import { type RequestFigures, type Requests, requestsOf } from './measures/requests.ts';
import { loadedTwice, type TwiceFigures } from './measures/twice.ts';

/** All that was measured of one embed. */
interface Row {
  readonly name: string;
  readonly version: string;
  readonly script: Weight;
  readonly style: Weight;
  readonly shifts: readonly number[];
  readonly requests: RequestFigures;
  readonly failure: FailureFigures | undefined;
  readonly policies: readonly PolicyFigures[];
  readonly twice: TwiceFigures | undefined;
}

/** The card beside what else a page can install. */
export async function embedsTable(browser: Browser, chart: Buffer): Promise<void> {
  const embeds = [pulseCard, bareCard, ...PEERS];
  const contestants: Contestant[] = await Promise.all(
    embeds.map(async (embed) => ({ embed, bundle: await bundleOf(embed), chart, browser })),
  );
  console.log('  embeds: endpoints that answer 500, all at once');
  const failures = await Promise.all(contestants.map(failureOf));
  const rows: Row[] = [];
  for (const [index, contestant] of contestants.entries()) {
    console.log(`  embeds: ${contestant.embed.name} (${index + 1} of ${contestants.length})`);
    rows.push(await rowOf(contestant, failures[index]));
  }
  await writeResult({
    name: 'embeds',
    title: 'The card beside other embeds',
    figures: { browser: browser.version(), rows },
    text: textOf(browser, rows),
  });
}

async function rowOf(contestant: Contestant, failure: FailureFigures | undefined): Promise<Row> {
  const { embed, bundle } = contestant;
  const shifts = await Promise.all(WIDTHS.map((width) => layoutShiftOf(contestant, width)));
  const requests = await requestsOf(contestant);
  const [twice, ...policies] = await Promise.all([
    embed.isPartOfPage ? undefined : loadedTwice(contestant),
    ...POLICIES.map((policy) => underPolicy(contestant, policy)),
  ]);
  const [script, style] = [weightOf(bundle.script), weightOf(bundle.style)];
  return {
    name: embed.name,
    version: await versionOf(embed),
    script,
    style,
    shifts,
    requests,
    failure,
    policies,
    twice,
  };
}

function textOf(browser: Browser, rows: readonly Row[]): string {
  return `
Chromium ${browser.version()}. Every page, script, datum and image came from servers on this machine that play each embed's own endpoints as far as needed;
no other address resolves. Each embed is written as its documentation has it. pulse-card is the built file and the markup of \`snippetFor()\`.

## Bytes

Each with all it needs, bundled by esbuild in one way (\`--bundle --minify --format=esm --target=es2022 --conditions=production,browser\`, legal comments off); pulse-card is the
file that the BFF serves. gzip at level 9, brotli at 11. react-tweet includes React and React DOM, which a page made with React has already; frames and what
they load are not counted.

${weightTable(rows)}

## Layout shift

The sum of shifts while one instance loads, script 700 ms late, data (or frame) 400 ms, image 200 ms, in a column with text below: 320 px in a window of 360 by 740,
600 px in 1000 by 800, 1200 px in 1300 by 1400. Style sheets that an embed's documentation asks for are in the page's head and not late.

${table(
  ['', ...WIDTHS.map(({ columnPx }) => `${columnPx} px`)],
  rows.map(({ name, shifts }) => [name, ...shifts.map((shift) => shift.toFixed(4))]),
)}

## Requests

Of 20 instances in view with an id each, 20 with one id, and 20 that are 12,000 px down. Half of the images of the snippet are 302s of the BFF to the
other half (\`PULSE_IMAGES=direct\`); an SVG cannot load an image lazily, so the snippet asks for its chart wherever it stands. "Other" is the icon of the page, which the browser wants.

${table(
  ['', '20 ids', '20 times one id', '20 off screen'],
  rows.map(({ name, requests: { different, same, offScreen } }) => [
    name,
    ...[different, same, offScreen].map(requestsText),
  ]),
)}

## When the endpoint answers 500

Requests in 12 s and what is visible; a button stands in brackets. Failing is what asks: data; for giscus the frame, where the
server's own error page stands then; for lite-youtube-embed and Shoelace, which bring no data, the image: their other content is the page's own, as is the quotation in
bluesky-post-embed. The answer carries no \`Retry-After\`; with one, as the BFF sends it, the card keeps to it.

${failureTable(rows)}

## Strict pages

Violations of \`default-src 'none'; script-src B; connect-src B; img-src C; require-trusted-types-for 'script'\` with ${POLICIES.map((policy) => `\`${policy}\``).join(' and with ')};
where an embed's documentation has a style sheet or a frame, \`style-src B\` or \`frame-src B\` is added for it. A refused policy is itself reported as a violation
of \`trusted-types\`; what counts there is what the page suffers.

${policyTable(rows)}

## The same script twice

From two addresses, on one page.

${table(
  ['', 'uncaught errors', 'warnings', 'shows its content'],
  rows.map(({ name, twice }) => [
    name,
    twice ? briefly(twice.uncaught) : 'part of the page’s own script',
    twice?.warnings.length,
    twice ? (twice.text ? 'yes' : 'no') : undefined,
  ]),
)}
`;
}

function weightTable(rows: readonly Row[]): string {
  // The same file, whatever the markup.
  const files = rows.filter(({ name }) => name !== bareCard.name);
  return table(
    ['', 'version', 'script', 'gzip', 'brotli', 'style sheet', 'gzip', 'brotli'],
    files.map(({ name, version, script, style }) => [
      name,
      version,
      ...[script, style].flatMap(({ minified, gzip, brotli }) => [minified, gzip, brotli]),
    ]),
  );
}

function failureTable(rows: readonly Row[]): string {
  return table(
    ['', 'requests in 12 s', 'visible after 12 s', 'visible after 20 s', 'uncaught errors'],
    rows.map(({ name, failure }) => [
      name,
      failure?.requestsIn12s,
      failure ? seen(failure.textAt12s) : 'asks for nothing',
      failure ? seen(failure.textAt20s) : 'asks for nothing',
      failure?.uncaught.length,
    ]),
  );
}

function policyTable(rows: readonly Row[]): string {
  const head = POLICIES.flatMap((policy) => [`\`${policy}\`: violations`, 'uncaught errors', 'visible']);
  return table(
    ['', ...head],
    rows.map(({ name, policies }) => [
      name,
      ...policies.flatMap(({ violations, uncaught, text }) => [
        violations.length === 0 ? '0' : `${violations.length} (${[...new Set(violations)].join(', ')})`,
        uncaught.length,
        seen(text, 40),
      ]),
    ]),
  );
}

function requestsText(requests: Requests): string {
  const parts = Object.entries(requests).map(([kind, count]) => `${count} ${kind}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function briefly(errors: readonly string[]): string {
  return errors.length === 0 ? 'none' : errors.map((error) => error.split(': ').at(-1)).join('; ');
}

/** The beginning of a text, as a cell. */
function seen(text: string, limit = 90): string {
  const displayed = text.length > limit ? `${text.slice(0, limit)} …` : text;
  return displayed.replaceAll('|', '\\|') || '(nothing)';
}
