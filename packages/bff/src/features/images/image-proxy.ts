import { Agent, type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { ssrfSafeLookup, type Resolve } from '../../lib/ip-address.ts';
import { readBody } from '../../lib/read-body.ts';
import { hasPngEnd, pngSizeOf } from './png-size.ts';

/** The maximum size of a chart. */
const LIMIT_BYTES = 5 * 1024 * 1024;

/** One deadline for the connection, headers, and body. */
const DEADLINE_MS = 5_000;

/**
 * The only headers that the image host receives, apart from `Host`. These headers contain nothing about the reader or
 * the key.
 */
const REQUEST_HEADERS = {
  accept: 'image/png',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'pulse-bff',
};

/** A reader's request, and its response. */
export interface ImageReader {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The reader whose request was forwarded has left, so the fetch ended. */
export const READER_LEFT = 'reader-left';

/** Why there is no chart: the response is not a valid PNG, or there is no response. */
export type ImageFailure = 'upstream_invalid' | 'upstream_unavailable';

/** A complete chart, or the reason why there is none. */
export type ImageOutcome =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly code: ImageFailure };

/** Fetches the chart at an address. The fetch forwards a reader's request. Never rejects. */
export type FetchImage = (address: URL, reader: ImageReader) => Promise<ImageOutcome | typeof READER_LEFT>;

export interface ImageProxyOptions {
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
  /** Returns whether an address belongs to the service. Such an address may be private. @default no address is */
  readonly isService?: (address: URL) => boolean;
  /** @default 5_000 */
  readonly deadlineMs?: number;
}

/**
 * Creates the chart proxy. The proxy forwards the reader's request without any of the reader's data. The proxy follows
 * no redirects, connects only to public addresses and to the service, and returns only PNG images.
 */
export function createImageProxy({
  resolve,
  isService = () => false,
  deadlineMs = DEADLINE_MS,
}: ImageProxyOptions = {}): FetchImage {
  const publicAgents = agentsWith({ lookup: ssrfSafeLookup(resolve) });
  const serviceAgents = agentsWith({});
  return (address, { request, response }) =>
    new Promise((resolved) => {
      let outgoing: ClientRequest | undefined;
      const settle = (outcome: ImageOutcome | typeof READER_LEFT): void => {
        clearTimeout(deadline);
        response.off('close', leave);
        outgoing?.destroy();
        resolved(outcome);
      };
      const leave = (): void => settle(READER_LEFT);
      const fail = (): void => settle(request.socket.destroyed ? READER_LEFT : failed('upstream_unavailable'));
      const deadline = setTimeout(fail, deadlineMs);
      response.once('close', leave);
      const agents = isService(address) ? serviceAgents : publicAgents;
      const proxy = createProxyMiddleware({
        target: address,
        agent: address.protocol === 'http:' ? agents.http : agents.https,
        changeOrigin: true,
        ignorePath: true,
        selfHandleResponse: true,
        proxyTimeout: deadlineMs,
        // The library's default plugins answer errors with text, and log addresses.
        ejectPlugins: true,
        plugins: [
          (server) => {
            server.on('proxyReq', (proxied) => anonymize((outgoing = proxied)));
            server.on('proxyRes', (incoming) => void collect(incoming).then(settle));
            server.on('error', fail);
            server.on('econnreset', fail);
          },
        ],
      });
      // With `Expect`, the headers would be sent before `proxyReq` can replace them.
      delete request.headers.expect;
      // If a chart is cut short, the proxy ends this response. The reader then gets the BFF's own error.
      void proxy(request, new ServerResponse(request), fail);
    });
}

/** Connections aren't reused. The rest of a rejected response would have to be read before the next request. */
function agentsWith(options: { readonly lookup?: LookupFunction }): { http: Agent; https: SecureAgent } {
  return {
    http: new Agent({ ...options, keepAlive: false }),
    https: new SecureAgent({ ...options, keepAlive: false }),
  };
}

/** Removes everything that came with the reader's request. A HEAD request also fetches the chart. */
function anonymize(request: ClientRequest): void {
  request.method = 'GET';
  for (const name of request.getHeaderNames()) if (name !== 'host') request.removeHeader(name);
  for (const [name, value] of Object.entries(REQUEST_HEADERS)) request.setHeader(name, value);
}

async function collect(incoming: IncomingMessage): Promise<ImageOutcome> {
  if (!isAcceptable(incoming)) return failed('upstream_invalid');
  try {
    const { bytes, isTruncated } = await readBody(incoming, LIMIT_BYTES);
    return !isTruncated && isPng(bytes) ? { ok: true, bytes } : failed('upstream_invalid');
  } catch {
    return failed('upstream_unavailable');
  }
}

/**
 * Returns whether the response has status 200 and an unencoded PNG body that isn't too long. Redirects are rejected.
 */
function isAcceptable({ statusCode, headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  const isPlain = encoding === undefined || encoding === 'identity';
  const isValid = Number(headers['content-length'] ?? 0) <= LIMIT_BYTES;
  const isPngType = /^image\/png\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  return statusCode === 200 && isPngType && isPlain && isValid;
}

function failed(code: ImageFailure): ImageOutcome {
  return { ok: false, code };
}

/** Image sizes that a browser can safely decode. A typical chart has 1.4 megapixels. */
const MAX_PIXELS = 25_000_000;
const MAX_SIDE_PX = 10_000;

/** Returns whether `bytes` are a complete PNG with an acceptable width and height. */
function isPng(bytes: Buffer): boolean {
  const { width, height } = pngSizeOf(bytes) ?? { width: 0, height: 0 };
  const isSensible = width > 0 && height > 0 && width <= MAX_SIDE_PX && height <= MAX_SIDE_PX;
  return isSensible && width * height <= MAX_PIXELS && hasPngEnd(bytes);
}
