import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type Router } from 'express';
import { FRAMES_PREFIX, type RequestGuards } from './request-guards.ts';
import { RequestContext, type ServerContext } from './request-context.ts';
import type { RouteParts } from './router.ts';
import { sendPulse, sendPulses, PULSES_ROUTE } from './routes/pulses-route.ts';
import { errorPageOf } from './routes/embed-route.ts';
import { sendError } from './send-error.ts';

/** What the fast path needs. */
export interface FastPathOptions {
  readonly guard: RequestGuards;
  readonly parts: RouteParts;
  readonly server: ServerContext;
}

/** Answers a request, or passes it on to `next`. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const contexts = new WeakMap<ServerResponse, RequestContext>();

/** The context that the fast path opened for `response`. */
export function contextOf(response: ServerResponse): RequestContext {
  const context = contexts.get(response);
  if (context === undefined) throw new Error('Cannot answer: the request did not pass the fast path');
  return context;
}

/**
 * Makes the handler in front of all routes. It runs the request guards, and answers the routes of pulses itself: nearly all
 * requests are for them, and Express's router takes a third of the time of a cache hit.
 */
export function createFastPath({ guard, parts, server }: FastPathOptions): Handler {
  const { onFault } = parts;
  const errorPage = errorPageOf(parts.frames);
  return (request, response, next) => {
    const context = new RequestContext(request, response, server);
    if (context.path.startsWith(FRAMES_PREFIX)) context.errorPage = errorPage;
    try {
      const allowed = guard(context);
      const waits =
        typeof allowed === 'boolean'
          ? allowed && answer(context, next)
          : allowed.then((isAllowed) => isAllowed && answer(context, next));
      if (waits instanceof Promise) waits.catch((fault: unknown) => sendInternalError(context, fault, onFault));
    } catch (fault) {
      sendInternalError(context, fault, onFault);
    }
  };

  function answer(context: RequestContext, next: () => void): void | Promise<void> {
    const { response, path } = context;
    const segment = context.isReadMethod ? pulseSegment(path) : undefined;
    if (segment !== undefined) {
      return segment === ALL ? sendPulses(context, parts) : sendPulse(context, parts, segment);
    }
    contexts.set(response, context);
    return next();
  }
}

/** Answers 500 without details, or closes the connection where a response has begun. */
export function sendInternalError(context: RequestContext, fault: unknown, onFault: (fault: unknown) => void): void {
  onFault(fault);
  if (context.response.headersSent) context.response.destroy();
  else sendError(context, 'internal');
}

const BEFORE_ID = '/v1/sources/';
const AFTER_ID = '/pulse';

/** Means the batch instead of an id: no id has a slash. */
const ALL = '/';

/** The segment that names the source in the path of a pulse; `ALL` for a batch; undefined for every other path. */
function pulseSegment(path: string): string | undefined {
  if (path === PULSES_ROUTE) return ALL;
  if (!path.startsWith(BEFORE_ID) || !path.endsWith(AFTER_ID)) return undefined;
  const segment = path.slice(BEFORE_ID.length, -AFTER_ID.length);
  return segment === '' || segment.includes('/') ? undefined : segment;
}

/** The request listener of a server: the fast path first, then Express. */
export function toRequestListener({
  fastPath,
  routes,
}: {
  readonly fastPath: Handler;
  readonly routes: Router;
}): RequestListener {
  const rest = express().disable('x-powered-by').use(routes);
  return (request, response) => {
    // Node still emits requests that it has read from a connection that is closed by now.
    if (!request.socket.destroyed) fastPath(request, response, () => rest(request, response));
  };
}
