import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../run.ts';
import { startStack } from '../../packages/testkit/src/stack.ts';
import {
  type RecordedAnswer,
  type RecordedRelease,
  SERVICE_ORIGIN,
} from '../../packages/testkit/src/upgrade/recorded-release.ts';

/** The requests from a page with cards and a board. `BATCH` is also requested while the service is down. */
const BATCH = '/v1/pulses?ids=src_case_no_run,src_case_null_all,src_unheard_of,src_us_employment';
const PATHS = [BATCH, '/v1/pulses?ids=src_us_employment', '/v1/sources/src_us_employment/pulse', '/v1/sources'];
const ERROR_PATHS = ['/v1/sources/src_unheard_of/pulse', '/v1/sources/a!b/pulse', '/v1/nothing'];

/** The time between two requests, in ms. This pause keeps the requests within the limit per client. */
const POLL_MS = 250;

/** Headers that change what the card or a browser does. */
const RECORDED_HEADERS = ['content-type', 'cache-control', 'etag', 'age', 'vary', 'retry-after'];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Specify the folder to write to');
await record(folder);

/** Writes the answers and the scripts of this checkout's BFF into `folder`. */
async function record(folder: string): Promise<void> {
  const stack = await startStack({ PULSE_FRESH_MS: '1000' });
  const withoutOrigin = (text: string): string => text.replaceAll(stack.serviceUrl, SERVICE_ORIGIN);
  const ask = async (path: string): Promise<RecordedAnswer> => {
    const answer = await fetch(stack.bffUrl + path, { headers: { origin: stack.site.origin } });
    const headers = RECORDED_HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const body = JSON.parse(withoutOrigin(await answer.text())) as unknown;
    return { path, status: answer.status, headers: Object.fromEntries(headers), body };
  };
  const answers: RecordedAnswer[] = [];
  for (const path of [...PATHS, ...ERROR_PATHS]) answers.push(await ask(path));
  await stack.stopService();
  let stale = await ask(BATCH);
  while (!isStale(stale)) {
    await setTimeout(POLL_MS);
    stale = await ask(BATCH);
  }
  const { version } = readJson(join(ROOT, 'packages/bff/package.json')) as { version: string };
  const release: RecordedRelease = { version, answers, stale };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'answers.json'), `${JSON.stringify(release, null, 2)}\n`);
  const dist = join(ROOT, 'packages/widget/dist');
  for (const script of readdirSync(dist).filter((name) => /^pulse-(?:card|board).*\.js$/.test(name)))
    copyFileSync(join(dist, script), join(folder, script));
  await stack.close();
}

/** Whether every pulse of a batch is marked as an earlier version. */
function isStale({ body }: RecordedAnswer): boolean {
  const { pulses } = body as { pulses: { ok: boolean; meta?: { stale: boolean } }[] };
  return pulses.every(({ ok, meta }) => !ok || meta?.stale === true);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
