import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A listener's host and port, and the variables that set them. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly variable: string;
  /** The variable for `host`. @default HOST */
  readonly hostVariable?: string;
}

/** Connection limits. They are generous, because a reader's whole request fits into one packet. */
const OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than proxies keep idle connections open (60 s in nginx, Caddy, and ALB), so that a proxy never sends a
  // request on a connection that is being closed.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  // 32 kB for the headers and 8 kB for the request target.
  maxHeaderSize: 40_960,
};

/** A connection without any progress for this long is closed, because its client isn't reading. */
const MAX_IDLE_MS = 60_000;

const MAX_CONNECTIONS = 15_000;
const MAX_REQUESTS_PER_CONNECTION = 1_000;

/** How many pipelined requests can wait on one connection. Browsers don't pipeline requests. */
const MAX_WAITING = 100;

/** The error for a server that can't listen. The message contains the port and the variable that sets it. */
export class PortError extends Error {
  constructor({ port, variable, hostVariable = 'HOST' }: ListenAddress, code = 'unknown reason') {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'it is in use',
      EACCES: 'this user isn’t allowed to use it',
    };
    const isAddress = /^(?:EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(code);
    const address = `${hostVariable} must be an IP address or host name of this machine (${code})`;
    const reason = reasons[code] ?? (isAddress ? address : code);
    super(`Can’t listen on port ${port} (${variable}): ${reason}`);
    this.name = 'PortError';
  }
}

/** Creates a server with timeouts and limits. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(OPTIONS, oneAtATime(listener));
  server.timeout = MAX_IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  return server;
}

/**
 * Handles a connection's requests one at a time, so that a client that pipelines requests without reading the responses
 * can't fill the memory. A connection with too many waiting requests is closed.
 */
function oneAtATime(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, { latest: ServerResponse; waiting: number }>();
  return (req, res) => {
    const { socket } = req;
    const line = lines.get(socket);
    if (line === undefined || line.latest.closed) {
      lines.set(socket, { latest: res, waiting: 0 });
      listener(req, res);
      return;
    }
    if (line.waiting === MAX_WAITING) {
      socket.destroy();
      return;
    }
    line.waiting += 1;
    line.latest.once('close', () => {
      line.waiting -= 1;
      // Handles the next request later, so that other connections come first.
      if (!socket.destroyed) setImmediate(listener, req, res);
    });
    line.latest = res;
  };
}

/** Starts listening. Resolves with the port. Rejects with a `PortError`. */
export function listen(server: Server, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new PortError(address, error.code)));
    server.listen(address.port, address.host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops accepting connections, waits up to `withinMs` until all requests are completed, and closes all connections. */
export async function finish(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearTimeout(timer);
}
