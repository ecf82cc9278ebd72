import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from './admission.ts';
import { type ErrorPage, Exchange, type OnAnswered } from './exchange.ts';
import { answerPulse } from './pulse-route.ts';
import { answerPulses, PULSES_ROUTE, type PulsesRouteParts } from './pulses-route.ts';
import { sendError } from './send-error.ts';

/** What the front needs. */
export interface FrontParts {
  readonly admit: Admission;
  readonly pulses: PulsesRouteParts;
  /** Makes the errors of pages for frames. */
  readonly errorPage: ErrorPage;
  readonly onAnswered: OnAnswered;
  /** Hears of what went wrong inside. */
  readonly onFault: (fault: unknown) => void;
}

/** Takes a request, or passes it on to `next`. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Below this path lie pages. */
const FRAMES = '/embed/';

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** The exchange that the front opened for `response`. */
export function exchangeOf(response: ServerResponse): Exchange {
  const exchange = exchanges.get(response);
  if (exchange === undefined) throw new Error('Cannot answer: the request did not come through the front');
  return exchange;
}

/**
 * Makes the handler in front of all routes: it admits, and answers for pulses by itself.
 * A router would cost these, nearly all of the requests, a third of the machine.
 */
export function createFront({ admit, pulses, errorPage, onAnswered, onFault }: FrontParts): Handler {
  return (request, response, next) => {
    const exchange = new Exchange(request, response, onAnswered);
    if (exchange.path.startsWith(FRAMES)) exchange.errorPage = errorPage;
    try {
      const admitted = admit(exchange);
      const waits =
        typeof admitted === 'boolean'
          ? admitted && answer(exchange, next)
          : admitted.then((isAdmitted) => isAdmitted && answer(exchange, next));
      if (waits instanceof Promise) waits.catch((fault: unknown) => sendFault(exchange, fault, onFault));
    } catch (fault) {
      sendFault(exchange, fault, onFault);
    }
  };

  function answer(exchange: Exchange, next: () => void): void | Promise<void> {
    const { request, response, path } = exchange;
    const segment = isReading(request) ? pulseSegment(path) : undefined;
    if (segment !== undefined) {
      return segment === ALL ? answerPulses(exchange, pulses) : answerPulse(exchange, segment, pulses);
    }
    exchanges.set(response, exchange);
    return next();
  }
}

/** Answers 500, or cuts the connection where an answer has begun; says nothing of the fault to the reader. */
export function sendFault(exchange: Exchange, fault: unknown, onFault: (fault: unknown) => void): void {
  onFault(fault);
  if (exchange.response.headersSent) exchange.response.destroy();
  else sendError(exchange, 'internal');
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

const BEFORE_ID = '/v1/sources/';
const AFTER_ID = '/pulse';

/** Stands for the batch in place of an id, which has no slash. */
const ALL = '/';

/** The segment that names the source in the path of a pulse; `ALL` for a batch; undefined for every other path. */
function pulseSegment(path: string): string | undefined {
  if (path === PULSES_ROUTE) return ALL;
  if (!path.startsWith(BEFORE_ID) || !path.endsWith(AFTER_ID)) return undefined;
  const segment = path.slice(BEFORE_ID.length, -AFTER_ID.length);
  return segment === '' || segment.includes('/') ? undefined : segment;
}
