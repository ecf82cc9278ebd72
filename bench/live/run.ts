// 5,000 live readers on one instance: memory, time from a change to the last reader, calls, a slow reader, a restart.
import { parseArgs } from 'node:util';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { audience, type AudienceFigures } from './audience.ts';
import { spreadOf } from './live-figures.ts';
import { restart } from './restart.ts';
import { slowReader } from './slow-reader.ts';

const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '5000' },
    /** Length of each rush. */
    seconds: { type: 'string', default: '90' },
  },
});
const readers = Number(values.readers);
const seconds = Number(values.seconds);

console.log(`Live: ${readers} readers, ${seconds} s`);
const audiences = [await audience({ readers: 1, seconds }), await audience({ readers, seconds })];
const slow = await slowReader();
const restarts = [await restart(readers, 'SIGTERM'), await restart(readers, 'SIGKILL')];

await writeResult({
  name: 'live',
  title: 'Live readers',
  text: `
\`node packages/bff/dist/main.js serve\` with defaults (60 calls a minute, 15 of them left to others), a recording upstream with ten sources that have a
new run every 20 s in the mean, and readers in a process of their own, each as a client of its own (\`X-Forwarded-For\`) with a page of three of
the sources. All three processes share the machine. A run says when it came into being; all clocks are the machine's.

${table(
  [
    'readers',
    'opened in ms',
    'refused',
    'memory each, KB',
    'heap each, KB',
    'calls a minute',
    'longest turn of the loop, ms',
    'changes told',
  ],
  audiences.map(audienceCells),
)}

"Memory each" is what the process grew by (resident, garbage that waits to be collected included), divided by its readers: for one it says nothing. "Heap each" is what V8 says is in use. "Calls a minute" are those that reached the service:
readers are demand, but make none themselves.

From a change at the service, in ms, over the changes that all readers of a source were told of:

${table(['readers', 'what', 'median', 'p99', 'max'], audiences.flatMap(deliveryRows))}

"Noticed" is from the change to the first reader: it is the planner's, who has 45 calls a minute for ten sources, and a source is not asked twice within
\`PULSE_FRESH_MS\` (15 s). "Told" is from the first reader to the last: it is the streams'.

A reader who does not read, beside one who does, at fifty sources with a new run every half second: cut after ${(slow.cutAfterMs / 1_000).toFixed(0)} s, when
the system's own buffers and 64 KiB of ours were full; the good reader had ${slow.eventsToGoodReader} events by then, ${(slow.sentBytes / 1e6).toFixed(2)} MB.

How ${readers} readers came back to a BFF that was started anew at once, by the second after the signal:

${table(
  ['second', ...restarts.map(({ title }) => title)],
  Array.from({ length: Math.max(...restarts.map(({ perSecond }) => perSecond.length)) }, (_, second) => [
    String(second),
    ...restarts.map(({ perSecond }) => perSecond[second] ?? 0),
  ]),
)}

${restarts.map(({ title, allBackInMs }) => `${title}: all back after ${(allBackInMs / 1_000).toFixed(1)} s.`).join(' ')} They come back as the card does: after
the \`retry:\` they were told (2 to 10 s), and up to half of it more.
`,
});

function audienceCells({
  readers,
  openedInMs,
  refused,
  bytesEach,
  callsPerMinute,
  before,
  after,
  deliveries,
}: AudienceFigures) {
  const memory = readers === 1 ? undefined : bytesEach / 1_024;
  const heap = readers === 1 ? undefined : (after.heapBytes - before.heapBytes) / readers / 1_024;
  return [readers, openedInMs, refused, memory, heap, callsPerMinute, after.maxTurnMs, deliveries.length];
}

function deliveryRows({ readers, deliveries }: AudienceFigures) {
  const row = (what: string, numbers: number[]) => {
    const { medianMs, p99Ms, maxMs } = spreadOf(numbers);
    return [readers, what, medianMs, p99Ms, maxMs];
  };
  return [
    row(
      'noticed',
      deliveries.map(({ toFirstMs }) => toFirstMs),
    ),
    row(
      'told',
      deliveries.map(({ spreadMs }) => spreadMs),
    ),
    row(
      'together',
      deliveries.map(({ toLastMs }) => toLastMs),
    ),
  ];
}
