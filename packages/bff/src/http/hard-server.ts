import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitPipelining } from './limit-pipelining.ts';
import { isRefusedConnection } from './malformed.ts';

/** Where a server listens, by the variable that says so. */
export interface Place {
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
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 8_192,
  // Node's own refusal has no body; a request without a host is refused as malformed further on.
  requireHostHeader: false,
};

/** A connection over which nothing moves for this long is cut: its client does not read. */
const MOST_IDLE_MS = 60_000;

/** Most connections at once, and most requests of one. */
const MOST_CONNECTIONS = 15_000;
const MOST_REQUESTS_OF_ONE = 1_000;

/** What is written to a client whose request can't be read at all; its text is ours alone. */
const UNREADABLE = answerText(400, 'Bad Request', 'The request is malformed');
const TOO_LARGE = answerText(
  431,
  'Request Header Fields Too Large',
  'The request is malformed: its headers are too long',
);
const TOO_SLOW = answerText(408, 'Request Timeout', 'The request is malformed: it was not complete in time');

/** A port is taken, or may not be used: says which, and the variable that names it. */
export class PortRefused extends Error {
  constructor({ port, variable, hostVariable = 'HOST' }: Place, code = 'unknown reason') {
    const reason = HOST_REASONS[code] === undefined ? PORT_REASONS[code] : `${HOST_REASONS[code]} (${hostVariable})`;
    super(`Cannot listen on port ${port} (${variable}): ${reason ?? code}`);
    this.name = 'PortRefused';
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
export function createHardServer(timeouts: Partial<typeof TIMEOUTS> = {}): Server {
  const server = createServer({ ...TIMEOUTS, ...timeouts });
  server.timeout = MOST_IDLE_MS;
  server.maxConnections = MOST_CONNECTIONS;
  server.maxRequestsPerSocket = MOST_REQUESTS_OF_ONE;
  limitPipelining(server);
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1); Node's own refusal has no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (isRefusedConnection(socket)) socket.end();
    else socket.end(textFor(error.code));
  });
  return server;
}

/** Begins to listen; resolves with the port, or rejects with `PortRefused`. */
export function listenAt(server: Server, place: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new PortRefused(place, error.code)));
    server.listen(place.port, place.host, () => resolve((server.address() as AddressInfo).port));
  });
}

function textFor(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : UNREADABLE;
}

function answerText(status: number, reason: string, error: string): string {
  const body = JSON.stringify({ success: false, error, code: 'invalid_source_id' });
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`];
  return [`HTTP/1.1 ${status} ${reason}`, ...headers, 'Cache-Control: no-store', 'Connection: close', '', body].join(
    '\r\n',
  );
}
