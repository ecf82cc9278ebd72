// What nginx and Varnish take over from the BFF's own headers, and what one and two instances carry behind nginx.
import { parseArgs } from 'node:util';
import { maxRequests } from '../hit-path/max-requests.ts';
import { BffProcess } from '../process/bff-process.ts';
import { cpuSecondsOf } from '../process/cpu-time.ts';
import { requirePrograms } from '../process/required-programs.ts';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { answersOf } from './answers-of.ts';
import { startBalancer } from './balancer.ts';
import type { Front } from './front.ts';
import { startNginxFront } from './nginx-front.ts';
import { letReadersCome, type ReaderFigures } from './readers.ts';
import { startVarnishFront } from './varnish-front.ts';

requirePrograms('wrk', 'nginx', 'varnishd', 'taskset');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    'reader-seconds': { type: 'string', default: '30' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const readerSeconds = Number(values['reader-seconds']);
const SERVER_CORE = 0;
const LOAD_CORE = 1;
const CONNECTIONS = 64;
const RATES = [1, 10, 100];
const HEADERS = { 'Accept-Encoding': 'gzip' };

const upstream = await spawnUpstream({ sources: 10 }, LOAD_CORE);
const env = { PULSE_CLIENT_RATE: '0', TRUST_PROXY: '1', PULSE_RATE_LIMIT: '30', PULSE_RATE_RESERVE: '5' };
const start = () => BffProcess.start({ upstream, env, core: SERVER_CORE, isQuiet: true });
const bffs = [await start(), await start()] as const;
const paths = upstream.ids.map((id) => `/v1/sources/${id}/pulse`);
const alone: Front = { name: 'the BFF alone', url: bffs[0].url, pid: bffs[0].pid, stop: async () => undefined };
const caches = [await startNginxFront(bffs[0].url, { core: SERVER_CORE }), await startVarnishFront(bffs[0].url)];
const balancers = [
  await startBalancer([bffs[0].url], SERVER_CORE),
  await startBalancer(
    bffs.map(({ url }) => url),
    SERVER_CORE,
  ),
];

try {
  await warmUp();
  const shares = await takenOver();
  const max = await throughput();
  await report(shares, max);
} finally {
  await Promise.all([...caches, ...balancers, ...bffs].map((each) => each.stop()));
  await upstream.close();
}

/** All pulses are there, in all instances. */
async function warmUp(): Promise<void> {
  for (const { url } of [...bffs, ...caches, ...balancers])
    for (let last = 0, until = performance.now() + 90_000; last < paths.length && performance.now() < until;)
      last +=
        (await letReadersCome({ url, paths: [paths[last]!], perSecond: 10, seconds: 0.1 })).failures === 0 ? 1 : 0;
}

interface Share extends ReaderFigures {
  readonly name: string;
  readonly perSecond: number;
  readonly reachedBff: number;
}

async function takenOver(): Promise<Share[]> {
  const shares: Share[] = [];
  for (const { name, url } of caches)
    for (const perSecond of RATES) {
      const before = await answersOf(bffs[0]);
      const figures = await letReadersCome({ url, paths, perSecond, seconds: readerSeconds });
      const reachedBff = (await answersOf(bffs[0])) - before;
      shares.push({ name, perSecond, reachedBff, ...figures });
      console.log(`  ${name}, ${perSecond} readers a second: ${reachedBff} of ${figures.requests} reached the BFF`);
    }
  return shares;
}

interface Max {
  readonly name: string;
  readonly perSecond: number[];
  readonly perCpuSecond: number[];
}

async function throughput(): Promise<Max[]> {
  const fronts = [alone, ...balancers, ...caches];
  const max = fronts.map(({ name }): Max => ({ name, perSecond: [], perCpuSecond: [] }));
  for (let round = 0; round < rounds; round += 1)
    for (const [index, front] of fronts.entries()) {
      const pids = new Set([front.pid, ...bffs.map(({ pid }) => pid)]);
      const usedBefore = cpuOf(pids);
      const url = front.url + paths[0]!;
      const seen = await maxRequests({ url, headers: HEADERS, seconds, connections: CONNECTIONS, core: LOAD_CORE });
      max[index]!.perSecond.push(seen);
      max[index]!.perCpuSecond.push((seen * seconds) / (cpuOf(pids) - usedBefore));
      console.log(`  round ${round + 1}: ${front.name}: ${seen.toFixed(0)}/s`);
    }
  return max;
}

function cpuOf(pids: ReadonlySet<number>): number {
  return [...pids].reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? NaN), 0);
}

async function report(shares: readonly Share[], max: readonly Max[]): Promise<void> {
  await writeResult({
    name: 'fronts',
    title: 'Caches and balancers in front of the BFF',
    text: `
nginx and Varnish run with the configurations in \`deploy/\`: how long an answer is used, used while a newer one is fetched, and used in an outage
is what the BFF says in each answer. Ten pulses, readers at a steady pace for ${readerSeconds} s, each asking for the next pulse.

${table(
  ['cache', 'readers a second', 'requests', 'reached the BFF', 'taken over', 'failures'],
  shares.map(({ name, perSecond, requests, reachedBff, failures }) => [
    name,
    perSecond,
    requests,
    reachedBff,
    `${((1 - reachedBff / requests) * 100).toFixed(1)} %`,
    failures,
  ]),
)}

Throughput of one pulse, wrk with ${CONNECTIONS} connections on core ${LOAD_CORE}, servers on core ${SERVER_CORE} together (Varnish: on both), medians of ${rounds} rounds of ${seconds} s.
Instances that share one core can't add up; requests per second of processor time (balancer or cache and instances together) say what one more core would carry.

${table(
  ['in front', 'requests/s', 'lowest', 'highest', 'requests per CPU second'],
  max.map(({ name, perSecond, perCpuSecond }) => [
    name,
    median(perSecond),
    Math.min(...perSecond),
    Math.max(...perSecond),
    median(perCpuSecond),
  ]),
)}
`,
  });
}
