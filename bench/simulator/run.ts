import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RESULTS, writeResult } from '../report/write-result.ts';
import { CONTESTANTS, PROMISED } from './contestants.ts';
import { brokenPromises, ratiosOf } from './gates.ts';
import { measure, type WorldResult } from './measure.ts';
import { rulePlot, stalenessPlot, waitingPlot } from './plots.ts';
import { reportOf } from './report.ts';
import { LIVING_WORLDS, SEEDS, SHORT_WORLDS, STILL_WORLDS } from './world-plan.ts';

/** The world in which most readers would find themselves, of those that show both staleness and waiting. */
const DISPLAYED_WORLD = 'living, 300 sources, 10 views/s';

const { values } = parseArgs({
  options: {
    /** Only what the promise needs, on three seeds and three hours each, written nowhere: the gate of `npm run check`. */
    short: { type: 'boolean', default: false },
  },
});

const seeds = values.short ? SEEDS.slice(0, 3) : SEEDS;
const results: WorldResult[] = [];
for (const plan of values.short ? SHORT_WORLDS : [...STILL_WORLDS, ...LIVING_WORLDS]) {
  const result = await measure(plan, seeds, values.short ? PROMISED : CONTESTANTS);
  const { toBound, toTtl } = ratiosOf(result);
  console.log(
    `  ${plan.name}: index ${toBound.toFixed(2)} of the bound, index and price ${toTtl.toFixed(2)} of the best TTL`,
  );
  results.push(result);
}

const faults = results.flatMap(brokenPromises);
if (!values.short) {
  const displayed = results.find(({ plan }) => plan.name === DISPLAYED_WORLD);
  await writeResult({
    name: 'freshness',
    title: 'Freshness: what readers gain from each call',
    figures: { seeds, worlds: results },
    text: reportOf(results, seeds, faults),
  });
  await draw('staleness', stalenessPlot(results.filter(({ plan }) => !plan.name.startsWith('still'))));
  await draw('rule', rulePlot());
  if (displayed) await draw('waiting', waitingPlot(displayed));
}
for (const fault of faults) console.error(`Broken promise: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function draw(name: string, svg: string): Promise<void> {
  await writeFile(join(RESULTS, `freshness-${name}.svg`), svg);
}
