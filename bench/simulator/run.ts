// Compares how fresh the BFF's planner, TTLs, and polling keep readers' views if all of them make the same number of
// calls. Uses a virtual clock.
import { parseArgs } from 'node:util';
import { writeResult } from '../report/write-result.ts';
import { CONTESTANTS, PROMISED } from './contestants.ts';
import { brokenPromises, measure, ratiosOf, scoreIn, type WorldResult } from './measure.ts';
import { reportOf } from './report.ts';
import { LIVING_WORLDS, SEEDS, SHORT_WORLDS, STILL_WORLDS } from './world-plan.ts';

/** The world whose figures the docs show: the BFF's defaults, with more sources than the calls can keep fresh. */
const WORLD_IN_DOCS = 'as delivered, 300 sources, 10 views/s';

const { values } = parseArgs({
  options: {
    /** Runs only one world of each kind and size that the promise covers, with three seeds, for three hours each. */
    short: { type: 'boolean', default: false },
    /** Runs the short form without writing a result, for `npm run check`. */
    gate: { type: 'boolean', default: false },
  },
});

const isShort = values.short || values.gate;
const seeds = isShort ? SEEDS.slice(0, 3) : SEEDS;
const results: WorldResult[] = [];
for (const plan of isShort ? SHORT_WORLDS : [...STILL_WORLDS, ...LIVING_WORLDS]) {
  const result = await measure(plan, seeds, isShort ? PROMISED : CONTESTANTS);
  const { toBound, toTtl } = ratiosOf(result);
  console.log(`  ${plan.name}: planner ${toBound.toFixed(2)} of the bound, ${toTtl.toFixed(2)} of the best TTL`);
  results.push(result);
}

const faults = results.flatMap(brokenPromises);
if (!values.gate) {
  await writeResult({
    name: 'freshness',
    title: 'Freshness: what readers gain from each call',
    figures: figuresFor(results.find(({ plan }) => plan.name === WORLD_IN_DOCS)!),
    text: reportOf(results, seeds, faults),
  });
}
for (const fault of faults) console.error(`Broken promise: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function figuresFor(result: WorldResult): Record<string, string> {
  const seconds = (name: Parameters<typeof scoreIn>[1]) => `${scoreIn(result, name).stalenessSeconds.toFixed(1)} s`;
  return {
    staleness: seconds('age index, learned'),
    'staleness-with-ttl': seconds('TTL, stale-while-revalidate'),
    'staleness-bound': `${result.boundSeconds.toFixed(1)} s`,
  };
}
