import { Server, type ServerResponse, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CodedErrorBody } from '@pulse-card/contract';
import { ALLOWED_METHODS } from './origins.ts';
import { RequestLines } from './request-lines.ts';
import { ERROR_TEXTS } from './errors.ts';

/** The address of a listener, and the variable that sets the address. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly variable: string;
  /** The variable of `host`. @default HOST */
  readonly hostVariable?: string;
}

/**
 * Time limits of a connection. The server that `app.listen()` creates would check for slow connections only every 30 s.
 * These limits are generous, because a reader's whole request fits into one packet.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // This is longer than proxies keep idle connections open (60 s in nginx, Caddy, and ALB). A proxy therefore never
  // sends a request on a connection that is being closed.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 8_192,
  // Node's own rejection would have no body. Instead, a guard later rejects a request without a host as malformed.
  requireHostHeader: false,
};

/** A connection that makes no progress for this long is closed, because its client isn't reading. */
const MAX_IDLE_MS = 60_000;

/** The maximum number of simultaneous connections, and the maximum number of requests per connection. */
const MAX_CONNECTIONS = 15_000;
const MAX_REQUESTS_PER_CONNECTION = 1_000;

/** The response to a request that can't be parsed. The response contains nothing from the request. */
const UNREADABLE = answerText('400 Bad Request', {
  success: false,
  error: 'The request is malformed',
  code: 'bad_request',
});
const METHOD_NOT_ALLOWED = answerText(
  '405 Method Not Allowed',
  { success: false, error: ERROR_TEXTS.method_not_allowed, code: 'method_not_allowed' },
  [`Allow: ${ALLOWED_METHODS}`],
);
// These responses are the same as Node's own, because no error code of the API has these statuses.
const TOO_LARGE = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n';
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** A server can't listen. The message names the port and the variable that sets it. */
export class PortError extends Error {
  constructor({ port, variable, hostVariable = 'HOST' }: ListenAddress, code = 'unknown reason') {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'it is taken',
      EACCES: 'this user is not allowed to use it',
      EADDRNOTAVAIL: `this machine does not have that address (${hostVariable})`,
      ENOTFOUND: `that host name cannot be resolved (${hostVariable})`,
      EAI_AGAIN: `that host name cannot be resolved (${hostVariable})`,
    };
    super(`Cannot listen on port ${port} (${variable}): ${reasons[code] ?? code}`);
    this.name = 'PortError';
  }
}

/** A server with all timeouts and limits set. */
export class HardenedServer extends Server {
  readonly #lines = new RequestLines(() => this.#onAllAnswered());
  #onAllAnswered = (): void => {};

  /** `timeouts` sets other values for tests, in ms. */
  constructor(timeouts: Partial<typeof TIMEOUTS> = {}) {
    super({ ...TIMEOUTS, ...timeouts });
    this.timeout = MAX_IDLE_MS;
    this.maxConnections = MAX_CONNECTIONS;
    this.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
    // The server may ignore expectations other than 100-continue (RFC 9110, 10.1.1). Node's own rejection would have no
    // body.
    this.on('checkExpectation', (request, response) => this.emit('request', request, response));
    // After a CONNECT, Node hands over the socket. If the client isn't reading, neither a timeout nor a stop would close
    // this socket.
    this.on('connect', (_request, socket) => {
      socket.on('error', () => {}).end(METHOD_NOT_ALLOWED);
      setImmediate(() => socket.destroy());
    });
    rejectUnparsable(this);
  }

  /** Answers requests with `listener`. At most four requests on a connection are processed at the same time. */
  answerWith(listener: RequestListener): this {
    return this.on('request', (request, response) => this.#lines.add(response, () => listener(request, response)));
  }

  /** Starts to listen. Resolves with the port. Rejects with a `PortError` if the server can't listen. */
  listenAt(address: ListenAddress): Promise<number> {
    return new Promise((resolve, reject) => {
      this.once('error', (error: NodeJS.ErrnoException) => reject(new PortError(address, error.code)));
      this.listen(address.port, address.host, () => resolve((this.address() as AddressInfo).port));
    });
  }

  /**
   * Accepts no more connections, waits up to `withinMs` until all requests are answered, and then closes all
   * connections.
   */
  async finish(withinMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.close(() => resolve()));
    this.closeIdleConnections();
    const answered = new Promise<void>((resolve) => (this.#onAllAnswered = resolve));
    if (!this.#lines.isEmpty) await Promise.race([answered, after(withinMs)]);
    this.closeAllConnections();
    await closed;
  }
}

function textFor(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  if (code === 'HPE_INVALID_METHOD') return METHOD_NOT_ALLOWED;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : UNREADABLE;
}

function answerText(status: string, error: CodedErrorBody, allow: readonly string[] = []): string {
  const body = JSON.stringify(error);
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`, ...allow];
  return [`HTTP/1.1 ${status}`, ...headers, 'Cache-Control: no-store', 'Connection: close', '', body].join('\r\n');
}

/**
 * Responds to bytes that can't be parsed as a request, and ends the connection. Each request gets only one response.
 * Nothing is sent after the last response.
 */
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

/**
 * Returns whether the pending response is the last one: it ends the connection, or it belongs to the request that can't
 * be read completely.
 */
function isLastAnswer(response: ServerResponse): boolean {
  const endsConnection = !response.shouldKeepAlive || response.getHeader('Connection') === 'close';
  return response.headersSent && (!response.req.complete || endsConnection);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
