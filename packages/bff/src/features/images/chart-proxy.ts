import { type Agent, type ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { ApiError } from '../../http/errors.ts';
import { checkedLookup, isPublicTarget, type Resolve } from '../../lib/ip-address.ts';
import { codeOf, openAgents, type Proxies } from '../../lib/outgoing.ts';
import { pngIn } from './png.ts';

/** The maximum size of a chart. */
const LIMIT_BYTES = 5 * 1024 * 1024;

/** One deadline for waiting, connecting, headers, and body. */
const DEADLINE_MS = 5_000;

/** How many charts are fetched from one host at the same time, unless through an outgoing proxy. Others wait. */
const MAX_FETCHING = 8;

/**
 * The only headers that a chart host receives, apart from `Host`. They contain nothing about the reader or the key.
 */
const REQUEST_HEADERS = {
  accept: 'image/png',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'pulse-bff',
};

/** Fetches the chart at a URL: a complete chart, or why there is none, with a `detail` for the operator. Never rejects. */
export type FetchChart = (url: URL) => Promise<Buffer | ApiError>;

export interface ChartProxyOptions {
  /** Whether a URL belongs to the service. The URL may be private. */
  readonly isService: (url: URL) => boolean;
  readonly proxies: Proxies;
  /** @default the machine's resolver */
  readonly resolve?: Resolve | undefined;
  /** @default 5_000 */
  readonly deadlineMs?: number;
}

/**
 * Creates the proxy that fetches charts. It sends nothing about the reader, doesn't follow redirects, connects only to
 * public addresses and to the service, and returns only complete PNG images, regardless of the type that the host
 * declares.
 */
export function createChartProxy({
  deadlineMs = DEADLINE_MS,
  isService,
  proxies,
  resolve,
}: ChartProxyOptions): FetchChart {
  const agents = openAgents(proxies);
  const lookup = checkedLookup(isPublicTarget, resolve);
  return (url) => {
    const deadline = AbortSignal.timeout(deadlineMs);
    // Connections aren't reused: the rest of a rejected response would have to be read before the next request.
    const options = { keepAlive: false, maxSockets: MAX_FETCHING, ...(!isService(url) && { lookup }) };
    return fetchOnce(url, agents.agentFor(url, deadline, options), deadline);
  };
}

function fetchOnce(url: URL, agent: Agent, deadline: AbortSignal): Promise<Buffer | ApiError> {
  return new Promise((resolve) => {
    let outgoing: ClientRequest | undefined;
    const end = (chart: Buffer | ApiError): void => {
      outgoing?.destroy();
      resolve(chart);
    };
    deadline.addEventListener('abort', () => end(failed('upstream_unavailable', 'it took longer than 5 s')));
    const begin = (proxied: ClientRequest): void => {
      // If a chart was queued for too long, no one is waiting for it anymore.
      if (deadline.aborted) proxied.destroy();
      outgoing = proxied;
    };
    const fail = (error: unknown): void =>
      end(failed('upstream_unavailable', codeOf(error) || 'the connection failed'));
    const proxy = createProxyMiddleware({
      agent,
      target: url,
      headers: REQUEST_HEADERS,
      changeOrigin: true,
      ignorePath: true,
      selfHandleResponse: true,
      // The library's default plugins respond to errors with text and log URLs.
      ejectPlugins: true,
      plugins: [
        (server) => {
          server.on('proxyReq', begin);
          server.on('proxyRes', (response) => void chartIn(response).then(end));
          server.on('error', fail);
          // The library takes a reset for one by the reader, because no reader is connected here.
          server.on('econnreset', fail);
        },
      ],
    });
    // A request that isn't tied to any reader.
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/' });
    request.push(null);
    void proxy(request, new ServerResponse(request), fail);
  });
}

/** Reads a response, up to the limit. */
async function chartIn(incoming: IncomingMessage): Promise<Buffer | ApiError> {
  const { statusCode, headers } = incoming;
  if (statusCode !== 200) return failed('upstream_invalid', `status ${statusCode}`);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LIMIT_BYTES) return failed('upstream_invalid', 'more than 5 MiB');
    }
  } catch {
    return failed('upstream_unavailable', 'the connection was cut');
  }
  const bytes = await unzipped(Buffer.concat(chunks)).catch(() => undefined);
  if (bytes === undefined) return failed('upstream_invalid', 'gzip that can’t be unzipped to at most 5 MiB');
  const found = `${headers['content-type'] ?? 'no type'}, ${bytes.length} bytes, ${bytes.subarray(0, 4).toString('hex')}…`;
  return pngIn(bytes) ?? failed('upstream_invalid', `no complete PNG: ${found}`);
}

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Some file stores send a file the way it was uploaded: compressed, even to clients that don't ask for it. */
async function unzipped(bytes: Buffer): Promise<Buffer> {
  if (!bytes.subarray(0, GZIP.length).equals(GZIP)) return bytes;
  return promisify(gunzip)(bytes, { maxOutputLength: LIMIT_BYTES });
}

function failed(code: 'upstream_invalid' | 'upstream_unavailable', detail: string): ApiError {
  return new ApiError(code, { detail });
}
