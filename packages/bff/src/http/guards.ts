import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@pulse-card/contract';
import type { Clock } from '../lib/clock.ts';
import type { AppConfig } from '../config/config.ts';
import { refuseNoSource, type Authorizer } from './authorizer.ts';
import { trustedPeerTest } from './client-key.ts';
import { ClientRateLimit } from './client-rate.ts';
import { countOf, isReading, type RequestContext } from './request-context.ts';
import { makePrivate } from './cache-headers.ts';
import { crossOriginHeaders, type OriginPolicy, readableBy } from './origins.ts';
import { ERROR_TEXTS, sendError } from './errors.ts';

/**
 * Adds the common headers and returns true. If the request is rejected, responds and returns false. Returns a promise
 * only if the authorization has to wait.
 */
export type RequestGuards = (context: RequestContext) => boolean | Promise<boolean>;

export interface RequestGuardsOptions {
  readonly config: Pick<AppConfig, 'access' | 'cacheScope' | 'clientRatePerMinute' | 'proxyTrust'>;
  readonly clock: Clock;
  readonly origins: OriginPolicy;
  readonly authorizer: Authorizer;
  /** Paths that don't count toward the client limit. */
  readonly uncounted: ReadonlySet<string>;
}

/** Creates the checks that every request must pass before it reaches a route. */
export function requestGuards(options: RequestGuardsOptions): RequestGuards {
  const { config, clock, origins, authorizer, uncounted } = options;
  const takesTokens = config.access === 'token';
  const addCrossOriginHeaders = crossOriginHeaders(origins, takesTokens);
  const clientRate = new ClientRateLimit({
    limit: config.clientRatePerMinute,
    clock,
    uncounted,
    isTrustedPeer: trustedPeerTest(config.proxyTrust),
  });

  return (context) => {
    const { request, headers, access } = context;
    const { origin } = request.headers;
    const isData = access === 'data' || access === 'none';
    headers.push('X-Content-Type-Options', 'nosniff');
    if (!context.target.isValid) return refuse(context, 'bad_request', { closes: true });
    if (config.cacheScope === 'private') makePrivate(context);
    if (isData) addCrossOriginHeaders(headers, origin);
    closeIfNeeded(context);
    const isAllowedMethod = isReading(request) || request.method === 'OPTIONS';
    const malformation = malformationOf(request);
    if (malformation !== undefined && isAllowedMethod)
      return refuse(context, 'bad_request', { closes: true, error: malformation });
    if (!clientRate.check(context)) return false;
    if (isData && isAllowedMethod && origin !== undefined && !origins.allows(origin)) {
      if (!isPreflight(request)) return refuse(context, 'origin_forbidden');
      headers.push(...readableBy(context));
    }
    if (takesTokens && access === 'frame') headers.push('Vary', 'Authorization');
    // A preflight carries no token.
    const readsData = isReading(request) && (isData || access === 'frame');
    return !readsData || authorizer.check(context);
  };
}

/**
 * The guards of the operator's own pages. These guards check no origin and no token, apply no limit, and allow all
 * sources.
 */
export function operatorGuards(context: RequestContext): boolean {
  if (!context.target.isValid) return refuse(context, 'bad_request', { closes: true });
  makePrivate(context);
  context.reader.viewer = null;
  context.reader.refusalOf = refuseNoSource;
  closeIfNeeded(context);
  return true;
}

/** If the request has a body, closes the connection after this response, because the body is never read. */
function closeIfNeeded(context: RequestContext): void {
  if (hasBody(context.request)) context.closeConnection();
}

/**
 * Returns whether the request is a CORS preflight. Preflights are never refused, because a page can't read why a
 * preflight failed. Instead, the actual request is refused.
 */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Rejects a request. `closes`: whether to close the connection, because the bytes that follow may be part of the
 * request.
 */
function refuse(context: RequestContext, code: ErrorCode, { closes = false, error = ERROR_TEXTS[code] } = {}): false {
  if (closes) context.closeConnection();
  sendError(context, code, { error });
  return false;
}

/**
 * Explains why a request is malformed, or returns undefined. A request is malformed if a server in between might parse
 * it differently. Such a request has two `Host` headers, or none in HTTP/1.1 (RFC 9112, 3.2), or an unexpected body.
 */
function malformationOf(request: IncomingMessage): string | undefined {
  const hosts = countOf('host', request);
  if (hosts > 1) return 'The request is malformed: it names more than one host';
  if (hosts === 0 && request.httpVersion !== '1.0') return 'The request is malformed: it has no host';
  if (hasBody(request)) return 'The request is malformed: it must have no body';
  return undefined;
}

/** Returns whether a body follows the headers. */
function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}
