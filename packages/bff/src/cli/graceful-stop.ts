import type { RequestListener } from 'node:http';
import type { HardenedServer } from '../http/server.ts';

/**
 * Holds requests until the listener is open. If the listener fails to open, the connections of these requests are
 * closed.
 */
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

/**
 * How long requests in flight may continue after the drain. Connections that are still open are then closed. Docker
 * kills a container 10 s after SIGTERM.
 */
const FINISH_WITHIN_MS = 3_000;

/** The servers to stop, and the functions to call before and after. */
export interface Stoppable {
  readonly servers: readonly HardenedServer[];
  /** How long the servers continue to respond, in ms. */
  readonly drainMs: number;
  /** After this call, `/readyz` fails, and each response closes its connection. */
  readonly beginStop: () => void;
  /** Ends the work behind the servers. */
  readonly close: () => Promise<void>;
}

/**
 * Stops in this order. First, `/readyz` fails. During the drain, requests are still answered, so that load balancers
 * can switch to other instances. Then new connections are refused, requests in flight are answered, all other
 * connections are closed, and `close` is called.
 */
export async function stopGracefully({ servers, drainMs, beginStop, close }: Stoppable): Promise<void> {
  beginStop();
  if (drainMs > 0) await new Promise((resolve) => void setTimeout(resolve, drainMs).unref());
  await Promise.all(servers.map((server) => server.finish(FINISH_WITHIN_MS)));
  await close();
}
