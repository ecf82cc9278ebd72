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
/** Seeds that this machine was too busy to run. Such seeds don't count for or against the product. */
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
      console.error(`Cannot run the schedule of seed ${seed}: ${String(error)}`);
    }
  }
}

function say({ seed, broken, degradations, maxInWindow, shareUsedInCalm }: Freshness): void {
  const faults = Object.entries(broken);
  const used = `at most ${maxInWindow} calls in a window, ${(shareUsedInCalm * 100).toFixed(0)} % used in the last one`;
  console.log(
    `[${results.length}/${schedules}] seed ${seed}: ${faults.length === 0 ? 'no violations' : 'VIOLATIONS'}; ${used}`,
  );
  for (const [name, each] of faults)
    console.log(`    ${name} violated ${each.length} times: ${each.slice(0, 3).join('; ')}`);
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
Of ${schedules} schedules (seeds ${seeds[0]} to ${seeds.at(-1)}), ${results.length} ran to the end, ${parallel} at a time. Each schedule has ${instances} real processes, its own Redis, and an upstream that records every call. One schedule in four has a single process without Redis. One schedule in three has a source that the service can never read. Seeds that could not be started on this machine, and are not counted: ${notLived.length === 0 ? 'none' : notLived.join(', ')}.

Each schedule has three phases: ${SPAN.calmBeforeMs / 1_000} s without failures, ${SPAN.chaosMs / 1_000} s with 3 to 7 failures of 0.5 to 8 s, and ${SPAN.calmAfterMs / 1_000} s without failures. The account allows 30 calls in 8 s, and
6 of them are left for others. These are the failures:

- A process is killed, stopped by SIGTERM, frozen, or cut off from Redis. The disk of a process is full, or a process's clock is off by five minutes.
- Redis is killed, frozen, or emptied.
- A host of the upstream refuses or cuts connections, hangs, or sends slowly. A host answers with 429, with 503, with half a body, or with malformed rows.
- A gateway answers with its own page and its own rate headers, or nginx, Fastify, or Spring answers with 404.
- The key belongs to a different account.

${table(
  ['', 'what must hold', 'schedules that violated it', 'seeds'],
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
    ['share of the allowed calls that is used in the last window', ...spread(used)],
    ['visitors', ...spread(results.map(({ visitors }) => visitors))],
    ['checks that found an instance cut off from the others', ...spread(results.map(({ blindLooks }) => blindLooks))],
  ],
)}
`,
  });
}

function spread(figures: readonly number[]): [number, number, number] {
  return [Math.min(...figures), median(figures), Math.max(...figures)];
}
