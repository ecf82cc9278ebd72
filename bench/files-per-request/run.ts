// Counts the BFF's source files that run in a hit, a miss, and a background refresh, and the imports between folders.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { startChild } from '@pulse-card/testkit/child-process';
import { freePorts } from '../../scripts/free-port.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { SERVICE_KEY, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { CoverageSession, crossings, executedFiles } from './coverage.ts';
import { until } from '@pulse-card/testkit/until';

const PACKAGES = join(import.meta.dirname, '../../packages');
const ROOT = `${pathToFileURL(PACKAGES).href}/`;

/** A file counts if it ran in each of this many rounds. A timer that fires in only one round doesn't count. */
const ROUNDS = 5;

/** How long the work after an answer may take, in ms: writing the log line and storing the fetched data. */
const SETTLE_MS = 50;

/** Short, so that a refresh happens soon, but long enough for a round of hits and misses. */
const FRESH_MS = 3_000;

parseArgs({ options: { short: { type: 'boolean' } } });
const upstream = await startFakeService({ sources: 10, latencyMs: [5, 6], limit: 10_000 });
const [port, adminPort] = await freePorts(2);
const bff = await startChild({
  title: 'the BFF',
  args: ['--conditions=source', '--inspect=127.0.0.1:0', join(PACKAGES, 'bff/src/main.ts'), 'serve'],
  env: {
    PORT: String(port),
    PULSE_ADMIN_PORT: String(adminPort),
    HOST: '127.0.0.1',
    PULSE_API_KEY: SERVICE_KEY,
    PULSE_BASE_URL: upstream.urls.A,
    PULSE_RATE_LIMIT: '10000',
    PULSE_FRESH_MS: String(FRESH_MS),
  },
  isReady: (line) => line.startsWith('Debugger listening on '),
});
const coverage = await CoverageSession.open(bff.readyLine.replace('Debugger listening on ', ''));
try {
  const [warm = '', viewed = '', ...unseen] = upstream.ids;
  await until('there is a pulse', async () => (await read(warm)) === 200);
  for (let at = 0; at < 20; at += 1) await read(warm);
  const hit = await inEachRound(ROUNDS, () => filesOf(() => read(warm)));
  const miss = await inEachRound(ROUNDS, (round) => filesOf(() => read(unseen[round] ?? '')));
  const refresh = await inEachRound(ROUNDS, () => filesOfRefresh(viewed));
  await report([
    ['hit', hit],
    ['miss', miss],
    ['refresh (background)', refresh],
  ]);
} finally {
  // The BFF is killed because it wouldn't end on its own while the inspector is attached.
  await bff.kill();
  await upstream.close();
}

async function read(id: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/sources/${id}/pulse`);
  await answer.arrayBuffer();
  return answer.status;
}

/** The files that run between the start and the end of `action`. */
async function filesOf(action: () => Promise<unknown>): Promise<string[]> {
  await coverage.take();
  await action();
  await pause(SETTLE_MS);
  return executedFiles(await coverage.take(), ROOT).filter((file) => !file.startsWith('contract/'));
}

/**
 * The files that run in a background refresh: from the end of a reader's request until the BFF has stored the service's
 * new answer.
 */
async function filesOfRefresh(id: string): Promise<string[]> {
  await read(id);
  const asked = async () => (await upstream.arrivals()).filter(({ path }) => path?.includes(id)).length;
  const before = await asked();
  return filesOf(async () => {
    while ((await asked()) === before) await pause(5);
  });
}

async function inEachRound(rounds: number, take: (round: number) => Promise<string[]>): Promise<string[]> {
  let common = await take(0);
  for (let round = 1; round < rounds; round += 1) {
    const files = new Set(await take(round));
    common = common.filter((file) => files.has(file));
  }
  return common;
}

async function report(rows: readonly (readonly [what: string, files: readonly string[]])[]): Promise<void> {
  const counted = rows.map(([what, files]) => ({ what, files, crossed: crossings(files, PACKAGES) }));
  for (const { what, files, crossed } of counted)
    console.log(`\n${what}:\n${files.join('\n')}\n\ncrossings:\n${crossed.join('\n')}`);
  await writeResult({
    name: 'files-per-request',
    title: 'Files that one request runs through',
    figures: Object.fromEntries(
      counted.flatMap(({ what, files, crossed }) => {
        const [name = ''] = what.split(' ');
        return [
          [name, files.length],
          [`${name}-crossings`, crossed.length],
        ];
      }),
    ),
    text: [
      'A file counts if one of its functions runs on a warm BFF. Files of `packages/contract` are not counted. The inspector reports the functions (precise coverage).',
      'A crossing is an import from one of these files to another of these files in a different folder. Imports of types are not counted.',
      'The files of a refresh include the planner’s timer, which starts the refresh.',
      table(
        ['request', 'files', 'crossings'],
        counted.map(({ what, files, crossed }) => [what, files.length, crossed.length]),
      ),
    ].join('\n\n'),
  });
}
