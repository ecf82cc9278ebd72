import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { PulseErrorCode } from '../data/result.ts';
import { failedResponse } from '../fake-bff/failed-response.ts';
import { FakeBff } from '../fake-bff/index.ts';
import { chartPng } from './chart-png.ts';
import { agedAnswer, fakeBffWith, sourcesOf } from './stub-data.ts';
import { VERSION } from '../version.ts';

/** The parts of a Koa context that the stub needs. */
interface Context {
  readonly origin: string;
  readonly path: string;
  readonly url: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  status: number;
  body: unknown;
  type: string;
  get(name: string): string;
  set(name: string, value: string): void;
}

const DIST = new URL('../../dist/', import.meta.url);
const HOUR_MS = 3_600_000;
const LIST = /^list:/;
const isOfList = (word: string) => LIST.test(word);
const logs = new Map<string, string[]>();

/** The tokens received in each test, keyed by the test's name. */
const tokens = new Map<string, string[]>();

/** The promises that resolve when a test releases the held images, keyed by the test's name. */
const releases = new Map<string, PromiseWithResolvers<void>>();

function released(name: string): PromiseWithResolvers<void> {
  const release = releases.get(name) ?? Promise.withResolvers<void>();
  releases.set(name, release);
  return release;
}

/** The runs delivered during each test, keyed by the test's name and by the source. */
const runs = new Map<string, Map<string, string>>();

/**
 * A BFF whose URL determines its behavior: `/bff/NAME/BEHAVIOR/…`. NAME is the name of a test, which has a separate log
 * at `/bff/NAME/log`. BEHAVIOR is a list with one item for each data request. The last item is also used for all later
 * requests. The items are `ok`, `private` (only as the first item: requests need a token), a status (`503`,
 * `429-after-3`), `login` (a 401 that isn't from a BFF), `not-json`, `broken`, and `hang`. A suffix such as `+400` adds
 * a delay in milliseconds. `own` responds for only one reader, like a mounted BFF. `named` also names the reader in
 * `Pulse-Reader`, and `misnamed` names alice. Items that begin with `list:` apply to the list of sources: `list:503`,
 * `list:empty`, `list:ten`, `list:bare`, `list:wordy`, `list:hostile`, and `list:aged`. `noruns` rejects requests for
 * earlier runs. `tampered` changes the files that are loaded later, `incomplete` omits them, and `unreliable` fails the
 * first request for each of them. `mislabels` serves a language file with an incorrect AI label. The images of `held-…`
 * sources wait for a request to `/bff/NAME/release`. A request to `/bff/NAME/deliver?source=…&run=…` gives a source a
 * new run. The first word of an ID determines its source's properties. `/page?html=…&csp=…` serves a page.
 */
export async function stubBff(context: Context, next: () => Promise<void>): Promise<void> {
  const [, root, name = '', behaviors = '', ...rest] = context.path.split('/');
  if (root === 'page') return servePage(context);
  if (root !== 'bff') return next();
  context.set('Access-Control-Allow-Origin', '*');
  context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  context.set('Cache-Control', 'no-store');
  const log = logs.get(name) ?? [];
  logs.set(name, log);
  if (behaviors === 'log') return answer(context, 200, log);
  if (behaviors === 'deliver') return deliver(context, name);
  if (behaviors === 'release') {
    released(name).resolve();
    return answer(context, 200, []);
  }
  if (behaviors === 'tokens') return answer(context, 200, tokens.get(name) ?? []);
  log.push(context.url);
  await delay(Number(context.query['delay'] ?? 0));
  const path = rest.join('/');
  const [ofList, ofPulses] = [
    behaviors.split(',').filter(isOfList),
    behaviors.split(',').filter((word) => !isOfList(word)),
  ];
  if (behaviors.startsWith('private') && path.startsWith('v1/')) {
    const refusal = refusalOf(context.get('Authorization'), name);
    if (refusal) return relay(context, failedResponse(refusal));
  }
  if (path === 'v1/pulses') return serveData(context, ofPulses, log, runs.get(name));
  if (path === 'v1/sources')
    return serveData(
      context,
      ofList.map((word) => word.replace(LIST, '')),
      log,
    );
  if (path.endsWith('/runs')) return serveRuns(context, rest.at(-2) ?? '', behaviors);
  if (path.endsWith('.js')) return serveScript(context, path, { behaviors, log });
  if (path.endsWith('.css')) return serveFile(context, path, 'text/css');
  if (path.startsWith('pulse-card-lang/') && behaviors === 'mislabels')
    return answer(context, 200, { lang: 'de', aiGenerated: 'Von Menschen geprüft' });
  if (path.startsWith('pulse-card-lang/')) return serveFile(context, `lang/${rest.at(-1)}`, 'application/json');
  if (path.startsWith('missing/')) return answer(context, 404, 'no such thing');
  if (/\/held.*\/image$/.test(path)) await released(name).promise;
  if (path.endsWith('gone-1/image'))
    return answer(context, 404, { success: false, error: 'This run has no chart', code: 'not_found' });
  if (path.endsWith('/image')) return serveChart(context);
  if (path === 'hanging.png') await delay(HOUR_MS, undefined, { ref: false });
  if (path === 'flaky.png') preventCaching(context);
  if (path === 'flaky.png' && log.filter((url) => url.includes('flaky.png')).length === 1)
    return answer(context, 503, 'not now');
  if (path === 'flaky.png') return serveChart(context);
  if (path !== 'chart.png' && path !== 'square.png') return answer(context, 404, 'no such thing');
  context.body = path === 'square.png' ? chartPng(900, 900) : chartPng(1_600, 900);
  context.type = 'image/png';
}

/** By default, the test runner makes browsers cache everything for a year. */
function preventCaching(context: Context): void {
  context.set('Vary', '*');
}

/**
 * Serves a script. The behaviors `incomplete`, `unreliable`, and `tampered` apply to the files that are loaded later.
 */
async function serveScript(
  context: Context,
  path: string,
  { behaviors, log }: { behaviors: string; log: readonly string[] },
): Promise<void> {
  const isLater = /after-paint|extras/.test(path);
  const isFirst = log.filter((url) => url.includes(path)).length === 1;
  if (isLater && (behaviors === 'incomplete' || (behaviors === 'unreliable' && isFirst))) {
    preventCaching(context);
    return answer(context, 404, 'no such thing');
  }
  await serveFile(context, path, 'text/javascript');
  if (isLater && behaviors === 'tampered') context.body = `globalThis.pwned = true;${String(context.body)}`;
  // Simulates a different version of the script.
  const { version } = context.query;
  if (version) context.body = String(context.body).replaceAll(VERSION, version);
}

/** Serves a source's latest chart like a BFF with `PULSE_IMAGES=proxy`. The chart of `sized-4x3` is 4 by 3 pixels. */
function serveChart(context: Context): void {
  context.set('Cache-Control', 'public, max-age=60');
  context.set('Server-Timing', 'run;desc="run_1"');
  context.set('Timing-Allow-Origin', '*');
  const [, width = 1_600, height = 900] = /(\d+)x(\d+)/.exec(context.path) ?? [];
  context.body = chartPng(Number(width), Number(height));
  context.type = 'image/png';
}

/** The rejection's code. Undefined if there is a token whose name doesn't begin with "old". */
function refusalOf(authorization: string, name: string): PulseErrorCode | undefined {
  const token = authorization.replace('Bearer ', '');
  if (!token) return 'token_missing';
  tokens.set(name, [...(tokens.get(name) ?? []), token]);
  return /"name":"old/.test(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    ? 'token_invalid'
    : undefined;
}

function servePage(context: Context): void {
  const { html = '', csp, coep, lang = 'en', dir = 'ltr', scheme = 'light dark', style = '' } = context.query;
  if (csp) context.set('Content-Security-Policy', csp);
  if (coep) context.set('Cross-Origin-Embedder-Policy', coep);
  if (coep) context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  const meta = csp
    ? ''
    : `<meta name="color-scheme" content="${scheme}"><style>body{margin:0;font:16px sans-serif;background:canvas}${style}</style>`;
  context.type = 'text/html';
  context.body = `<!doctype html><html lang="${lang}" dir="${dir}"><head><title>A page</title><meta charset="utf-8">${meta}</head><body>${html}</body></html>`;
}

async function serveFile(context: Context, file: string, type: string): Promise<void> {
  context.body = await readFile(new URL(file, DIST)).catch(() => undefined);
  context.type = type;
}

async function serveData(
  context: Context,
  behaviors: readonly string[],
  log: readonly string[],
  delivered?: ReadonlyMap<string, string>,
): Promise<void> {
  const isList = context.path.endsWith('/v1/sources');
  const asked = log.filter((url) => url.includes(isList ? '/v1/sources' : '/v1/pulses')).length;
  const [behavior = '', delayMs] = (behaviors[asked - 1] ?? behaviors.at(-1) ?? 'ok').split('+');
  await delay(behavior === 'hang' ? HOUR_MS : Number(delayMs ?? 0), undefined, { ref: false });
  const reader = readerOf(context);
  if (behavior === 'own' || behavior === 'named') context.set('Cache-Control', 'private, no-cache');
  if (behavior === 'named') context.set('Pulse-Reader', encodeURIComponent(reader ?? ''));
  const [status = '', , seconds] = behavior.split('-');
  if (seconds) context.set('Retry-After', seconds);
  if (behavior === 'broken') return answer(context, 200, { meta: null, pulses: [{ sourceId: 7 }] });
  const base = context.origin + context.path.replace('/v1/pulses', '');
  const bff = isList
    ? new FakeBff({ sources: sourcesOf(behavior) })
    : fakeBffWith(context.query['ids']?.split(',') ?? [], { base, asked, delivered, reader });
  if (behavior === 'misnamed') context.set('Pulse-Reader', 'alice');
  if (behavior === 'login') return answer(context, 401, '<!doctype html>');
  const failure = FAILURES[status] ?? FAILURES[behavior];
  if (failure) bff.fail(failure);
  if (behavior === 'stale') bff.goStale();
  return relay(context, await bff.fetch(context.url));
}

/** The code with which the published fake simulates each behavior. */
const FAILURES: Readonly<Record<string, PulseErrorCode>> = {
  400: 'invalid_source_id',
  401: 'token_missing',
  403: 'origin_forbidden',
  404: 'source_unknown',
  429: 'rate_limited',
  500: 'internal',
  502: 'upstream_invalid',
  503: 'upstream_unavailable',
  'signed-out': 'signed_out',
  'not-json': 'invalid_answer',
};

/** Serves a source's earlier runs. With `noruns`, these runs can't be loaded. */
async function serveRuns(context: Context, id: string, behaviors: string): Promise<void> {
  const base = context.origin + context.path.replace(/\/v1\/.*/, '');
  const request = { base, asked: 1, delivered: undefined, reader: undefined };
  const bff = fakeBffWith([id], request);
  if (behaviors === 'noruns') bff.fail('internal');
  if (behaviors === 'own') context.set('Cache-Control', 'private, no-cache');
  return relay(context, await bff.fetch(context.url));
}

async function relay(context: Context, response: Response): Promise<void> {
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.includes('json');
  answer(context, response.status, isJson ? agedAnswer(JSON.parse(text) as object) : text);
}

/** A request's reader: the token's `sub`, or the `reader` cookie if there is no token. */
function readerOf(context: Context): string | undefined {
  const [, payload = ''] = context.get('Authorization').split('.');
  const { sub } = payload ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: string }) : {};
  return sub ?? /reader=(\w+)/.exec(context.get('Cookie'))?.[1];
}

function deliver(context: Context, name: string): void {
  const { source = '', run = '' } = context.query;
  runs.set(name, (runs.get(name) ?? new Map<string, string>()).set(source, run));
  answer(context, 200, []);
}

function answer(context: Context, status: number, body: unknown): void {
  context.status = status;
  context.type = typeof body === 'string' ? 'text/html' : 'application/json';
  context.body = typeof body === 'string' ? body : JSON.stringify(body);
}
