import type { IncomingMessage } from 'node:http';
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
import { checkedAuthorize } from './features/mount/checked-authorize.ts';
import { namedClients } from './features/mount/named-clients.ts';
import { writePrivateHead } from './features/mount/private-head.ts';
import { MAX_TIMER_MS } from './lib/clock.ts';
import { nodeFault } from './lib/node-version.ts';

export { ConfigError } from './config/config.ts';
export type { VariableName } from './features.ts';
export type { Diagnosis, Finding } from '@pulse-card/doctor';
export type { StudioSettings } from './features/studio/studio.ts';

/** Variables as an environment holds them: text, or absent. */
export type Variables = Readonly<Partial<Record<VariableName | (string & {}), string | undefined>>>;

/** The response of `GET /status`. */
export type StatusDocument = OwnStatusDocument &
  ImagesFacts & {
    readonly alerts: AlertsStatus;
    /** Null if it is unknown. */
    readonly keyExpiry: KeyExpiry | null;
    /** Only if `PULSE_WITHHELD_FILE` is set. */
    readonly withheld?: WithheldStatus;
  };

/** The BFF as an Express router, to mount in an existing application. */
export interface PulseBff extends Router {
  /**
   * Reads a pulse in process, with the same public fields as a response, for server rendering and mail. With
   * `authorize`, `request` is required.
   */
  pulse(sourceId: string, request?: Request): Promise<PulseOutcome>;
  /**
   * Responds to a `Request`, for route handlers of Next.js and serverless functions. The path of `PULSE_PUBLIC_URL` is
   * removed from the request's path. It has no connection, so the client limit needs `TRUST_PROXY` or `clientKey`.
   */
  readonly fetch: (request: globalThis.Request) => Promise<Response>;
  /** Resolves once the BFF can respond. Requests wait until then. Rejects if the BFF can't start. */
  readonly ready: Promise<void>;
  /** Ends all calls and timers, and saves the state. */
  close(): Promise<void>;
}

/**
 * The sources that a request may see, and the reader: `reader` is a string of at most 256 characters, such as the id of
 * a user, and is compared with the `reader` of cards.
 */
export type PulseAuthorization =
  | '*'
  | readonly string[]
  | { readonly sources: '*' | readonly string[]; readonly reader?: string | undefined };

/** How a mounted router fits into its application. */
export interface PulseBffOptions {
  /**
   * Returns the sources that a request may see: `'*'` for all that are listed or named, or their ids. With `{ sources,
   * reader }`, it also identifies the reader: responses then contain `Pulse-Reader`, and a card with a different
   * `reader` doesn't show them. Called once for each request for data. If it throws, takes 5 s, or returns anything
   * else, the answer is 503. `'*'` instead of a function lets every request see all sources, which is also the default,
   * but then the log has a warning.
   */
  readonly authorize?: '*' | ((request: Request) => PulseAuthorization | Promise<PulseAuthorization>);
  /**
   * Returns the name that the client limit counts, such as the id of a user. If it fails or returns no name, the
   * address is used. @default the address
   */
  readonly clientKey?: (request: Request) => string | number;
}

/**
 * Creates the BFF as a router. `variables` has the same names as the environment of `pulse-bff serve`, so you can pass
 * `process.env`. `PULSE_PUBLIC_URL` is the address of the mount. Responses with data are always `private, no-cache`.
 * Throws `ConfigError` with every error in `variables`, `Error` on Node below 22.19, and `TypeError` for an unknown
 * option, or one that isn't a function.
 */
export function createPulseBff(variables: Variables, options: PulseBffOptions = {}): PulseBff {
  const oldNode = nodeFault('createPulseBff()');
  if (oldNode !== undefined) throw new Error(oldNode);
  refuseBadOptions(options);
  const { authorize, clientKey } = options;
  const config = readConfig({ ...asTexts(variables), PULSE_CACHE: 'private' }, FEATURE_VARIABLES);
  const opening = openBff(config, {
    mountedHead: writePrivateHead,
    // Express gives its own request to a mounted router.
    authorize: typeof authorize === 'function' ? checkedAuthorize(authorize as OfRequest) : authorize,
    nameClients: clientKey && namedClients(clientKey as OfRequest),
  });
  let opened: Bff | undefined;
  const ready = opening.then((bff) => void (opened = bff));
  // An unhandled rejection must not end a process that does not await `ready`.
  ready.catch(() => {});
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    // A router of Express 4 does not tell its children the mount path.
    if (request.app !== undefined && isExpress4(request.app)) return next(new TypeError(EXPRESS_4));
    const answer = ({ app }: Bff): void => app.handle(request, response);
    if (opened === undefined) opening.then(answer, next);
    else answer(opened);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opening.then(closeBff, () => {}));
  const pulse = (sourceId: string, request?: Request): Promise<PulseOutcome> =>
    keptAlive(opening.then(({ app }) => app.readPulse(sourceId, request)));
  const answerRequest = fetchHandler(async () => (await opening).app.handle, config.publicUrl);
  const fetch = (request: globalThis.Request): Promise<Response> => keptAlive(answerRequest(request));
  const mounted = Object.assign(router, { ready, close, pulse, fetch });
  openings.set(mounted, opening);
  return mounted;
}

/** A function of the application about a request. What it returns is checked. */
type OfRequest = (request: IncomingMessage) => unknown;

/**
 * Keeps the process alive until `work` ends, because a script may wait for it. The BFF's timers and calls don't keep it
 * alive.
 */
async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Values as an environment would contain them, because untyped code may pass a port as a number. */
function asTexts(variables: Readonly<Record<string, string | number | boolean | null | undefined>>): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value ?? '')]));
}

/** What each option must be, and what to use instead. */
const MUST_BE: Readonly<Record<string, string>> = {
  authorize: 'must be a function, or "*" to let every request see all sources',
  clientKey: 'must be a function; leave it out to count requests by address',
};

/** Rejects unknown options and options that aren't functions, so that a misspelled name or import can't expose every source. */
function refuseBadOptions(options: PulseBffOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const mustBe = MUST_BE[name];
    if (mustBe === undefined)
      throw new TypeError(`${name} is not an option of createPulseBff(), which takes authorize and clientKey`);
    const isOpen = name === 'authorize' && value === '*';
    if (typeof value !== 'function' && !isOpen) throw new TypeError(`${name} ${mustBe}`);
  }
}

const EXPRESS_4 = 'createPulseBff() needs Express 5: this application runs Express 4. Upgrade express';

/** Only the application of Express 4 has `lazyrouter()`. */
function isExpress4(application: object): boolean {
  return 'lazyrouter' in application;
}

/**
 * Creates a router with the status page (`/`) and the Studio (`/studio/`) of `bff`. Anyone who reaches it sees every
 * source, so mount it behind the application's login, at its own path.
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
