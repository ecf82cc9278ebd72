// Three instances on one Redis: calls for a cold id, and what readers notice while Redis is killed, frozen, flushed, read-only.
import { parseArgs } from 'node:util';
import { requirePrograms } from '../process/required-programs.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { type ColdFigures, coldId } from './cold-id.ts';
import { loseRedis, type LostFigures, LOSSES } from './lost-redis.ts';

requirePrograms('redis-server');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Readers of the cold id at each instance. */
    visitors: { type: 'string', default: '500' },
    /** How long Redis is lost. */
    seconds: { type: 'string', default: '40' },
    'views-per-second': { type: 'string', default: '15' },
  },
});

const LIMIT = 60;
const [rounds, visitors, secondsLost] = [Number(values.rounds), Number(values.visitors), Number(values.seconds)];
const viewsPerSecond = Number(values['views-per-second']);

console.log(
  `Instances: ${rounds} rounds of ${visitors} readers at each of 3, then Redis lost for ${secondsLost} s, four ways`,
);
const cold = await coldId(rounds, visitors);
const lost: LostFigures[] = [];
for (const loss of LOSSES)
  lost.push(await loseRedis(loss, { secondsBefore: 30, secondsLost, secondsAfter: 60, viewsPerSecond }));

await writeResult({
  name: 'instances',
  title: 'Three instances on one Redis',
  text: `
Real processes: \`node packages/bff/dist/main.js serve\` three times, one Redis server, and a recording upstream that notes each arrival
and enforces 60 calls in any 60 s.

## An id that nobody knew

${visitors} readers at each of three instances at once, ${rounds} rounds, an id each. The instance that is killed has the call in its hand: its own readers
lose their connections, those of the others wait for a second call.

${table(
  ['case', 'readers', 'calls, round by round', 'what readers got', 'slowest, ms'],
  cold.map((each) => [
    each.title,
    each.rounds * each.visitors,
    each.calls.join(', '),
    words(each),
    Math.round(each.slowestMs),
  ]),
)}

## Redis lost under readers

Ten ids that are known, ${viewsPerSecond} readers a second at each instance, 30 s before, ${secondsLost} s without Redis, 60 s after. Failures are all answers but 200, and all
connections without one. The first five seconds are those in which an instance may still wait for Redis.

${table(
  [
    'Redis is',
    'readers',
    'failures',
    'p99 before, ms',
    'p99 without',
    'p99 in the first 5 s',
    'p99 after',
    `max calls in any 60 s (of ${LIMIT})`,
    'calls without',
    'all joined again after, ms',
  ],
  lost.map((each) => [
    each.title,
    each.before.views + each.during.views + each.after.views,
    each.failures,
    each.before.p99Ms,
    each.during.p99Ms,
    each.p99FirstMs,
    each.after.p99Ms,
    each.maxInWindow,
    each.callsDuring,
    Math.round(each.recoveredMs),
  ]),
)}

p99 holds readers who were let wait for a fresh answer, up to half a second, as readers of one instance are, too.
`,
});

process.exitCode = lost.some(({ failures, maxInWindow }) => failures > 0 || maxInWindow > LIMIT) ? 1 : 0;

function words({ replies }: ColdFigures): string {
  return Object.entries(replies)
    .map(([said, count]) => `${count} × ${said}`)
    .join(', ');
}
