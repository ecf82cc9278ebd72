// Runs several instances, Redis, and an upstream under schedules of random failures. Checks the invariants after each
// schedule.
import { parseArgs } from 'node:util';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { INVARIANTS } from './invariants.ts';
import { judge, type Freshness } from './judge.ts';
import { liveThrough } from './under-schedule.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    schedules: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    instances: { type: 'string', default: '3' },
    parallel: { type: 'string', default: '3' },
  },
});
const schedules = Number(values.schedules || (values.short ? '30' : '200'));
const firstSeed = Number(values.seed);
const [instances, parallel] = [Number(values.instances), Number(values.parallel)];
const SPAN = { calmBeforeMs: 10_000, chaosMs: 14_000, calmAfterMs: 33_000 };

const results: Freshness[] = [];
const seeds = Array.from({ length: schedules }, (_, index) => firstSeed + index);
const waiting = [...seeds];
/** Seeds that this machine was too busy to run. They say nothing about the product. */
const notLived: number[] = [];
await Promise.all(Array.from({ length: parallel }, work));
await report();
if (notLived.length > 0 || results.some(({ broken }) => Object.keys(broken).length > 0)) process.exitCode = 1;

async function work(): Promise<void> {
  for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
    try {
      const result = judge(await liveThrough(seed, instances, SPAN));
      results.push(result);
      say(result);
    } catch (error) {
      notLived.push(seed);
      console.error(`seed ${seed} could not be lived through: ${String(error)}`);
    }
  }
}

function say({ seed, broken, degradations, maxInWindow, shareUsedInCalm }: Freshness): void {
  const faults = Object.entries(broken);
  const used = `most in a window ${maxInWindow}, ${(shareUsedInCalm * 100).toFixed(0)} % used in calm`;
  console.log(`[${results.length}/${schedules}] seed ${seed}: ${faults.length === 0 ? 'all hold' : 'BROKEN'}; ${used}`);
  for (const [name, each] of faults) console.log(`    ${name}: ${each.length} times; ${each.slice(0, 3).join('; ')}`);
  if (faults.length > 0) for (const degradedReason of degradations) console.log(`    ${degradedReason}`);
}

async function report(): Promise<void> {
  const used = results.map(({ shareUsedInCalm }) => shareUsedInCalm);
  const brokenBy = (name: string) => results.filter(({ broken }) => name in broken);
  await writeResult({
    name: 'nemesis',
    title: 'Many instances under random failures',
    figures: {
      schedules: results.length,
      broken: results.filter(({ broken }) => Object.keys(broken).length > 0).length,
    },
    text: `
${results.length} of ${schedules} schedules (seeds ${seeds[0]} to ${seeds.at(-1)}), each with ${instances} real processes, its own Redis (one schedule in four: one process without Redis) and an upstream that writes down each arrival; ${parallel} at a time. One schedule in three has a source that the service can never read.
Could not be started on this machine, and are not counted: ${notLived.length === 0 ? 'none' : notLived.join(', ')}.
${SPAN.calmBeforeMs / 1_000} s of calm, ${SPAN.chaosMs / 1_000} s with 3 to 7 failures of 0.5 to 8 s (a process killed, stopped by SIGTERM, standing still or cut off from Redis, its disk full,
its clock five minutes wrong; Redis killed, standing still or emptied; hosts that refuse, cut, hang, trickle, answer 429, 503, half a body, a gateway's page with its own rate headers, a 404 of nginx, Fastify or Spring, odd
rows, another account), ${SPAN.calmAfterMs / 1_000} s of calm. The account allows 30 calls in 8 s, 6 of them left to others.

${table(
  ['', 'what must hold', 'schedules that broke it', 'seeds'],
  Object.entries(INVARIANTS).map(([name, { says }]) => [
    name,
    says,
    brokenBy(name).length,
    brokenBy(name)
      .map(({ seed }) => seed)
      .join(' '),
  ]),
)}

${table(
  ['', 'lowest', 'median', 'highest'],
  [
    ['most calls in a window (limit 30)', ...spread(results.map(({ maxInWindow }) => maxInWindow))],
    ['used of what may be spent, last window of calm', ...spread(used)],
    ['visitors', ...spread(results.map(({ visitors }) => visitors))],
    ['looks at an instance that had lost sight of the others', ...spread(results.map(({ blindLooks }) => blindLooks))],
  ],
)}
`,
  });
}

function spread(figures: readonly number[]): [number, number, number] {
  return [Math.min(...figures), median(figures), Math.max(...figures)];
}
