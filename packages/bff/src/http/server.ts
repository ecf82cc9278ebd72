import { createServer, type Server, type ServerResponse, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CodedErrorBody, ErrorBody } from '@pulse-card/contract';

/** Where a server listens, and the variable that sets it. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly variable: string;
  /** The variable of `host`. @default HOST */
  readonly hostVariable?: string;
}

/**
 * How long a connection may take for what; `app.listen()` would look after slow ones every 30 s only.
 * A reader's whole request fits into one packet, so these are generous.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than a proxy keeps an idle connection (nginx, Caddy and ALB: 60 s): it must not send on one that is being closed.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 8_192,
  // Node's own refusal has no body; a request without a host is refused as malformed further on.
  requireHostHeader: false,
};

/** A connection over which nothing moves for this long is cut: its client does not read. */
const MAX_IDLE_MS = 60_000;

/** Most connections at once, and most requests of one. */
const MAX_CONNECTIONS = 15_000;
const MAX_REQUESTS_PER_CONNECTION = 1_000;

/** The response to a request that cannot be parsed. It repeats nothing from the request. */
const UNREADABLE = answerText('400 Bad Request', {
  success: false,
  error: 'The request is malformed',
  code: 'invalid_source_id',
});
// None of the closed list of codes has these statuses.
const TOO_LARGE = answerText('431 Request Header Fields Too Large', {
  success: false,
  error: 'The request is malformed: its headers are too long',
});
const TOO_SLOW = answerText('408 Request Timeout', {
  success: false,
  error: 'The request is malformed: it was not complete in time',
});

/** A server cannot listen; the message names the port and its variable. */
export class PortError extends Error {
  constructor({ port, variable, hostVariable = 'HOST' }: ListenAddress, code = 'unknown reason') {
    const reason = HOST_REASONS[code] === undefined ? PORT_REASONS[code] : `${HOST_REASONS[code]} (${hostVariable})`;
    super(`Cannot listen on port ${port} (${variable}): ${reason ?? code}`);
    this.name = 'PortError';
  }
}

const PORT_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is taken',
  EACCES: 'it may not be used by this user',
};

const HOST_REASONS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'that host name cannot be looked up',
  EAI_AGAIN: 'that host name cannot be looked up',
};

/** Makes a server with every time-out set, in milliseconds; `timeouts` are for tests. */
export function createHardenedServer(timeouts: Partial<typeof TIMEOUTS> = {}): Server {
  const server = createServer({ ...TIMEOUTS, ...timeouts });
  server.timeout = MAX_IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  limitPipelining(server);
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1); Node's own refusal has no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  rejectUnparsable(server);
  return server;
}

/** Begins to listen; resolves with the port, or rejects with `PortError`. */
export function listenAt(server: Server, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new PortError(address, error.code)));
    server.listen(address.port, address.host, () => resolve((server.address() as AddressInfo).port));
  });
}

function textFor(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : UNREADABLE;
}

function answerText(status: string, error: ErrorBody | CodedErrorBody): string {
  const body = JSON.stringify(error);
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`];
  return [`HTTP/1.1 ${status}`, ...headers, 'Cache-Control: no-store', 'Connection: close', '', body].join('\r\n');
}

/** Answers what cannot be read as a request, and ends its connection: with one answer for each request, and none after the last. */
function rejectUnparsable(server: Server): void {
  const latestOn = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => latestOn.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const latest = latestOn.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (latest === undefined || !isLastAnswer(latest)) socket.end(textFor(error.code));
    else if (latest.writableEnded) socket.end();
    else latest.once('finish', () => socket.end());
  });
}

/** Returns whether the answer under way is that to the very request which cannot be read on, or ends the connection. */
function isLastAnswer(response: ServerResponse): boolean {
  const endsConnection = !response.shouldKeepAlive || response.getHeader('Connection') === 'close';
  return response.headersSent && (!response.req.complete || endsConnection);
}

/** Holds requests until the listener is there; closes their connections where it fails to open. */
export function deferUntilReady(opening: Promise<RequestListener>): RequestListener {
  let answer: RequestListener | undefined;
  opening.then(
    (opened) => void (answer = opened),
    () => {},
  );
  return (request, response) => {
    if (answer !== undefined) answer(request, response);
    else opening.then((opened) => opened(request, response)).catch(() => response.destroy());
  };
}

/** Responses that may wait behind others (HTTP/1.1 pipelining) on one connection, and on all. Browsers do not pipeline. */
const PIPELINING_LIMITS = { maxPerConnection: 100, maxTotal: 2_000 };

/** Closes a connection whose client sends more requests without waiting for responses than the limits allow. */
export function limitPipelining(server: Server, { maxPerConnection, maxTotal } = PIPELINING_LIMITS): void {
  const waitingOn = new Map<Socket, number>();
  let total = 0;

  function add(socket: Socket, change: 1 | -1): number {
    const count = (waitingOn.get(socket) ?? 0) + change;
    if (count === 0) waitingOn.delete(socket);
    else waitingOn.set(socket, count);
    total += change;
    return count;
  }

  server.on('connection', (socket) =>
    socket.once('close', () => {
      total -= waitingOn.get(socket) ?? 0;
      waitingOn.delete(socket);
    }),
  );
  server.prependListener('request', ({ socket }, response) => {
    // A response has no socket while another one is being written there.
    if (response.socket !== null || socket.destroyed) return;
    const count = add(socket, 1);
    response.once('finish', () => waitingOn.has(socket) && add(socket, -1));
    // One waiting response is no abuse: a client may send its next request while the response before is on its way.
    if (count > maxPerConnection || (total > maxTotal && count > 1)) socket.destroy();
  });
}

/** Requests in flight get this long after the drain; then their connections are cut. Docker kills 10 s after SIGTERM. */
const FINISH_WITHIN_MS = 3_000;

/** Counts the requests of a server that are not answered yet. */
export class RequestsInFlight {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  constructor(server: Server) {
    server.prependListener('request', (_request, response) => {
      this.#count += 1;
      response.once('close', () => this.#finish());
    });
  }

  /** Resolves once none is in flight. */
  finished(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.add(resolve));
  }

  #finish(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** The servers to stop, and what to call before and after. */
export interface Stoppable {
  readonly servers: readonly { readonly server: Server; readonly inFlight: RequestsInFlight }[];
  /** How long the servers go on answering, in ms. */
  readonly drainMs: number;
  /** `/readyz` fails from now on, and each response closes its connection. */
  readonly beginStop: () => void;
  /** Ends what works behind the servers. */
  readonly close: () => Promise<void>;
}

/**
 * Stops in order: `/readyz` fails; requests are still answered during the drain, while balancers look elsewhere; new
 * connections are refused; requests in flight are answered; all other connections are closed; `close` is called.
 */
export async function stopGracefully({ servers, drainMs, beginStop, close }: Stoppable): Promise<void> {
  beginStop();
  if (drainMs > 0) await after(drainMs);
  const closed = Promise.all(servers.map(({ server }) => closeServer(server)));
  for (const { server } of servers) server.closeIdleConnections();
  await Promise.race([Promise.all(servers.map(({ inFlight }) => inFlight.finished())), after(FINISH_WITHIN_MS)]);
  for (const { server } of servers) server.closeAllConnections();
  await closed;
  await close();
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
