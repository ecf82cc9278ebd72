// Lets slow, silent, and hostile clients attack one process that has 128 MiB of memory. Measures its memory usage, its
// responses to well-behaved clients, and its calls to the service. Then counts its requests from readers of live cards.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import type { RateFigures, RateOptions } from './fixed-rate.ts';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { residentMiBOf } from '../report/proc.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { LIVELY_MS } from '@pulse-card/testkit/service/changing-world';
import { spawnFakeService } from '@pulse-card/testkit/service/control';
import { pathOf } from '@pulse-card/testkit/system/ask';
import { footprintOf } from './footprint.ts';
import { LIVE_PROGRAMS, measureLive } from './live.ts';
import { type Answers, ATTACKS } from './attacks.ts';

const run = promisify(execFile);

/**
 * The well-behaved clients, which send as many requests as readers of a popular page. The machine could handle many
 * more requests.
 */
const GOOD = { perSecond: 100, connections: 10 };

/** How long the well-behaved clients are measured without an attack and with one. */
const CALM_SECONDS = 8;
const ATTACKED_SECONDS = 12;

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });

const missing = LIVE_PROGRAMS.filter((program) => pathOf(program) === undefined);
if (missing.length > 0) throw new Error(`load needs ${missing.join(' and ')}. Debian: apt-get install nginx varnish`);

const upstream = await spawnFakeService({ sources: 10, latencyMs: [20, 80], changeEveryMs: LIVELY_MS });
const bff = await BffProcess.start({
  upstream,
  isQuiet: true,
  env: {
    NODE_OPTIONS: '--max-old-space-size=128',
    PULSE_SOURCES: upstream.ids.join(','),
    // Nothing becomes stale during the run, so every call is caused by an attack.
    PULSE_FRESH_MS: '86400000',
    PULSE_RATE_WINDOW_MS: '1000',
  },
});
const port = Number(new URL(bff.url).port);
for (const id of upstream.ids) await (await fetch(`${bff.url}/v1/sources/${id}/pulse`)).arrayBuffer();
await pause(2_000);

interface Report {
  readonly name: string;
  readonly calm: RateFigures;
  readonly attacked: RateFigures;
  readonly attack: Answers;
  readonly maxMemory: number;
  readonly calls: number;
}

const reports: Report[] = [];
for (const name of Object.keys(ATTACKS)) {
  reports.push(await reportOf(name));
  const { attack, calm, attacked, calls, maxMemory } = reports.at(-1)!;
  console.log(`  ${name}: ${JSON.stringify({ attack, calm, attacked, calls, maxMemory })}`);
}
const isAlive = (await fetch(`${bff.url}/readyz`)).ok;
await bff.stop();
await upstream.close();

const footprints = [await footprintOf(10), await footprintOf(1_000)];
const live = await measureLive(values.short ? 40 : 120);

await writeResult({
  name: 'load',
  title: 'Memory, and slow, silent, and hostile clients',
  figures: {
    'memory-10-sources': `${footprints[0]!.memoryMiB} MiB`,
    'memory-1000-sources': `${footprints[1]!.memoryMiB} MiB`,
    'memory-under-attack': `${Math.max(...reports.map(({ maxMemory }) => maxMemory))} MiB`,
    'start-ms': footprints[0]!.startMs,
    ...live.figures,
  },
  text: `
## Memory and start

The table shows a BFF process after one request for each source. Node has the option of the image, \`--max-semi-space-size=4\`. The start is the time from the launch of the process to the first 200 of \`/healthz\`.

${table(
  ['sources', 'start, ms', 'resident memory, MiB'],
  footprints.map(({ sources, startMs, memoryMiB }) => [sources, startMs, memoryMiB]),
)}

## Attacks

One BFF process runs with \`--max-old-space-size=128\`. The BFF's limit per client is off, because all clients have the same IP address. The BFF's ten sources stay fresh, so every call to the service is caused by an attack. Good clients send ${GOOD.perSecond} requests per second for one pulse over ${GOOD.connections} connections, from a separate process. The time of a request is measured from the moment when the client should send it. The good clients are measured for ${CALM_SECONDS} s without the attack, and then for ${ATTACKED_SECONDS} s, which start 1 s after the attack began. The attackers run in a third process. All processes share the machine's cores.

After the attacks, the process was ${isAlive ? 'ready' : 'NOT READY'}.

${table(
  [
    'attack',
    'responses',
    'calls to the service',
    'failed requests from good clients',
    'p99 of good clients without attack, ms',
    'p99 of good clients under attack, ms',
    'largest memory, MiB',
  ],
  reports.map((report) => [
    ATTACKS[report.name]!.title,
    Object.entries(report.attack)
      .map(([status, times]) => `${status} × ${times.toLocaleString('en-US')}`)
      .join(', '),
    report.calls,
    report.attacked.failures,
    report.calm.p99Ms,
    report.attacked.p99Ms,
    report.maxMemory,
  ]),
)}
${live.text}`,
});

async function reportOf(name: string): Promise<Report> {
  const calm = await goodClients(CALM_SECONDS);
  const callsBefore = (await upstream.arrivals()).length;
  const watch = watchMemory();
  const [attack, attacked] = await Promise.all([
    attackOf(name),
    pause(1_000).then(() => goodClients(ATTACKED_SECONDS)),
  ]);
  const maxMemory = watch.stop();
  const calls = (await upstream.arrivals()).length - callsBefore;
  return { name, calm, attacked, attack, maxMemory, calls };
}

async function attackOf(name: string): Promise<Answers> {
  const args = ['--conditions=source', join(import.meta.dirname, 'attacks.ts'), name, String(port)];
  return JSON.parse((await run(process.execPath, args)).stdout) as Answers;
}

async function goodClients(seconds: number): Promise<RateFigures> {
  const options: RateOptions = { ...GOOD, seconds, url: `${bff.url}/v1/sources/${upstream.ids[0]}/pulse` };
  const script = join(import.meta.dirname, './fixed-rate.ts');
  return JSON.parse((await run(process.execPath, [script, JSON.stringify(options)])).stdout) as RateFigures;
}

/** Reads the process's memory usage five times a second. */
function watchMemory(): { stop(): number } {
  let max = 0;
  const timer = setInterval(() => (max = Math.max(max, residentMiBOf(bff.pid) ?? NaN)), 200);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}
