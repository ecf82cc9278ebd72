import type { IncomingMessage } from 'node:http';
import type { PulseOutcome } from '@pulse-card/contract';
import { type Request, Router } from 'express';
import type { Granted } from '../../http/authorizer.ts';
import type { App } from '../../http/handler.ts';
import { MAX_TIMER_MS } from '../../lib/clock.ts';
import { fetchHandler } from './fetch-handler.ts';

/** The BFF as an Express router, for mounting in an existing application. */
export interface PulseBff extends Router {
  /**
   * Reads a pulse in process, for example for server rendering or mail. The result has the same public fields as a
   * response. With `authorize`, `request` is required.
   */
  pulse(sourceId: string, request?: Request): Promise<PulseOutcome>;
  /**
   * Responds to a `Request`. This method is for route handlers of Next.js and for serverless functions. The path of
   * `PULSE_PUBLIC_URL` is removed from the request's path. A `Request` has no connection, so the client limit needs
   * `TRUST_PROXY` or `clientKey`.
   */
  readonly fetch: (request: globalThis.Request) => Promise<Response>;
  /** Resolves once the BFF can respond. Requests wait until then. Rejects if the BFF can't start. */
  readonly ready: Promise<void>;
  /** Ends all calls and timers, and saves the state. */
  close(): Promise<void>;
}

/** The parts of a running BFF that a router uses. */
interface RunningBff {
  readonly app: App;
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

/** How the router fits into its application. */
interface RouterOptions {
  /** The address at which the router is mounted. */
  readonly publicUrl: string;
  /** The rights that in-process reads have for a request. */
  readonly grantedTo: (request: IncomingMessage | undefined) => Promise<Granted | undefined>;
}

/** Creates the router of a BFF that is being opened. */
export function pulseRouter(opening: Promise<RunningBff>, { publicUrl, grantedTo }: RouterOptions): PulseBff {
  let opened: RunningBff | undefined;
  const ready = opening.then((bff) => void (opened = bff));
  // A process that doesn't await `ready` must not end because of an unhandled rejection.
  ready.catch(() => {});
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    // A router of Express 4 doesn't pass the mount path to nested routers.
    if (request.app !== undefined && isExpress4(request.app)) return next(new TypeError(EXPRESS_4));
    const answer = ({ app }: RunningBff): void => app.handle(request, response);
    if (opened === undefined) opening.then(answer, next);
    else answer(opened);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opening.then(closeBff, () => {}));
  const pulse = (sourceId: string, request?: Request): Promise<PulseOutcome> =>
    keptAlive(opening.then(async ({ app }) => app.readPulse(sourceId, await grantedTo(request))));
  const answerRequest = fetchHandler(async () => (await opening).app.handle, publicUrl);
  const fetch = (request: globalThis.Request): Promise<Response> => keptAlive(answerRequest(request));
  return Object.assign(router, { ready, close, pulse, fetch });
}

function closeBff({ beginStop, close }: RunningBff): Promise<void> {
  beginStop();
  return close();
}

/**
 * Keeps the process alive until `work` ends, because a script may be waiting for it. The BFF's timers and calls don't
 * keep the process alive.
 */
async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

const EXPRESS_4 = 'createPulseBff() needs Express 5, but this application runs Express 4. Upgrade express';

/** Only an application of Express 4 has `lazyrouter()`. */
function isExpress4(application: object): boolean {
  return 'lazyrouter' in application;
}
