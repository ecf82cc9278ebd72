import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

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

/** How many pipelined requests can wait on one connection. Browsers don't pipeline requests. */
const MAX_WAITING = 100;

/** Creates a server with timeouts and limits. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(OPTIONS, oneAtATime(listener));
  server.timeout = MAX_IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  // Without file descriptors, for example, a connection can't be accepted. An unhandled error would end the process.
  return server.on('error', () => {});
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

/** Starts listening. Resolves with the port. Rejects with an error that names `variables`, which set the address. */
export async function listen(server: Server, port: number, host: string, variables: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: Error) => {
    throw new Error(`Can’t listen on port ${port} (${variables}): ${cause.message}`, { cause });
  });
  return (server.address() as AddressInfo).port;
}

/** Stops accepting connections, waits up to `withinMs` until all requests are completed, and closes all connections. */
export async function finish(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  setTimeout(() => server.closeAllConnections(), withinMs).unref();
  await closed;
}
