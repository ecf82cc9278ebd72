import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from '../report/table.ts';
import { RESULTS, writeResult } from '../report/write-result.ts';
import { startChromium } from './browsers/chromium.ts';
import type { Driver } from './browsers/driver.ts';
import { startFirefox } from './browsers/firefox.ts';
import { type CheckResult, runChecks } from './browsers/run-checks.ts';
import { startWebKit } from './browsers/webkit.ts';
import { bundleOf } from './bundles.ts';
import { pulseCard } from './contestants.ts';

const PICTURES = 'browsers';
const STARTS = { chromium: startChromium, firefox: startFirefox, webkit: startWebKit } as const;

interface Outcome {
  readonly title: string;
  readonly protocol: string;
  readonly results: readonly CheckResult[];
}

/** The same promises of the card in every browser that can be started here, with a picture of each. */
export async function browsers(chart: Buffer): Promise<void> {
  const bundle = await bundleOf(pulseCard);
  await mkdir(join(RESULTS, PICTURES), { recursive: true });
  const outcomes: Outcome[] = [];
  for (const [name, start] of Object.entries(STARTS)) {
    const outcome = await outcomeOf(start, (driver) => runChecks(driver, bundle, chart));
    console.log(
      `  ${outcome.title}: ${outcome.results.filter(({ fault }) => fault === undefined).length} promises kept`,
    );
    for (const { name: check, picture } of outcome.results) {
      if (picture) await writeFile(join(RESULTS, PICTURES, `${name}-${check}.png`), picture);
    }
    outcomes.push(outcome);
  }
  await writeResult({
    name: 'browsers',
    title: 'The card in other browsers',
    figures: outcomes.map(({ results, ...facts }) => ({
      ...facts,
      results: results.map(({ name, promise, fault }) => ({ name, promise, fault })),
    })),
    text: textOf(outcomes),
  });
}

async function outcomeOf(
  start: () => Promise<Driver>,
  run: (driver: Driver) => Promise<CheckResult[]>,
): Promise<Outcome> {
  try {
    await using driver = await start();
    const { title, protocol } = driver;
    return { title, protocol, results: await run(driver) };
  } catch (error) {
    return { title: String(error instanceof Error ? error.message : error), protocol: 'not run', results: [] };
  }
}

function textOf(outcomes: readonly Outcome[]): string {
  const ran = outcomes.filter(({ results }) => results.length > 0);
  const missing = outcomes.filter(({ results }) => results.length === 0);
  const promises = ran[0]?.results ?? [];
  const rows = promises.map(({ promise }, index) => [
    promise,
    ...ran.map(({ results }) => (results[index]?.fault === undefined ? 'yes' : `NO: \`${results[index].fault}\``)),
  ]);
  const notes = missing.map(({ title }) => `- ${title}`).join('\n');
  return `
The built file in the page that \`snippetFor()\` makes, from a server on this machine. Every line was asked of the browser itself; a run leaves a picture
of each in \`bench/results/${PICTURES}/\`.

${ran.map(({ title, protocol }) => `- ${title} (${protocol})`).join('\n')}
${notes}

${table(['the card …', ...ran.map(({ title }) => title)], rows)}

WebKitGTK is the engine of Safari as Linux has it; Safari itself runs on Apple's systems alone.
`;
}
