import type { PulseOutcome } from '@pulse-card/contract';
import { type Request, Router } from 'express';
import { type Bff, openBff } from './bff.ts';
import { fetchHandler } from './features/mount/fetch-handler.ts';
import { readConfig } from './config/config.ts';
import type { AlertsStatus } from './features/alerts/alerts.ts';
import type { KeyExpiry } from './features/alerts/key-expiry.ts';
import type { ImagesFacts } from './features/images/images.ts';
import { FEATURE_VARIABLES, type VariableName } from './features.ts';
import type { StatusDocument as OwnStatusDocument } from './features/status/status-document.ts';
import type { WithheldStatus } from './features/withheld/withheld.ts';
import { mountOf } from './features/mount/mount.ts';
import { type PulseBffOptions, refuseBadOptions } from './features/mount/mount-options.ts';
import { MAX_TIMER_MS } from './lib/clock.ts';
import { nodeFault } from './lib/node-version.ts';

export { ConfigError } from './config/config.ts';
export type { PulseAuthorization, PulseBffOptions } from './features/mount/mount-options.ts';
export type { VariableName } from './features.ts';
export type { Diagnosis, Finding } from '@pulse-card/doctor';
export type { StudioSettings } from './features/studio/studio.ts';

/** The variables of an environment. Unset variables are undefined. */
export type Variables = Readonly<Partial<Record<VariableName | (string & {}), string | undefined>>>;

/** The response of `GET /status`. */
export type StatusDocument = OwnStatusDocument &
  ImagesFacts & {
    readonly alerts: AlertsStatus;
    /** Null if the value is unknown. */
    readonly keyExpiry: KeyExpiry | null;
    /** Present only if `PULSE_WITHHELD_FILE` is set. */
    readonly withheld?: WithheldStatus;
  };

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

/**
 * Creates the BFF as a router. `variables` has the same names as the environment of `pulse-bff serve`, so you can pass
 * `process.env`. `PULSE_PUBLIC_URL` is the address at which you mount the router. Responses with data are always
 * `private, no-cache`. Throws `ConfigError` with every error in `variables`. Throws `Error` if Node is older than
 * 22.19. Throws `TypeError` if an option is unknown or isn't a function.
 */
export function createPulseBff(variables: Variables, options: PulseBffOptions = {}): PulseBff {
  const oldNode = nodeFault('createPulseBff()');
  if (oldNode !== undefined) throw new Error(oldNode);
  refuseBadOptions(options);
  const mount = mountOf(options);
  const config = readConfig({ ...asTexts(variables), PULSE_CACHE: 'private' }, FEATURE_VARIABLES);
  const opening = openBff(config, { mount: mount.feature });
  let opened: Bff | undefined;
  const ready = opening.then((bff) => void (opened = bff));
  // A process that doesn't await `ready` must not end because of an unhandled rejection.
  ready.catch(() => {});
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    // A router of Express 4 doesn't pass the mount path to nested routers.
    if (request.app !== undefined && isExpress4(request.app)) return next(new TypeError(EXPRESS_4));
    const answer = ({ app }: Bff): void => app.handle(request, response);
    if (opened === undefined) opening.then(answer, next);
    else answer(opened);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opening.then(closeBff, () => {}));
  const pulse = (sourceId: string, request?: Request): Promise<PulseOutcome> =>
    keptAlive(opening.then(async ({ app }) => app.readPulse(sourceId, await mount.grantedTo(request))));
  const answerRequest = fetchHandler(async () => (await opening).app.handle, config.publicUrl);
  const fetch = (request: globalThis.Request): Promise<Response> => keptAlive(answerRequest(request));
  const mounted = Object.assign(router, { ready, close, pulse, fetch });
  openings.set(mounted, opening);
  return mounted;
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

/** The values as an environment would contain them. Untyped code may pass a port as a number. */
function asTexts(variables: Readonly<Record<string, string | number | boolean | null | undefined>>): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value ?? '')]));
}

const EXPRESS_4 = 'createPulseBff() needs Express 5, but this application runs Express 4. Upgrade express';

/** Only an application of Express 4 has `lazyrouter()`. */
function isExpress4(application: object): boolean {
  return 'lazyrouter' in application;
}

/**
 * Creates a router with the status page (`/`) and the Studio (`/studio/`) of `bff`. Anyone who can reach the router
 * sees every source. Mount the router behind the application's login, at a separate path.
 */
export function createPulseStudio(bff: PulseBff): Router {
  const opening = openings.get(bff);
  if (opening === undefined)
    throw new TypeError('Cannot create the Studio: pass createPulseStudio() the object that createPulseBff() returned');
  const router = Router({ caseSensitive: true });
  router.use(
    (request, response, next) => void opening.then(({ operatorPages }) => operatorPages(request, response, next), next),
  );
  return router;
}

const openings = new WeakMap<PulseBff, Promise<Bff>>();

function closeBff(bff: Bff): Promise<void> {
  bff.beginStop();
  return bff.close();
}
