import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CommandError } from '../command-error.ts';
import { ERRORS } from './errors.ts';

/** Limits for slow and idle clients and a check interval that is short enough to enforce them. */
const SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than common clients keep idle connections open, so that clients don't send on a connection that is being
  // closed.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  // The app itself rejects a request without a host, using the spec's error format.
  requireHostHeader: false,
};

/** How long a client may go without reading a response, in milliseconds. Until then, the response stays in memory. */
const STALLED_MS = 20_000;

/** How long pending requests may take to finish once the server must stop. */
const DRAIN_MS = 8_000;

/** Settings for a `GracefulServer`. */
export interface GracefulServerOptions {
  /** How long a connection may be stalled. @default 20 s */
  readonly stalledMs?: number;
}

/** Where to listen, and the variable that sets it. */
export interface ListenAddress {
  host: string;
  port: number;
  portVariable: string;
}

/** An HTTP server that stops without cutting off responses. */
export class GracefulServer {
  readonly #running = new Set<ServerResponse>();
  /** A connection's requests that are waiting for the response in progress. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();
  readonly #server: Server = createServer(SETTINGS);
  #stopping = false;
  #port: number | undefined;

  constructor({ stalledMs = STALLED_MS }: GracefulServerOptions = {}) {
    this.#server.setTimeout(stalledMs);
  }

  /** Starts serving `app`. Throws a `CommandError` that names the port and its variable. */
  async listen(app: RequestListener, { host, port, portVariable }: ListenAddress): Promise<void> {
    this.#server.on('request', (req, res) => this.#inTurn(req, res, app));
    // By default, Node rejects an unknown `Expect` header with an empty 417 response.
    this.#server.on('checkExpectation', (req, res) => this.#server.emit('request', req, res));
    this.#server.on('clientError', answerMalformed);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(new CommandError(listenFailure(error, { host, port, portVariable }))),
      );
      this.#server.listen(port, host, resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /**
   * The port that it listens on. It is available even while the server stops, because the last responses contain it.
   */
  get port(): number {
    if (this.#port === undefined) throw new Error('Can’t determine the port: the server isn’t listening');
    return this.#port;
  }

  /** Stops accepting connections, lets pending requests finish, and closes all remaining connections. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#stopping = true;
    for (const res of this.#running) closeAfter(res);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const cut = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(cut);
  }

  /**
   * Passes a connection's requests to `app` one at a time. While one is waiting, nothing more is read from the
   * connection, so that pipelined requests for large responses take little memory.
   */
  #inTurn(req: IncomingMessage, res: ServerResponse, app: RequestListener): void {
    const { socket } = req;
    const waiting = this.#waiting.get(socket);
    if (waiting !== undefined) {
      waiting.push(() => this.#handle(req, res, app));
      this.#pause(socket);
      return;
    }
    this.#waiting.set(socket, []);
    this.#handle(req, res, app);
  }

  #handle(req: IncomingMessage, res: ServerResponse, app: RequestListener): void {
    const { socket } = req;
    this.#track(res);
    res.once('close', () => {
      const waiting = this.#waiting.get(socket) ?? [];
      const next = waiting.shift();
      if (next === undefined || socket.destroyed) {
        this.#waiting.delete(socket);
        return;
      }
      if (waiting.length > 0) this.#pause(socket);
      else socket.resume();
      next();
    });
    app(req, res);
  }

  /** Stops reading while requests wait. Node resumes a connection after each request that it has parsed. */
  #pause(socket: Socket): void {
    queueMicrotask(() => {
      if (this.#waiting.get(socket)?.length) socket.pause();
    });
  }

  /**
   * Ends busy connections after their response. Otherwise, they would continue to serve new requests while the server
   * closes.
   */
  #track(res: ServerResponse): void {
    if (this.#stopping) closeAfter(res);
    this.#running.add(res);
    res.once('close', () => this.#running.delete(res));
  }
}

function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Responds to invalid HTTP, which doesn't reach any route, with an error in the spec's format. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] = MALFORMED[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ success: false, error: status === 400 ? ERRORS.badRequest.error : reason });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const MALFORMED: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

const LISTEN_WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine has no such IP address (HOST)',
  ENOTFOUND: 'no such host (HOST)',
};

function listenFailure(error: NodeJS.ErrnoException, { port, portVariable }: ListenAddress): string {
  const words = LISTEN_WORDS[error.code ?? ''] ?? error.code ?? 'unexpected failure';
  return `Can’t listen on port ${port} (${portVariable}): ${words}`;
}
