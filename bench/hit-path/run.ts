// Measures how many cached responses the BFF sends per second, compared with a bare node:http server and with an ordinary Express application.
import { parseArgs } from 'node:util';
import { pathOf } from '@pulse-card/testkit/system/ask';
import { cpuSecondsOf } from '../report/proc.ts';
import { median, table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { HEADERS, startServers } from './servers.ts';
import { maxRequests } from './max-requests.ts';

const missing = ['wrk', 'taskset'].filter((program) => pathOf(program) === undefined);
if (missing.length > 0)
  throw new Error(`hit-path needs ${missing.join(' and ')}. Debian: apt-get install wrk util-linux`);

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const rounds = values.short ? 3 : 5;
const seconds = values.short ? 2 : 6;
const SERVER_CORE = 0;
const LOAD_CORE = 1;
const CONNECTIONS = 64;

console.log(`Hit path: servers on core ${SERVER_CORE}, wrk on core ${LOAD_CORE}, ${rounds} rounds of ${seconds} s`);
const set = await startServers(SERVER_CORE, LOAD_CORE);
const { servers, bff, sample } = set;
const batch = `${bff.url}/v1/pulses?ids=${Array.from({ length: 10 }, (_, n) => `src_${String(n + 1).padStart(3, '0')}`).join(',')}`;
const variants = [...servers, { name: 'BFF, ten pulses in one', url: batch, pid: bff.pid }];
const max = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
const perCpuSecond = new Map<string, number[]>(variants.map(({ name }) => [name, []]));

try {
  for (const { url } of variants) await load(url, 2);
  for (let round = 0; round < rounds; round += 1) await playRound(round);
} finally {
  await set.stop();
}
await report();

/** Measures each server once. Each round begins with a different server. */
async function playRound(round: number): Promise<void> {
  const order = [...variants.keys()].map((index) => variants[(index + round) % variants.length]!);
  for (const { name, url, pid } of order) {
    const usedBefore = cpuSecondsOf(pid);
    const perSecondSeen = await load(url, seconds);
    max.get(name)!.push(perSecondSeen);
    perCpuSecond.get(name)!.push((perSecondSeen * seconds) / ((cpuSecondsOf(pid) ?? NaN) - (usedBefore ?? NaN)));
    console.log(`  round ${round + 1}: ${name}: ${perSecondSeen.toFixed(0)}/s`);
  }
}

function load(url: string, forSeconds: number): Promise<number> {
  return maxRequests({ url, headers: HEADERS, seconds: forSeconds, connections: CONNECTIONS, core: LOAD_CORE });
}

async function report(): Promise<void> {
  const middle = (name: string) => median(max.get(name)!);
  const middleCpu = (name: string) => median(perCpuSecond.get(name)!);
  await writeResult({
    name: 'hit-path',
    title: 'The hit path: requests per second on one core',
    figures: {
      'requests-per-cpu-second': inHundreds(middleCpu('BFF')),
      'ten-pulses-per-cpu-second': inHundreds(middleCpu('BFF, ten pulses in one')),
      'share-of-bare': (middleCpu('BFF') / middleCpu('bare node:http')).toFixed(2),
      'times-the-baseline': (middleCpu('BFF') / middleCpu('baseline')).toFixed(2),
    },
    text: `
Each server runs on core ${SERVER_CORE}, which no other program uses while the server is measured. The load runs on core ${LOAD_CORE}. All servers are started first. In each round, they are measured one after the other, and each round begins with a different server. After a warm-up, each server is measured in ${rounds} rounds of ${seconds} s. The table shows the median, the lowest, and the highest round. The load is wrk with ${CONNECTIONS} connections and \`Accept-Encoding: ${HEADERS['Accept-Encoding']}\`. The BFF writes its log (to /dev/null), counts its metrics, and checks CORS by origin. The BFF's limit per client is 10,000,000 requests per minute, so it counts requests but rejects none. Bare \`node:http\` sends the same bytes and headers as the BFF (${Buffer.from(sample.bodyBase64, 'base64').length} B, ${sample.headers['content-encoding']}). The baseline is what an Express developer would write in an afternoon: \`express\`, \`lru-cache\`, \`express-rate-limit\`, \`compression\`, and \`res.json\` for each request, with the same data, encoding, and headers.

${table(
  ['server', 'requests/s', 'lowest', 'highest', 'BFF / server', 'requests per CPU second', 'BFF / server'],
  variants.map(({ name }) => [
    name,
    middle(name),
    Math.min(...max.get(name)!),
    Math.max(...max.get(name)!),
    servers.some((each) => each.name === name) ? middle('BFF') / middle(name) : undefined,
    middleCpu(name),
    servers.some((each) => each.name === name) ? middleCpu('BFF') / middleCpu(name) : undefined,
  ]),
)}

The requests per CPU second stay the same if other programs share the cores.

Goals: per CPU second, the BFF handles at least 0.5 times as many requests as bare \`node:http\`, and at least 1.5 times as many as the baseline.
`,
  });
}

function inHundreds(figure: number): number {
  return Math.round(figure / 100) * 100;
}
