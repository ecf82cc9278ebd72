// Charts through the BFF: each row of the table of threats refused, and the headers that the host of images saw.
import { BffProcess } from '../process/bff-process.ts';
import { residentMiBOf } from '../process/memory.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { answersOf } from './answers.ts';
import { addressCases, ANSWER_CASES, type Case } from './cases.ts';
import { startImageService } from './image-service.ts';
import { rebindings } from './rebinding.ts';
import { type RecordingHost, startRecordingHost } from './recording-host.ts';

/** Readers who want one chart that nobody has yet, at once. */
const AUDIENCE = 1_000;

const trap = await startRecordingHost((_, response) => void response.end());
const cdn = await startRecordingHost(answersOf(() => trap.port));
const CDN_HOST = `127.0.0.1:${cdn.port}`;
const cases: Case[] = [
  ...addressCases({ cdn: cdn.port, trap: trap.port }),
  ...ANSWER_CASES.map(([row, path, what]) => ({ row, what, imageUrl: `http://${CDN_HOST}/${path}` })),
];
const GOOD = 'src_good';
const imageUrls = new Map([
  [GOOD, `http://${CDN_HOST}/good`],
  ...cases.map(({ imageUrl }, at): [string, string] => [`src_${at}`, imageUrl]),
]);
const service = await startImageService(imageUrls);
const bff = await BffProcess.start({
  upstream: { urls: { A: service.url, B: service.url } },
  env: {
    PULSE_SOURCES: [...imageUrls.keys()].join(','),
    PULSE_IMAGES: 'proxy',
    PULSE_IMAGE_HOSTS: `${CDN_HOST},cdn.test`,
    // Every case is a source of its own, and they are all asked for at once.
    PULSE_RATE_LIMIT: '100000',
    PULSE_RATE_WINDOW_MS: '1000',
  },
});

interface Outcome extends Case {
  readonly answered: string;
  readonly atCdn: number;
  readonly atTrap: number;
  readonly seconds: number;
}

const memoryBefore = residentMiBOf(bff.pid);
const outcomes: Outcome[] = [];
for (const [at, one] of cases.entries()) outcomes.push(await outcomeOf(one, `src_${at}`));
const memoryAfter = residentMiBOf(bff.pid);
const good = await seenOf(GOOD);
const demandTracker = await audienceOf();
const turned = await rebindings(trap);
await bff.stop();
for (const server of [service, cdn, trap]) server.close();

await writeResult({
  name: 'images',
  title: 'Charts through the BFF',
  text: `
\`PULSE_IMAGES=proxy\`, \`PULSE_IMAGE_HOSTS\` names one host of loopback and \`cdn.test\`. Each case is a pulse whose chart has that address, or whose
chart's host answers so. "Connections" are those at the host that is named, and at a trap that is not. The BFF's memory: ${memoryBefore} MiB before, ${memoryAfter} MiB after all of it.

${outcomes.filter(({ answered }) => answered.startsWith('200')).length} of ${outcomes.length} were passed on; the trap got ${trap.connections()} connections.

## What the host of images saw, and what the reader got

A reader asked for a good chart with \`Cookie\`, \`Authorization\`, \`Referer\`, \`Origin\`, \`User-Agent\`, \`X-API-Key\`, \`X-Forwarded-For\`, \`Range\` and \`Accept-Language\`. The request at the host, whole:

\`\`\`
${good.request.join('\n')}
\`\`\`

The host answered with \`Set-Cookie\`, \`Server\` and \`X-Cache\` besides. The reader got ${good.status} with:

\`\`\`
${good.response.join('\n')}
\`\`\`

T-55: ${AUDIENCE.toLocaleString('en-US')} readers at once for a chart that was not there: ${demandTracker.answered} got it, with ${demandTracker.requests} request at the host.

## T-51: names that turn

The proxy itself, with a resolver that leads the name there.

${table(
  ['the name led to', 'outcome', 'connections'],
  turned.map(({ led, outcome, connections }) => [led, outcome, connections]),
)}

## T-50, T-52 to T-54

${table(
  ['row', 'address, or what its host answered', 'answered', 'connections', 'at the trap', 'seconds'],
  outcomes.map(({ row, what, answered, atCdn, atTrap, seconds }) => [row, what, answered, atCdn, atTrap, seconds]),
)}
`,
});

async function outcomeOf(one: Case, sourceId: string): Promise<Outcome> {
  const [atCdn, atTrap, startedAt] = [cdn.connections(), trap.connections(), performance.now()];
  const response = await fetch(`${bff.url}/v1/sources/${sourceId}/image`);
  const body = await response.text();
  const { code = '' } = (response.ok ? {} : JSON.parse(body)) as { code?: string };
  return {
    ...one,
    answered: `${response.status} ${code}`.trim(),
    atCdn: cdn.connections() - atCdn,
    atTrap: trap.connections() - atTrap,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

async function seenOf(sourceId: string) {
  const before = cdn.requests.length;
  const response = await fetch(`${bff.url}/v1/sources/${sourceId}/image?run=run_of_${sourceId}`, {
    headers: {
      Cookie: 'session=1',
      Authorization: 'Bearer x',
      Referer: 'http://page.test/',
      'User-Agent': 'a reader',
      'X-API-Key': 'evil',
      'X-Forwarded-For': '192.0.2.1',
      Range: 'bytes=0-9',
      'Accept-Language': 'de',
    },
  });
  await response.arrayBuffer();
  return {
    request: linesOf(cdn.requests.slice(before).flat()),
    status: response.status,
    response: linesOf([...response.headers].flat()),
  };
}

function linesOf(pairs: readonly string[]): string[] {
  return pairs.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${pairs[at + 1] ?? ''}`] : []));
}

/** A new process has fetched nothing yet. */
async function audienceOf(): Promise<{ answered: number; requests: number }> {
  await bff.stop();
  await bff.restart();
  await fetch(`${bff.url}/v1/sources/${GOOD}/pulse`).then((response) => response.arrayBuffer());
  const before: number = (cdn satisfies RecordingHost).requests.length;
  const statuses = await Promise.all(
    Array.from({ length: AUDIENCE }, async () => {
      const response = await fetch(`${bff.url}/v1/sources/${GOOD}/image`);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  return { answered: statuses.filter((status) => status === 200).length, requests: cdn.requests.length - before };
}
