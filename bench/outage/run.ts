// An hour without the service, for the BFF and for caches that serve what is old: calls, failures, recovery.
import { parseArgs } from 'node:util';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { type SetUp, setUpBff, setUpCache } from './participants.ts';
import { passHour } from './hour.ts';
import { bentocacheAtOnce, bentocacheSoft } from '../competitors/bentocache.ts';
import { cachifiedCache } from '../competitors/cachified.ts';
import { lruCacheFetch } from '../competitors/lru-cache-fetch.ts';
import { undiciCache } from '../competitors/undici-cache.ts';
import { scaledBy } from './scale.ts';

const { values } = parseArgs({
  options: {
    /** An hour takes 3600 / scale seconds; 1 is a real hour. */
    scale: { type: 'string', default: '60' },
    'views-per-second': { type: 'string', default: '50' },
    /** Leaves the competitors out. */
    alone: { type: 'boolean', default: false },
  },
});
const scale = Number(values.scale);
const viewsPerSecond = Number(values['views-per-second']);
const caches = [lruCacheFetch, cachifiedCache, bentocacheAtOnce, bentocacheSoft, undiciCache].map(setUpCache);
const setUps: SetUp[] = [setUpBff, ...(values.alone ? [] : caches)];

console.log(`Outage: an hour in ${3600 / scale} s, ${viewsPerSecond} views/s for each of ${setUps.length}`);
const figures = await Promise.all(setUps.map((setUp) => passHour(setUp, { scale, viewsPerSecond })));
const { freshMs, timeoutMs, windowMs } = scaledBy(scale);

await writeResult({
  name: 'outage',
  title: `An hour without the service${scale === 1 ? '' : `, in ${3600 / scale} s`}`,
  text: `
Each participant has a service of its own (a recording upstream in a process of its own, ten sources) and visitors of its own, ${viewsPerSecond} a second,
in the same run. After 20 s both hosts cut every connection they are offered, counting it, for ${3600 / scale} s; then they are back. Times are
the defaults divided by ${scale}: fresh for ${freshMs} ms, a deadline of ${timeoutMs} ms, a window of ${windowMs} ms; what has no variable, such as the BFF's backoff,
is not divided. The BFF runs as a process and is asked over HTTP; the others are libraries in the process that asks. undici's
cache follows \`Cache-Control\`, which the spec's service does not send and this one does (whole seconds, so \`max-age\` is at least 1).

${table(
  [
    '',
    'attempts while down',
    `max in any ${windowMs} ms`,
    'views while down',
    'failed though known',
    'p50 ms',
    'p99 ms',
  ],
  figures.map(({ name, attempts, maxAttemptsInWindow, visits: v }) => [
    name,
    attempts,
    maxAttemptsInWindow,
    v.views,
    v.failedThoughKnown + v.refused + v.cut + v.gaveUp,
    v.p50Ms,
    v.p99Ms,
  ]),
)}

${table(
  ['', 'calls before', 'first good answer after, ms', 'every source anew after, ms', 'calls in the 10 s after'],
  figures.map((f) => [f.name, f.callsBefore, f.firstGoodMs, f.allGoodMs, f.callsIn10SecondsAfter]),
)}

Attempts are connections that the service was offered. A peer's failure is a rejected read, the BFF's a status other than 200.
`,
});
