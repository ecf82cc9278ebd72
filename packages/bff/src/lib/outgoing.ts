import * as http from 'node:http';
import * as https from 'node:https';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { checkedLookup, isInRange, isPlainHttp, isPrivateAddress, placeOf, type Resolve } from './ip-address.ts';

/** The proxies that the environment specifies, as with curl. */
export type Proxies = { readonly [Name in 'http' | 'https' | 'no']?: string | undefined };

export interface OutgoingRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Whether to open a new connection instead of using a keep-alive connection. @default false */
  readonly usesNewConnection?: boolean;
}

/** Requests to the service and to the webhook. */
export type Outgoing = ReturnType<typeof openOutgoing>;

export interface OutgoingOptions {
  readonly proxies?: Proxies | undefined;
  /** @default the machine's resolver */
  readonly resolve?: Resolve | undefined;
}

/** The other side closed a keep-alive connection before any of the response arrived. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
}

/** The proxy didn't open a tunnel. The message says why: the proxy's status, an error code, or that it isn't a proxy. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: string;
  readonly status: number | undefined;

  constructor(reason: string, status?: number) {
    super(reason);
    this.code = `outgoing proxy: ${reason}`;
    this.status = status;
  }
}

const NO_PROXY_THERE = 'not an HTTP proxy';

/** Some proxies and file stores send compressed bodies even to clients that don't ask for them. */
const DECODERS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

/** Statuses whose response can't have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Opens outbound connections: directly, or through the proxies. Loopback addresses and plain `http:` never go through a
 * proxy. Plain `http:` is allowed only for private addresses. The address is checked when connecting. Redirects are
 * never followed.
 */
export function openOutgoing({ proxies = {}, resolve }: OutgoingOptions = {}) {
  const agents = openAgents(proxies);
  const lookup = checkedLookup(isPrivateAddress, resolve);
  return {
    /** Rejects with a `ResetError`, a `ProxyError`, or a network error, which may quote the request. */
    fetch: (url: URL, request: OutgoingRequest): Promise<Response> => {
      const options = { keepAlive: !request.usesNewConnection, ...(isPlainHttp(url) && { lookup }) };
      return send(url, request, agents.agentFor(url, request.signal, options));
    },
    close: agents.close,
  };
}

/** Agents: one for each kind of direct connection, and a new one for each connection through a proxy. */
export function openAgents(proxies: Proxies) {
  const agents = new Map<string, http.Agent>();
  return {
    agentFor(url: URL, signal: AbortSignal, options: http.AgentOptions): http.Agent {
      const proxy = proxyFor(url, proxies);
      // Only the signal ends the wait for a proxy that doesn't respond, so these connections aren't reused.
      if (proxy !== undefined) return new HttpsProxyAgent(proxy, { signal });
      const { Agent } = url.protocol === 'https:' ? https : http;
      const kind = `${url.protocol} ${options.keepAlive} ${options.lookup !== undefined}`;
      const agent = agents.get(kind) ?? new Agent(options);
      agents.set(kind, agent);
      return agent;
    },
    close: (): void => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function send(url: URL, { body, ...options }: OutgoingRequest, agent: http.Agent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { ...options, agent });
    let hasConnection = !(agent instanceof HttpsProxyAgent);
    request.on('proxyConnect', ({ statusCode: status }: { readonly statusCode: number }) => {
      hasConnection = true;
      if (Number.isNaN(status)) request.destroy(new ProxyError(NO_PROXY_THERE));
      else if (status !== 200) request.destroy(new ProxyError(`status ${status}`, status));
    });
    request.on('error', (error) => {
      if (options.signal.aborted) return reject(options.signal.reason as Error);
      if (!hasConnection) return reject(new ProxyError(codeOf(error) || NO_PROXY_THERE));
      const isClosed = request.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(codeOf(error));
      reject(isClosed ? new ResetError() : error);
    });
    request.on('response', (message) => resolve(responseOf(message)));
    // A response that switches protocols (101) ends the request without any other event.
    request.on('close', () => reject(new Error('The connection ended without a response')));
    request.end(body);
  });
}

function responseOf(message: http.IncomingMessage): Response {
  const { statusCode = 0, headersDistinct } = message;
  // An invalid status, such as 999, counts as an error of the server (RFC 9110, 15). A `Response` can't have it.
  const status = statusCode >= 200 && statusCode < 600 ? statusCode : 500;
  const lines = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value]));
  const headers = new Headers(lines as [name: string, value: string][]);
  if (WITHOUT_BODY.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const decoder = DECODERS.get(headers.get('Content-Encoding')?.toLowerCase() ?? '')?.();
  // Errors surface when the body is read.
  const body = decoder ? pipeline(message, decoder, () => {}) : message;
  return new Response(Readable.toWeb(body) as ReadableStream, { status, headers });
}

/** The code of an error or its cause; empty if neither has one. */
export function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** The outgoing proxy for requests to `url`; undefined if they go there directly. */
export function proxyFor(url: URL, { http: plain, https: secure, no = '' }: Proxies): URL | undefined {
  const proxy = url.protocol === 'https:' ? (secure ?? plain) : undefined;
  if (proxy === undefined || placeOf(url.hostname) === 'loopback' || isExcluded(url, no)) return undefined;
  return new URL(proxy);
}

/**
 * Whether `NO_PROXY` lists this host. `example.com` and `.example.com` include subdomains, `10.0.0.0/8` includes the IP
 * addresses in that range, and `*` matches every host.
 */
function isExcluded({ hostname, port }: URL, no: string): boolean {
  const ownPort = port || '443';
  return no
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*' || isInRange(hostname, entry)) return true;
      const [, name = '', entryPort = ownPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      return name !== '' && entryPort === ownPort && (hostname === name || hostname.endsWith(`.${name}`));
    });
}
