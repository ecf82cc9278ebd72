import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { chartPng } from './chart-png.ts';
import { VERSION } from '../version.ts';

/** As much of a Koa context as the stub needs. */
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
/** One moment for all pulses, so that those of the same age are equally new. */
const STARTED_AT = Date.now();
const LIST = /^list:/;
const isOfList = (word: string) => LIST.test(word);
const logs = new Map<string, string[]>();

/** The tokens that came, by the name of the test. */
const tokens = new Map<string, string[]>();

/** Resolves once a test lets the held pictures go, by the name of the test. */
const releases = new Map<string, PromiseWithResolvers<void>>();

function released(name: string): PromiseWithResolvers<void> {
  const release = releases.get(name) ?? Promise.withResolvers<void>();
  releases.set(name, release);
  return release;
}

/** The runs that came during a test, by its name and by source. */
const runs = new Map<string, Map<string, string>>();

/**
 * A BFF that does as its address says: `/bff/NAME/BEHAVIOUR/…`. NAME keeps the log of a test apart from others (read it
 * at `/bff/NAME/log`); BEHAVIOUR is a list, one for each request of data, the last for all that follow: `ok`,
 * `private` (first: a token is needed), a status (`503`, `429-after-3`), `login` (a 401 that is not a BFF's),
 * `not-json`, `broken`, `hang`, each with `+400` for a delay in milliseconds. `own` answers as a mounted BFF does, for one
 * reader only, and `named` also names the reader of the cookie.
 * Those that begin with `list:` are for the list operation: `list:503`, `list:empty`, `list:ten`,
 * `list:bare`, `list:wordy`, `list:hostile`, `list:aged`.
 * `tampered` changes what only a press loads, and `incomplete` lacks it.
 * The pictures of the sources `held-…` are sent from `/bff/NAME/release` on.
 * A source has a new run from `/bff/NAME/deliver?source=…&run=…` on. The first word of an id says what its source is like. `/page?html=…&csp=…` serves a page.
 */
export async function stubBff(context: Context, next: () => Promise<void>): Promise<void> {
  const [, root, name = '', behaviours = '', ...rest] = context.path.split('/');
  if (root === 'page') return servePage(context);
  if (root !== 'bff') return next();
  context.set('Access-Control-Allow-Origin', '*');
  context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  context.set('Cache-Control', 'no-store');
  const log = logs.get(name) ?? [];
  logs.set(name, log);
  if (behaviours === 'log') return answer(context, 200, log);
  if (behaviours === 'deliver') return deliver(context, name);
  if (behaviours === 'release') {
    released(name).resolve();
    return answer(context, 200, []);
  }
  if (behaviours === 'tokens') return answer(context, 200, tokens.get(name) ?? []);
  log.push(context.url);
  await delay(Number(context.query['delay'] ?? 0));
  const path = rest.join('/');
  const [ofList, ofPulses] = [
    behaviours.split(',').filter(isOfList),
    behaviours.split(',').filter((word) => !isOfList(word)),
  ];
  if (behaviours.startsWith('private') && path.startsWith('v1/')) {
    const refusal = refusalOf(context.get('Authorization'), name);
    if (refusal) return answer(context, 401, { success: false, error: 'No', code: refusal });
  }
  if (path === 'v1/pulses') return serveData(context, ofPulses, log, runs.get(name));
  if (path === 'v1/sources')
    return serveData(
      context,
      ofList.map((word) => word.replace(LIST, '')),
      log,
    );
  if (path.includes('extras') && behaviours === 'incomplete') return answer(context, 404, 'no such thing');
  if (path.endsWith('.js')) {
    await serveFile(context, path, 'text/javascript');
    // Another version, as far as anyone can see.
    if (path.includes('extras') && behaviours === 'tampered')
      context.body = `globalThis.pwned = true;${String(context.body)}`;
    if (context.query['version']) context.body = String(context.body).replaceAll(VERSION, context.query['version']);
    return;
  }
  if (path.endsWith('.css')) return serveFile(context, path, 'text/css');
  if (path.startsWith('pulse-card-lang/')) return serveFile(context, `lang/${rest.at(-1)}`, 'application/json');
  if (path.startsWith('missing/')) return answer(context, 404, 'no such thing');
  if (/\/held.*\/image$/.test(path)) await released(name).promise;
  if (path.endsWith('/image')) return serveChart(context);
  if (path === 'hanging.png') await delay(HOUR_MS, undefined, { ref: false });
  // The test runner has browsers keep everything for a year.
  if (path === 'flaky.png') context.set('Vary', '*');
  if (path === 'flaky.png' && log.filter((url) => url.includes('flaky.png')).length === 1)
    return answer(context, 503, 'not now');
  if (path === 'flaky.png') return serveChart(context);
  if (path !== 'chart.png' && path !== 'square.png') return answer(context, 404, 'no such thing');
  context.body = path === 'square.png' ? chartPng(900, 900) : chartPng(1_600, 900);
  context.type = 'image/png';
}

/** The latest chart of a source, as a BFF serves it with `PULSE_IMAGES=proxy`; that of `sized-4x3` has 4 by 3 pixels. */
function serveChart(context: Context): void {
  context.set('Cache-Control', 'public, max-age=60');
  context.set('Server-Timing', 'run;desc="run_1"');
  context.set('Timing-Allow-Origin', '*');
  const [, width = 1_600, height = 900] = /(\d+)x(\d+)/.exec(context.path) ?? [];
  context.body = chartPng(Number(width), Number(height));
  context.type = 'image/png';
}

/** Why a reader is refused: there must be a token, and a good one is not called old. */
function refusalOf(authorization: string, name: string): string | undefined {
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
    : `<meta name="color-scheme" content="${scheme}"><style>body{margin:0;font:16px sans-serif}${style}</style>`;
  context.type = 'text/html';
  context.body = `<!doctype html><html lang="${lang}" dir="${dir}"><head><title>A page</title><meta charset="utf-8">${meta}</head><body>${html}</body></html>`;
}

async function serveFile(context: Context, file: string, type: string): Promise<void> {
  context.body = await readFile(new URL(file, DIST), 'utf8').catch(() => undefined);
  context.type = type;
}

async function serveData(
  context: Context,
  behaviours: readonly string[],
  log: readonly string[],
  delivered?: ReadonlyMap<string, string>,
): Promise<void> {
  const isList = context.path.endsWith('/v1/sources');
  const asked = log.filter((url) => url.includes(isList ? '/v1/sources' : '/v1/pulses')).length;
  const [behaviour = '', delayMs] = (behaviours[asked - 1] ?? behaviours.at(-1) ?? 'ok').split('+');
  await delay(behaviour === 'hang' ? HOUR_MS : Number(delayMs ?? 0), undefined, { ref: false });
  if (behaviour === 'own' || behaviour === 'named') context.set('Cache-Control', 'private, no-cache');
  if (behaviour === 'named') context.set('Pulse-Reader', encodeURIComponent(readerOf(context) ?? ''));
  if (behaviour === 'login') return answer(context, 401, '<!doctype html><title>Sign in</title>');
  const [status, , seconds] = behaviour.split('-');
  if (seconds) context.set('Retry-After', seconds);
  if (Number(status))
    return answer(context, Number(status), {
      success: false,
      error: 'the words of the BFF',
      code: codeOf(Number(status)),
    });
  if (behaviour === 'not-json') return answer(context, 200, '<!doctype html><title>Sign in</title>');
  if (behaviour === 'broken') return answer(context, 200, { meta: null, pulses: [{ sourceId: 7 }] });
  if (isList)
    return answer(context, 200, {
      meta: metaOf(behaviour === 'stale'),
      sources: sourcesOf(behaviour, context.query['provider']),
    });
  const ids = context.query['ids']?.split(',') ?? [];
  const base = context.origin + context.path.replace('/v1/pulses', '');
  const reader = readerOf(context);
  const pulses = ids.map((id) => forReader(outcomeOf(id, base, asked, delivered?.get(id)), reader));
  return answer(context, 200, { meta: metaOf(false), pulses });
}

/** The reader of a request: the `sub` of the token, else the cookie `reader`. */
function readerOf(context: Context): string | undefined {
  const [, payload = ''] = context.get('Authorization').split('.');
  const { sub } = payload ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: string }) : {};
  return sub ?? /reader=(\w+)/.exec(context.get('Cookie'))?.[1];
}

/** An answer for one reader: its summary names the reader. */
function forReader(outcome: object, reader: string | undefined): object {
  const { pulse } = outcome as { pulse?: object };
  return reader && pulse ? { ...outcome, pulse: { ...pulse, aiSummaryShort: `For ${reader}` } } : outcome;
}

/** Has `source` get a new run. */
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

function codeOf(status: number): string {
  return (
    {
      400: 'invalid_source_id',
      401: 'token_missing',
      403: 'origin_forbidden',
      404: 'source_unknown',
      429: 'rate_limited',
      500: 'internal',
      502: 'upstream_invalid',
    }[status] ?? 'upstream_unavailable'
  );
}

function metaOf(stale: boolean, ageMs = 0): object {
  return { requestedAt: new Date(Date.now() - ageMs).toISOString(), stale };
}

function outcomeOf(id: string, base: string, asked: number, run?: string): object {
  const [kind = ''] = id.split('-');
  const source = { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' };
  const fail = (code: string, facts: object = {}) => ({
    sourceId: id,
    ok: false,
    error: 'No',
    code,
    source: { ...source, ...facts },
  });
  if (kind === 'empty' && !run) return fail('pulse_not_found', { name: 'Store revenue', status: 'BROKEN' });
  if (kind === 'unknown') return fail('source_unknown');
  if (kind === 'says') return fail(id.replace('says-', ''));
  if (kind === 'down') return fail('upstream_unavailable', { name: 'Pipeline' });
  const status = { broken: 'BROKEN', degraded: 'DEGRADED', draft: 'DRAFT' }[kind] ?? 'ACTIVE';
  const pulse = {
    ...pulseOf(id, base),
    ...(kind === 'new' ? { jobRunId: `run_${asked}`, aiSummaryShort: `Summary ${asked}` } : {}),
  };
  const newRun = run
    ? {
        jobRunId: run,
        aiSummaryShort: `Summary of **${run}**`,
        imageUrl: `${base}/square.png`,
        completedAt: new Date().toISOString(),
      }
    : {};
  return {
    sourceId: id,
    ok: true,
    meta: metaOf(kind === 'stale', kind === 'old' ? 73 * HOUR_MS : 0),
    pulse: { ...pulse, ...oddities(id, base), ...newRun },
    source: { ...source, status, ...(kind === 'nameless' ? { name: null } : {}) },
  };
}

function pulseOf(id: string, base: string): object {
  return {
    jobRunId: 'run_1',
    sourceId: id,
    sourceName: 'US nonfarm employment',
    status: 'SUCCESS',
    completedAt: new Date(STARTED_AT - 2 * HOUR_MS).toISOString(),
    imageUrl: `${base}/chart.png`,
    aiSummaryShort:
      'Payrolls reached 143.1 million in December 2015, up 1.9 % on the year and 5.7 million above the 2008 peak.',
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May\n- Least: July\n\nThe year before was *slower*.',
  };
}

function oddities(id: string, base: string): object {
  const [kind = ''] = id.split('-');
  if (kind === 'square') return { imageUrl: `${base}/square.png` };
  if (kind === 'aged') return { completedAt: new Date(STARTED_AT - Number(id.split('-')[1]) * HOUR_MS).toISOString() };
  if (kind === 'late') return { imageUrl: `${base}/chart.png?delay=200` };
  if (kind === 'noimage') return { imageUrl: null };
  if (kind === 'badimage') return { imageUrl: `${base}/missing.png` };
  if (kind === 'flaky') return { imageUrl: `${base}/flaky.png` };
  if (kind === 'hanging') return { imageUrl: `${base}/hanging.png` };
  if (kind === 'proxied') return { imageUrl: `${base}/v1/sources/proxied-1/image?run=run_1` };
  if (kind === 'sized') return { imageUrl: `${base}/v1/sources/${id}/image?run=run_1` };
  if (kind === 'held') return { imageUrl: `${base}/chart.png?id=${id}` };
  if (kind === 'heldnew') return { jobRunId: 'run_2' };
  if (kind === 'newer') return { jobRunId: 'run_2', imageUrl: `${base}/v1/sources/newer-1/image?run=run_2` };
  if (kind === 'short') return { aiSummaryShort: 'Up 12 %.', aiSummaryLong: null };
  if (kind === 'bold')
    return { aiSummaryShort: 'Payrolls reached **143.1 million** in December 2015, up *1.9 %* on the year.' };
  if (kind === 'nameless') return { sourceName: null };
  if (kind === 'bare')
    return { sourceName: null, completedAt: null, imageUrl: null, aiSummaryShort: null, aiSummaryLong: null };
  if (kind === 'arabic')
    return {
      sourceName: 'إيرادات الربع الثاني',
      aiSummaryShort: 'ارتفعت الإيرادات بنسبة 12٪ في الربع الثاني.',
      aiSummaryLong: 'ارتفعت **الإيرادات**.',
    };
  return kind === 'wordy'
    ? { aiSummaryShort: 'A summary that does not end. '.repeat(40), sourceName: 'Name '.repeat(60) }
    : {};
}

function sourcesOf(behaviour: string, provider: string | undefined): object[] {
  if (behaviour === 'empty') return [];
  if (behaviour === 'ten')
    return Array.from({ length: 10 }, (_, at) => ({
      id: `late-${at}`,
      name: 'Q2',
      provider: 'GOOGLE',
      status: 'ACTIVE',
    }));
  if (behaviour === 'aged')
    return ['bare-1', 'empty-1', 'aged-48', 'aged-1', 'aged-96', 'aged-5'].map((id) => ({
      id,
      name: id,
      provider: 'GOOGLE',
      status: 'ACTIVE',
    }));
  const sources = [
    { id: 'ready-1', name: 'US nonfarm employment', provider: 'GOOGLE', status: 'ACTIVE' },
    { id: 'degraded-1', name: 'Pipeline', provider: 'HUBSPOT', status: 'DEGRADED' },
    { id: 'broken-1', name: 'Orders', provider: 'SHOPIFY', status: 'BROKEN' },
    { id: 'draft-1', name: null, provider: 'GOOGLE', status: 'DRAFT' },
    { id: 'empty-1', name: 'Store revenue', provider: 'GOOGLE', status: 'PENDING' },
    { id: 'ready-3', name: 'Ledger', provider: 'QUICKBOOKS', status: 'PAUSED' },
  ].filter((source) => !provider || source.provider === provider);
  if (behaviour === 'bare') return sources;
  if (behaviour === 'wordy')
    return ['CONTOSO_ANALYTICS_CLOUD_EUROPE', 'CONTOSOANALYTICSCLOUDFOREUROPE'].flatMap((word, at) =>
      [null, 'https://dashboard.test/'].map((link, index) => ({
        ...sources[0],
        id: `ready-${at}${index}`,
        provider: word,
        link,
      })),
    );
  const isHostile = behaviour === 'hostile';
  return sources.map((source, at) => ({
    ...source,
    ...(isHostile
      ? { name: '<img src=x onerror="window.pwned = 1">\u202e', provider: '"><b>', status: 'open draft' }
      : {}),
    link: isHostile ? 'javascript:window.pwned=1' : `https://dashboard.test/sources/${source.id}`,
    connectionCount: at,
  }));
}
