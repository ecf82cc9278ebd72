import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { publicLookup, type Resolve } from '../access/public-lookup.ts';
import type { Exchange } from './exchange.ts';
import { PngGate } from './png-gate.ts';
import { sendError } from './send-error.ts';

/** Largest chart that is passed on. */
const LIMIT_BYTES = 5 * 1024 * 1024;

/** One deadline over connect, headers and body. */
const DEADLINE_MS = 10_000;

/** Charts that are fetched at once; each reader holds a connection to the host of images. */
const MOST_AT_ONCE = 32;

/** What the host of images gets to know: nothing of the reader, nothing of the key. */
const REQUEST_HEADERS = { accept: 'image/png', 'accept-encoding': 'identity', 'user-agent': 'pulse-bff' };

/** Passes the chart at an address on to the reader, with headers of our own alone. */
export type PassImage = (exchange: Exchange, address: URL, headers: readonly string[]) => void;

export interface ImageProxyOptions {
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
  /** @default 10_000 */
  readonly deadlineMs?: number;
}

interface Passing {
  readonly exchange: Exchange;
  readonly address: URL;
  readonly headers: readonly string[];
  /** Put back once the request to the host of images is made without them. */
  readonly visitorHeaders: IncomingMessage['headers'];
  outgoing?: ClientRequest;
}

/** Makes the proxy of charts. It follows no redirect, connects to public addresses alone, and lets nothing but PNG through. */
export function createImageProxy({ resolve, deadlineMs = DEADLINE_MS }: ImageProxyOptions = {}): PassImage {
  const passings = new WeakMap<IncomingMessage, Passing>();
  // No connection is kept: what remains of an answer that was refused would have to be read first.
  const options = { keepAlive: false, lookup: publicLookup(resolve) };
  const pass = { 'https:': proxyWith(new SecureAgent(options)), 'http:': proxyWith(new Agent(options)) };
  let underWay = 0;

  function proxyWith(agent: Agent) {
    return createProxyMiddleware({
      agent,
      changeOrigin: true,
      router: (request) => passings.get(request)?.address ?? 'https://nowhere.invalid',
      ignorePath: true,
      selfHandleResponse: true,
      proxyTimeout: deadlineMs,
      // The plugins of its own answer errors as text and log addresses.
      ejectPlugins: true,
      plugins: [relayWith(passings)],
    });
  }

  return (exchange, address, headers) => {
    if (underWay >= MOST_AT_ONCE) return sendError(exchange, 'upstream_unavailable', { retryAfterSeconds: 1 });
    const { request, response } = exchange;
    const passing: Passing = { exchange, address, headers, visitorHeaders: request.headers };
    passings.set(request, passing);
    underWay += 1;
    const deadline = setTimeout(() => giveUp(passing, 'upstream_unavailable'), deadlineMs);
    response.once('close', () => {
      underWay -= 1;
      clearTimeout(deadline);
      passing.outgoing?.destroy();
    });
    request.headers = { ...REQUEST_HEADERS };
    void pass[address.protocol === 'http:' ? 'http:' : 'https:'](request, response, () =>
      giveUp(passing, 'upstream_unavailable'),
    );
    return undefined;
  };
}

function relayWith(passings: WeakMap<IncomingMessage, Passing>): Plugin {
  return (proxy) => {
    const passingOf = (request: IncomingMessage | undefined): Passing | undefined =>
      request === undefined ? undefined : passings.get(request);
    proxy.on('proxyReq', (outgoing, request) => {
      const passing = passingOf(request);
      if (passing === undefined) outgoing.destroy();
      else {
        passing.outgoing = outgoing;
        request.headers = passing.visitorHeaders;
      }
    });
    proxy.on('proxyRes', (incoming, request) => {
      const passing = passingOf(request);
      if (passing !== undefined) relay(incoming, passing);
    });
    proxy.on('error', (_error, request) => {
      const passing = passingOf(request);
      if (passing !== undefined) giveUp(passing, 'upstream_unavailable');
    });
    proxy.on('econnreset', (_error, request) => void request.destroy());
  };
}

function relay(incoming: IncomingMessage, passing: Passing): void {
  const { exchange, headers } = passing;
  const length = lengthOf(incoming);
  if (!isAcceptable(incoming) || length === 'absurd') return giveUp(passing, 'upstream_invalid');
  const gate = new PngGate(LIMIT_BYTES, () => {
    const lengthHeader = length === undefined ? [] : ['Content-Length', String(length)];
    exchange.response.writeHead(200, exchange.headers.concat(headers, lengthHeader));
    exchange.answered(200);
  });
  gate.on('error', () => giveUp(passing, 'upstream_invalid'));
  incoming.on('error', () => giveUp(passing, 'upstream_unavailable'));
  incoming.pipe(gate).pipe(exchange.response);
}

/** 200, exactly PNG, as it is: anything else, a redirect above all, is not passed on. */
function isAcceptable({ statusCode, headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  const isPlain = encoding === undefined || encoding === 'identity';
  return statusCode === 200 && headers['content-type']?.toLowerCase() === 'image/png' && isPlain;
}

function lengthOf({ headers }: IncomingMessage): number | undefined | 'absurd' {
  const text = headers['content-length'];
  if (text === undefined) return undefined;
  const length = Number(text);
  return Number.isSafeInteger(length) && length <= LIMIT_BYTES ? length : 'absurd';
}

/** Ends both sides: with an error where nothing was answered yet, else by cutting, so that no cache keeps a part. */
function giveUp({ exchange, outgoing }: Passing, code: 'upstream_invalid' | 'upstream_unavailable'): void {
  outgoing?.destroy();
  if (exchange.response.writableEnded) return;
  if (exchange.response.headersSent) exchange.response.destroy();
  else sendError(exchange, code);
}
