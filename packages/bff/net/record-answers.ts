// Records every kind of public answer, so that two builds can be compared:
//   node --conditions=source packages/bff/net/record-answers.ts record FILE
//   node --conditions=source packages/bff/net/record-answers.ts compare OLD NEW
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { PulseBffOptions } from '@pulse-card/bff';
import { type Fault, WELL } from '../../testkit/src/service/fault.ts';
import { SERVICE_KEY, type FakeService, startFakeService } from '../../testkit/src/service/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { ask, folder, mount, Net, pulsePath, PUBLIC_URL, tokenVariables, withToken } from './kit.ts';

/** An answer with its volatile values replaced. */
interface Recorded {
  readonly status: number;
  readonly headers: readonly string[];
  /** The beginning of a text, or the size of anything else. */
  readonly body: string;
}

type Records = Record<string, Recorded>;

const OWN = 'https://www.example.com';
const FOREIGN = 'https://evil.test';

const ROUTES: readonly string[] = [
  pulsePath('src_001'),
  '/v1/pulses?ids=src_001,src_002',
  '/v1/sources',
  '/v1/sources/src_001/image',
  '/v1/sources/src_001/runs',
  '/v1/sources/src_001/fragment',
  '/embed/src_001',
  `/oembed?url=${encodeURIComponent(`${PUBLIC_URL}/embed/src_001`)}`,
];

const FILES = [
  '/healthz',
  '/readyz',
  '/v1/openapi.yaml',
  '/pulse-card.js',
  '/pulse-board.js',
  '/pulse-frame.js',
  '/THIRD-PARTY-NOTICES.txt',
];

/** Requests that fail, by the code of their error. */
const ERRORS: Readonly<Record<string, string>> = {
  source_unknown: pulsePath('src_none'),
  pulse_not_found: pulsePath('src_003'),
  invalid_source_id: '/v1/sources/a%20b/pulse',
  bad_request: '/v1/pulses?ids=',
  not_found: '/v1/nothing',
  upstream_unavailable: pulsePath('src_004'),
  upstream_invalid: pulsePath('src_005'),
  'batch with errors': '/v1/pulses?ids=src_none,src_003,src_001',
  'image unknown': '/v1/sources/src_none/image',
  'embed unknown': '/embed/src_none',
  'oembed foreign': `/oembed?url=${encodeURIComponent('https://evil.test/embed/src_001')}`,
};

const PREFLIGHT = {
  Origin: OWN,
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'authorization',
};

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function take({ url, headers }: Target, method: string, path: string, more: Record<string, string> = {}) {
  const asked = request(url + path, { method, headers: { ...headers, ...more } });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  const encoding = answer.headers['content-encoding'];
  const plain =
    bytes.length === 0
      ? bytes
      : encoding === 'br'
        ? brotliDecompressSync(bytes)
        : encoding === 'gzip'
          ? gunzipSync(bytes)
          : bytes;
  const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
  const lines = names.map((name, at) => `${name}: ${answer.rawHeaders[at * 2 + 1]}`);
  const recorded = {
    status: answer.statusCode ?? 0,
    headers: lines.map(calm).toSorted(),
    body: bodyOf(plain, String(answer.headers['content-type'])),
  };
  return { recorded, etag: answer.headers.etag };
}

function bodyOf(bytes: Buffer, type: string): string {
  if (/javascript|yaml|plain/.test(type)) return `${type}, about ${Math.round(bytes.length / 1000)} kB`;
  if (!/json|html|xml/.test(type)) return `${bytes.length} B`;
  const text = calm(bytes.toString());
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
}

/** Replaces times, ages, hashes, nonces, and signatures. */
function calm(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'ID')
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, 'DATE')
      .replace(/^(etag): (W\/)?".*"$/i, '$1: $2"TAG"')
      .replace(/^(age|content-length|x-ratelimit-\w+|retry-after): \d+$/i, '$1: N')
      // Which details a cache status has depends on milliseconds.
      .replaceAll(/;\s*(ttl|fwd-status|detail)=[\w-]+|;\s*(stored|collapsed)\b/g, '')
      .replaceAll(/max-age=(?!0\b)\d{1,4}\b/g, 'max-age=N')
      .replaceAll(/http-equiv="refresh" content="\d+/g, 'http-equiv="refresh" content="N')
      .replaceAll(/\d\d?:\d\d.[AP]M/g, 'CLOCK')
      .replaceAll(/stale-if-error=\d+/g, (found) => (found.endsWith('=86400') ? found : 'stale-if-error=N'))
      .replaceAll(/(nonce-|nonce="|sha256-)[\w+/=-]+/g, '$1N')
      .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, 'HOST')
      .replaceAll(/(sig|signature|s)=[\w-]{16,}/g, '$1=SIGNATURE')
      .replaceAll(/pulse-(card|board)-[\w-]{6,}\.js/g, 'pulse-$1-HASH.js')
  );
}

/** Records the routes of one server in one state. */
async function recordState(target: Target, name: string, records: Records): Promise<void> {
  const note = async (what: string, method: string, path: string, more?: Record<string, string>) => {
    const { recorded, etag } = await take(target, method, path, more);
    records[`${name} | ${what} | ${method} ${path}`] = recorded;
    return etag;
  };
  const ofRoute = async (path: string) => {
    const etag = await note('own origin', 'GET', path, { Origin: OWN, 'Accept-Encoding': 'br' });
    await note('gzip', 'GET', path, { 'Accept-Encoding': 'gzip' });
    await note('plain', 'HEAD', path);
    await note('foreign origin', 'GET', path, { Origin: FOREIGN });
    await note('preflight', 'OPTIONS', path, PREFLIGHT);
    const condition = { Origin: OWN, 'Accept-Encoding': 'br', 'If-None-Match': etag ?? '"none"' };
    await note('304', 'GET', path, condition);
  };
  // All at the same time, because a draining server ends after some seconds.
  await Promise.all([
    ...ROUTES.map(ofRoute),
    ...Object.entries(ERRORS).map(([code, path]) => note(code, 'GET', path, { Origin: OWN })),
    note('method', 'POST', ROUTES[0] ?? ''),
    ...FILES.map((path) => note('file', 'GET', path, { 'Accept-Encoding': 'br' })),
  ]);
}

/** Records what readers without the right token get. */
async function recordTokens(url: string, name: string, records: Records): Promise<void> {
  const forbidden = await withToken(['src_002'], 'reader-2');
  for (const [what, headers] of Object.entries({
    token_missing: {},
    token_invalid: { Authorization: 'Bearer a.b.c' },
    token_forbidden: forbidden,
  }))
    for (const path of ROUTES) {
      const { recorded } = await take({ url, headers }, 'GET', path, { Origin: OWN });
      records[`${name} | ${what} | GET ${path}`] = recorded;
    }
}

/** Records the errors that need a special start: of the client limit, of `authorize`, and of a service that never answered. */
async function recordColdErrors(env: Record<string, string>, records: Records): Promise<void> {
  const cases = {
    rate_limited: [WELL, { authorize: '*' }, { PULSE_CLIENT_RATE: '1' }],
    'authorize throws': [WELL, { authorize: () => Promise.reject(new Error('no database')) }, {}],
    upstream_auth: [{ kind: 'status', status: 401 }, { authorize: '*' }, {}],
    upstream_rate_limited: [{ kind: 'limited', retryAfterSeconds: 30 }, { authorize: '*' }, {}],
    upstream_unavailable: [{ kind: 'status', status: 500 }, { authorize: '*' }, {}],
    upstream_invalid: [{ kind: 'status', status: 200, body: '{}' }, { authorize: '*' }, {}],
  } as const satisfies Record<string, readonly [Fault, PulseBffOptions, Record<string, string>]>;
  for (const [name, [fault, options, more]] of Object.entries(cases)) {
    await using service = await startFakeService({ ...SERVICE, limit: 1_000_000 });
    await service.fail(fault);
    await using app = await mount(service, options, {
      ...env,
      PULSE_SOURCES: 'listed,src_001,src_002',
      PULSE_CLIENT_RATE: '0',
      ...more,
    });
    await take({ url: app.url, headers: {} }, 'GET', ROUTES[0] ?? '');
    for (const path of ROUTES) {
      const { recorded } = await take({ url: app.url, headers: {} }, 'GET', path, { Origin: OWN });
      records[`cold | ${name} | GET ${path}`] = recorded;
    }
  }
}

const SERVICE = { sources: 5, hasCharts: true } as const;

async function prepared(service: FakeService): Promise<void> {
  service.account.removePulse('src_003');
  await service.fail({ kind: 'status', status: 500 }, { target: 'pulse:src_004' });
  await service.fail({ kind: 'status', status: 200, body: '{"odd":true}' }, { target: 'pulse:src_005' });
}

const envOf = (images: string): Record<string, string> => ({
  PULSE_IMAGES: images,
  PULSE_ALLOW_HTTP_UPSTREAM: 'on',
  PULSE_HISTORY: '5',
  PULSE_ALLOWED_ORIGINS: OWN,
  PULSE_FRESH_MS: '60000',
  PULSE_DRAIN_MS: '9000',
});

/** Records a server process: fresh, stale, with a refused key, and draining. */
async function recordProcess(
  name: string,
  env: Record<string, string>,
  headers: Record<string, string>,
  records: Records,
) {
  await using net = await Net.start({ service: SERVICE, env, speed: 1 });
  await prepared(net.service);
  const target = { url: net.bff.url, headers };
  await net.eventually(pulsePath('src_001'), 200, headers);
  for (const path of ROUTES) await net.get(path, headers);
  await recordState(target, `${name}, fresh`, records);
  if ('Authorization' in headers) await recordTokens(net.bff.url, `${name}, fresh`, records);
  await net.service.fail({ kind: 'reset' });
  await net.push(240_000);
  await until('it is stale', async () => (await net.get(pulsePath('src_001'), headers)).json.meta.stale === true);
  await recordState(target, `${name}, stale`, records);
  await net.service.recover();
  net.service.keys.clear();
  await net.push(150_000);
  await until(
    'the key is refused',
    async () => (await net.get(pulsePath('src_001'), headers)) && (await net.status()).key.state === 'refused',
  );
  await recordState(target, `${name}, key refused`, records);
  net.service.keys.set(SERVICE_KEY, { list: true, pulses: true });
  net.bff.signal('SIGTERM');
  await net.eventually('/readyz', 503);
  await recordState(target, `${name}, draining`, records);
}

/** Records a mounted router: fresh. The clock of this process can't be pushed, so it is stale after it was cut off. */
async function recordMounted(name: string, env: Record<string, string>, records: Records): Promise<void> {
  await using service = await startFakeService({ ...SERVICE, limit: 1_000_000 });
  await prepared(service);
  const authorize = () => ({ sources: '*' as const, reader: 'a reader' });
  await using lasting = await mount(service, { authorize }, env);
  for (const path of ROUTES) await (await fetch(lasting.url + path)).arrayBuffer();
  await recordState({ url: lasting.url, headers: {} }, `${name}, fresh`, records);
  await using app = await mount(service, { authorize }, { ...env, PULSE_FRESH_MS: '500' });
  const isStale = async (path: string) => ((await ask(app.url + path)).json.meta as { stale: boolean }).stale;
  const data = ROUTES.filter((path) => /pulse|sources$/.test(path) && path.startsWith('/v1'));
  for (const path of ROUTES) await (await fetch(app.url + path)).arrayBuffer();
  await service.fail({ kind: 'reset' });
  await until('it is stale', async () => !(await Promise.all(data.map(isStale))).includes(false));
  await recordState({ url: app.url, headers: {} }, `${name}, stale`, records);
  await service.recover();
  service.keys.clear();
  await until('the key is refused', async () => (await isStale(data[0] ?? '')) && service.calls.at(-1)?.status === 401);
  await recordState({ url: app.url, headers: {} }, `${name}, key refused`, records);
}

async function record(): Promise<Records> {
  const records: Records = {};
  for (const images of ['direct', 'proxy']) {
    const env = envOf(images);
    const token = await withToken('*', 'reader-1');
    const all = await Promise.all([
      recordProcess(`public, ${images}`, env, {}, records),
      recordProcess(`private, ${images}`, { ...env, PULSE_CACHE: 'private' }, {}, records),
      recordProcess(`token, ${images}`, { ...env, ...tokenVariables(), PULSE_STATE_DIR: folder() }, token, records),
      recordMounted(`mounted, ${images}`, env, records),
    ]);
    say(`${images}: ${all.length} servers, ${Object.keys(records).length} answers`);
  }
  await recordColdErrors(envOf('direct'), records);
  return Object.fromEntries(Object.entries(records).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Normalizes again, so that a record that was taken with older rules can be compared. */
function calmed(recorded: Recorded | undefined): Recorded | undefined {
  return recorded && { ...recorded, headers: recorded.headers.map(calm), body: calm(recorded.body) };
}

/** Prints what differs, one line for each status, header, or body. Returns the number of differing answers. */
function compare(before: Records, now: Records): number {
  let differing = 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [old, next] = [calmed(before[name]), calmed(now[name])];
    const lines = [
      ...(old?.status === next?.status ? [] : [`status ${old?.status} -> ${next?.status}`]),
      ...(old?.headers ?? []).filter((line) => !next?.headers.includes(line)).map((line) => `- ${line}`),
      ...(next?.headers ?? []).filter((line) => !old?.headers.includes(line)).map((line) => `+ ${line}`),
      ...(old?.body === next?.body ? [] : [`body ${old?.body.slice(0, 300)}\n    -> ${next?.body.slice(0, 300)}`]),
    ];
    if (lines.length === 0) continue;
    differing += 1;
    say([name, ...lines.map((line) => `  ${line}`)].join('\n'));
  }
  return differing;
}

const [, , mode, first = '', second = ''] = process.argv;
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Records;
if (mode === 'record' && first !== '') {
  const records = await record();
  writeFileSync(first, `${JSON.stringify(records, undefined, 1)}\n`);
  say(`${Object.keys(records).length} answers are in ${first}`);
  process.exit(0);
} else if (mode === 'compare' && second !== '') {
  const differing = compare(read(first), read(second));
  say(`${differing} answers differ`);
} else {
  say('Usage: record-answers.ts record FILE | compare OLD NEW');
  process.exitCode = 2;
}
