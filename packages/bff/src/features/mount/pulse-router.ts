import type { RequestListener } from 'node:http';
import type { PulseOutcome } from '@pulse-card/contract';
import { type Request, Router } from 'express';
import inject from 'light-my-request';
import { ApiError } from '../../http/errors.ts';
import { MAX_TIMER_MS } from '../../lib/clock.ts';

/** The BFF as an Express router, for mounting in an existing application. */
export interface PulseBff extends Router {
  /**
   * Reads a pulse in-process, for example for server rendering or email. The result has the same public fields as a
   * response. With `authorize`, `request` is required.
   */
  pulse(sourceId: string, request?: Request): Promise<PulseOutcome>;
  /**
   * Responds to a `Request`, for route handlers of Next.js and for serverless functions. A `Request` has no connection,
   * so the client limit requires `TRUST_PROXY` or `clientKey`.
   */
  readonly fetch: (request: globalThis.Request) => Promise<Response>;
  /** Resolves once the BFF can respond. Requests wait until then. Rejects if the BFF can't start. */
  readonly ready: Promise<void>;
  /** Ends all calls and timers, and saves the state. */
  close(): Promise<void>;
}

/** The parts of a BFF that its router uses. */
type Bff = Pick<PulseBff, 'pulse' | 'close'> & { readonly router: Router; readonly app: RequestListener };

/** Creates the router for a BFF that is starting up. */
export function pulseRouter(opening: Promise<Bff>): PulseBff {
  const ready = opening.then(() => undefined);
  // If a process doesn't await `ready`, an unhandled rejection must not end it.
  ready.catch(ignore);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(async (req, res, next) => (await opening).router(req, res, next));
  let closing: Promise<void> | undefined;
  return Object.assign(router, {
    ready,
    close: () => (closing ??= opening.then((bff) => bff.close(), ignore)),
    pulse: (sourceId: string, request?: Request) => keptAlive(opening.then((bff) => readPulse(bff, sourceId, request))),
    fetch: (request: globalThis.Request) => keptAlive(opening.then((bff) => answerRequest(bff, request))),
  });
}

async function readPulse(bff: Bff, sourceId: string, request: Request | undefined): Promise<PulseOutcome> {
  try {
    return await bff.pulse(sourceId, request);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'signed_out') throw error;
    return { sourceId, ok: false, code: 'signed_out', error: error.message };
  }
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: readonly number[] = [204, 304];

/** Headers that apply only to a single connection (RFC 9110, 7.6.1). A `Response` can't contain them. */
const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Responds as a server would. Bodies aren't compressed, because hosts without a Node server compress them themselves,
 * and Next.js drops `Content-Encoding`.
 */
async function answerRequest({ app }: Bff, request: globalThis.Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { statusCode, headers, rawPayload } = await inject(app, {
    method: request.method as 'GET',
    url: `${pathname}${search}`,
    headers: Object.fromEntries([...request.headers].filter(([name]) => name !== 'accept-encoding')),
  });
  const body = WITHOUT_BODY.includes(statusCode) ? null : new Uint8Array(rawPayload);
  const sent = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name));
  const pairs = sent.flatMap(([name, values = []]) => [values].flat().map((value) => [name, String(value)] as const));
  return new Response(body, { status: statusCode, headers: pairs as [string, string][] });
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

const ignore = (): void => {};
