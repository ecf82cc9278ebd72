import { Agent, type ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { Socket } from 'node:net';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { ssrfSafeLookup, type Resolve } from '../auth/ssrf-safe-lookup.ts';
import { PngValidator } from './png-validator.ts';

/** Largest chart that is passed on. */
const LIMIT_BYTES = 5 * 1024 * 1024;

/** One deadline over connect, headers and body. */
const DEADLINE_MS = 10_000;

/** All headers that the image host receives: nothing of the reader, nothing of the key. */
const REQUEST_HEADERS = { accept: 'image/png', 'accept-encoding': 'identity', 'user-agent': 'pulse-bff' };

/** Why there is no chart: what came is none, or nothing came. */
export type ImageFailure = 'upstream_invalid' | 'upstream_unavailable';

/** A chart, whole, or why there is none. */
export type ImageOutcome =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly code: ImageFailure };

/** Fetches the chart at an address; never rejects. */
export type FetchImage = (address: URL) => Promise<ImageOutcome>;

export interface ImageProxyOptions {
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
  /** @default 10_000 */
  readonly deadlineMs?: number;
}

interface ImageTransfer {
  readonly address: URL;
  readonly settle: (outcome: ImageOutcome) => void;
  outgoing?: ClientRequest;
}

/** Makes the proxy of charts. It follows no redirect, connects to public addresses alone, and lets nothing but PNG through. */
export function createImageProxy({ resolve, deadlineMs = DEADLINE_MS }: ImageProxyOptions = {}): FetchImage {
  const transfers = new WeakMap<IncomingMessage, ImageTransfer>();
  // No connection is kept: what remains of an answer that was refused would have to be read first.
  const options = { keepAlive: false, lookup: ssrfSafeLookup(resolve) };
  const pass = { 'https:': proxyWith(new SecureAgent(options)), 'http:': proxyWith(new Agent(options)) };

  function proxyWith(agent: Agent) {
    return createProxyMiddleware({
      agent,
      changeOrigin: true,
      router: (request) => transfers.get(request)?.address ?? 'https://nowhere.invalid',
      ignorePath: true,
      selfHandleResponse: true,
      proxyTimeout: deadlineMs,
      // The plugins of its own answer errors as text and log addresses.
      ejectPlugins: true,
      plugins: [relayWith(transfers)],
    });
  }

  return (address) =>
    new Promise((resolved) => {
      const request = requestOfOurOwn();
      const deadline = setTimeout(() => transfer.settle(failed('upstream_unavailable')), deadlineMs);
      const transfer: ImageTransfer = {
        address,
        settle: (outcome) => {
          clearTimeout(deadline);
          transfer.outgoing?.destroy();
          resolved(outcome);
        },
      };
      transfers.set(request, transfer);
      const proxy = pass[address.protocol === 'http:' ? 'http:' : 'https:'];
      void proxy(request, new ServerResponse(request), () => transfer.settle(failed('upstream_unavailable')));
    });
}

/** A request that no reader made: what a reader sent is nowhere near what the host of images gets. */
function requestOfOurOwn(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.url = '/';
  request.headers = { ...REQUEST_HEADERS };
  request.push(null);
  return request;
}

function relayWith(transfers: WeakMap<IncomingMessage, ImageTransfer>): Plugin {
  return (proxy) => {
    proxy.on('proxyReq', (outgoing, request) => {
      const transfer = transfers.get(request);
      if (transfer === undefined) outgoing.destroy();
      else transfer.outgoing = outgoing;
    });
    proxy.on('proxyRes', (incoming, request) => {
      const transfer = transfers.get(request);
      if (transfer !== undefined) collect(incoming, transfer);
    });
    const ended = (_error: Error, request: IncomingMessage | undefined): void => {
      if (request !== undefined) transfers.get(request)?.settle(failed('upstream_unavailable'));
    };
    proxy.on('error', ended);
    proxy.on('econnreset', ended);
  };
}

function collect(incoming: IncomingMessage, { settle }: ImageTransfer): void {
  if (!isAcceptable(incoming)) return settle(failed('upstream_invalid'));
  const gate = new PngValidator(LIMIT_BYTES);
  const chunks: Buffer[] = [];
  gate.on('data', (chunk: Buffer) => chunks.push(chunk));
  gate.on('error', () => settle(failed('upstream_invalid')));
  gate.on('end', () => settle({ ok: true, bytes: Buffer.concat(chunks) }));
  incoming.on('error', () => settle(failed('upstream_unavailable')));
  incoming.pipe(gate);
  return undefined;
}

/** 200, exactly PNG, as it is, of a size that fits: anything else, a redirect above all, is not passed on. */
function isAcceptable({ statusCode, headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  const isPlain = encoding === undefined || encoding === 'identity';
  const isValid = Number(headers['content-length'] ?? 0) <= LIMIT_BYTES;
  return statusCode === 200 && headers['content-type']?.toLowerCase() === 'image/png' && isPlain && isValid;
}

function failed(code: ImageFailure): ImageOutcome {
  return { ok: false, code };
}
