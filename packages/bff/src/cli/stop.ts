import type { Server } from 'node:http';

/** In-flight answers get this long; then their connections are cut. */
const FINISH_WITHIN_MS = 8_000;

/** A load balancer asks for readiness every second or so: it shall hear of the stop before the port closes. */
const READINESS_NOTICE_MS = 1_500;

/** What a stop has to do with. */
export interface Stoppable {
  readonly servers: readonly Server[];
  /** Readiness down, connections told to close. */
  readonly beginStop: () => void;
  /** Ends what works behind the servers. */
  readonly close: () => Promise<void>;
}

/** Stops in order: readiness down, a moment to be heard, no new connections, in-flight answered, the rest closed. */
export async function stopGracefully({ servers, beginStop, close }: Stoppable): Promise<void> {
  beginStop();
  await after(READINESS_NOTICE_MS);
  const closed = Promise.all(servers.map(closeServer));
  for (const server of servers) server.closeIdleConnections();
  await Promise.race([closed, after(FINISH_WITHIN_MS - READINESS_NOTICE_MS)]);
  for (const server of servers) server.closeAllConnections();
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
