import type { Server } from 'node:http';

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
