import type { RequestListener } from 'node:http';
import type { HardenedServer } from '../http/server.ts';

/** Holds requests until the listener exists. Closes their connections if the listener fails to open. */
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

/** Requests in flight get this long after the drain; then their connections are cut. Docker kills 10 s after SIGTERM. */
const FINISH_WITHIN_MS = 3_000;

/** The servers to stop, and the functions to call before and after. */
export interface Stoppable {
  readonly servers: readonly HardenedServer[];
  /** How long the servers continue to respond, in ms. */
  readonly drainMs: number;
  /** `/readyz` fails from now on, and each response closes its connection. */
  readonly beginStop: () => void;
  /** Ends the work behind the servers. */
  readonly close: () => Promise<void>;
}

/**
 * Stops in order: `/readyz` fails; requests are still answered during the drain, while load balancers switch to other
 * instances; new connections are refused; requests in flight are answered; all other connections are closed; `close`
 * is called.
 */
export async function stopGracefully({ servers, drainMs, beginStop, close }: Stoppable): Promise<void> {
  beginStop();
  if (drainMs > 0) await new Promise((resolve) => void setTimeout(resolve, drainMs).unref());
  await Promise.all(servers.map((server) => server.finish(FINISH_WITHIN_MS)));
  await close();
}
