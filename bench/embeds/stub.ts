import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bundle } from './bundles.ts';
import type { Addresses } from './addresses.ts';
import { METRIC_PAGE, fakeBffWith } from './stub-data.ts';

/** A request's kind. */
export type Kind = 'page' | 'script' | 'style' | 'data' | 'frame' | 'image' | 'preflight' | 'other';

/** How the stub responds. You can change these settings while the stub is running. */
export interface Behavior {
  /** The page that contains the embed. */
  html: string;
  lateMs: Partial<Record<Kind, number>>;
  /** Whether scripts, style sheets, and data are compressed, as on real servers. */
  isCompressed: boolean;
  /** The requests that fail, and how. */
  failing: { readonly kind: Kind; readonly status: number } | undefined;
}

/** A page and everything that its embeds request, on three origins on this machine. */
export interface Stub extends Addresses, AsyncDisposable {
  readonly page: string;
  readonly behavior: Behavior;
  /** The requests, with their times in milliseconds. */
  readonly arrivals: { readonly kind: Kind; readonly url: string; readonly atMs: number }[];
}

/** Starts a stub for one embed. */
export async function startStub(bundle: Bundle, chart: Buffer, behavior: Partial<Behavior> = {}): Promise<Stub> {
  const servers = await Promise.all(
    Array.from({ length: 3 }, () => listening((request, response) => void serve(request, response))),
  );
  const [page = '', embed = '', images = ''] = servers.map((server) => originOf(server.address() as AddressInfo));
  const stub: Stub = {
    page,
    embed,
    images,
    arrivals: [],
    behavior: {
      html: '',
      lateMs: {},
      isCompressed: false,
      failing: undefined,
      ...behavior,
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', page);
    const kind = request.method === 'OPTIONS' ? 'preflight' : kindOf(url.pathname);
    stub.arrivals.push({ kind, url: url.pathname + url.search, atMs: performance.now() });
    const { lateMs, failing } = stub.behavior;
    await delay(lateMs[kind] ?? 0);
    allow(request, response);
    if (failing?.kind === kind)
      return send(response, failing.status, 'application/json', '{"success":false,"error":"No","code":"internal"}');
    if (kind === 'preflight') return void response.writeHead(204).end();
    if (kind === 'image') describeImage(url, response);
    const { type, body } = await answerTo(kind, url, stub, bundle, chart);
    if (!stub.behavior.isCompressed || !body || kind === 'image' || kind === 'page')
      return send(response, body === undefined ? 404 : 200, type, body ?? '');
    response.setHeader('Content-Encoding', 'br');
    send(response, 200, type, compressed(body));
  }

  return stub;
}

/** The kind of file at a path. The stub also serves as the other embeds' hosts. */
function kindOf(path: string): Kind {
  if (path === '/page') return 'page';
  if (path.endsWith('.js')) return 'script';
  if (path.endsWith('.css')) return 'style';
  if (/^\/chart|^\/v1\/sources\/[^/]+\/image$/.test(path)) return 'image';
  if (/^\/(v1|vizportal)\//.test(path)) return 'data';
  return path.startsWith('/pulse/site/') ? 'frame' : 'other';
}

async function answerTo(kind: Kind, url: URL, stub: Stub, { script, style }: Bundle, chart: Buffer) {
  if (kind === 'page') return { type: 'text/html', body: stub.behavior.html };
  if (kind === 'script') return { type: 'text/javascript', body: script };
  if (kind === 'style') return { type: 'text/css', body: style };
  if (kind === 'image') return { type: 'image/png', body: chart };
  if (kind === 'frame') return { type: 'text/html', body: METRIC_PAGE };
  if (kind === 'data') return { type: 'application/json', body: await dataAt(url, stub) };
  return { type: 'application/json', body: undefined };
}

/** A chart's headers. At the BFF's URL for the latest chart, they also name the run. */
function describeImage({ pathname }: URL, response: ServerResponse): void {
  const id = /^\/v1\/sources\/([^/]+)\/image$/.exec(pathname)?.[1];
  response.setHeader('Cache-Control', id ? 'no-cache' : 'public, max-age=60');
  if (id) response.setHeader('Server-Timing', `run;desc="run_${id}"`);
}

const compressedBodies = new Map<string, Buffer>();

/** The body as it is sent. A body that is sent several times is compressed only once. */
function compressed(body: string | Buffer): Buffer {
  const text = String(body);
  const known = compressedBodies.get(text) ?? brotliCompressSync(body);
  compressedBodies.set(text, known);
  return known;
}

async function dataAt(url: URL, at: Stub): Promise<string> {
  if (url.pathname !== '/v1/pulses') return '{}';
  const response = await fakeBffWith(url.searchParams.get('ids')?.split(',') ?? [], at).fetch(url);
  return response.text();
}

/** Allows cross-origin requests with cookies, because one embed's sign-in sends cookies. */
function allow({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Timing-Allow-Origin', '*');
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8` }).end(body);
}

function listening(serve: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(serve);
  return new Promise<typeof server>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function originOf({ port }: AddressInfo): string {
  return `http://127.0.0.1:${port}`;
}
