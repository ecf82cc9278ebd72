// The most calls that reach the service in any minute, under demand far over the budget, steady and with kill -9.
import { parseArgs } from 'node:util';
import type { VisitFigures } from '../load/visit-figures.ts';
import { percent, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { spend, type SpendOptions } from './spend.ts';
import { LIMIT, RESERVE, type Spent } from './spent.ts';

const { values } = parseArgs({
  options: {
    /** Length of each run; the windows are real minutes, so fewer than 2 say little. */
    minutes: { type: 'string', default: '4' },
    sources: { type: 'string', default: '200' },
    'views-per-second': { type: 'string', default: '30' },
    /** Runs one after another instead of side by side. */
    serial: { type: 'boolean', default: false },
  },
});

const minutes = Number(values.minutes);
const common = { minutes, sources: Number(values.sources), viewsPerSecond: Number(values['views-per-second']) };
const killEveryMs = [2_000, 6_000] as const;
const plans: SpendOptions[] = [
  { title: 'steady, nothing kept', ...common },
  { title: 'steady, with PULSE_STATE_DIR', remembers: true, ...common },
  { title: 'kill -9, nothing kept', killEveryMs, ...common },
  { title: 'kill -9, with PULSE_STATE_DIR', remembers: true, killEveryMs, ...common },
  { title: 'answers after 0.8 to 4 s', remembers: true, latencyMs: [800, 4_000], ...common },
  { title: 'two hosts, one flapping', remembers: true, flapEveryMs: 5_000, ...common },
  { title: '25 calls a minute by another', remembers: true, othersPerMinute: 25, ...common },
];

console.log(`Budget: ${common.sources} sources, ${common.viewsPerSecond} views/s, ${minutes} min a run`);
const results = values.serial ? await oneByOne(plans) : await Promise.all(plans.map(spend));

await writeResult({
  name: 'budget',
  title: 'The budget at the upstream: most calls in any minute',
  text: `
Real processes, real 60-second windows. A recording upstream in a process of its own plays the service and notes each arrival on
the machine's monotonic clock, whatever it answers; \`node packages/bff/dist/main.js serve\` stands before it with defaults, save
${common.sources} ids in \`PULSE_SOURCES\` and no limit per client. Visitors come at ${common.viewsPerSecond} a second, unevenly (Zipf 1.1), for
${minutes} minutes a run: demand far over the budget. Killed processes live ${killEveryMs.join(' to ')} ms and are started again at once.
The window is any half-open minute; the limit is ${LIMIT}, of which ${RESERVE} are left to others. All runs but the first and the third have a
\`PULSE_STATE_DIR\`. The flapping host is up and down for 5 s each; what it refuses at its closed port is not counted.

${table(
  [
    'run',
    'kills',
    'calls',
    'most in any 60 s',
    'mean per 60 s',
    `of ${LIMIT - RESERVE}`,
    'got 429',
    'others',
    'others got 429',
  ],
  results.map((r) => [r.title, r.kills, ...spentCells(r)]),
)}

${table(
  [
    'run',
    'views',
    'answered',
    'stale',
    'refused',
    'cut',
    'failed though known',
    'never answered yet',
    'p50 ms',
    'p99 ms',
  ],
  results.map(({ title, visits }) => [title, ...visitCells(visits)]),
)}

"Mean" leaves the first minute out. "Refused" are views while the killed process was not back, "cut" those that it took along; "known"
is an id that had an answer, since the last kill where nothing is kept; "never answered yet" are ids whose first answer the budget had not bought.
`,
});

process.exitCode = results.some(({ maxInWindow }) => maxInWindow > LIMIT) ? 1 : 0;

function spentCells({ calls, maxInWindow, perWindow, shareUsed, refused, others, othersRefused }: Spent) {
  return [calls, maxInWindow, perWindow, percent(shareUsed), refused, others, othersRefused];
}

function visitCells(v: VisitFigures) {
  const { views, answered, stale, refused, cut, gaveUp, failedThoughKnown, failedUnknown, p50Ms, p99Ms } = v;
  return [views, answered, stale, refused, cut + gaveUp, failedThoughKnown, failedUnknown, p50Ms, p99Ms];
}

async function oneByOne(each: readonly SpendOptions[]): Promise<Spent[]> {
  const spent: Spent[] = [];
  for (const plan of each) spent.push(await spend(plan));
  return spent;
}
