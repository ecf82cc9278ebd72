import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@pulse-card/contract';
import type { TokenResult, TokenVerifier } from '@pulse-card/token';
import type { Grant, Granted } from '../../http/authorizer.ts';
import { makePrivate } from '../../http/cache-headers.ts';
import { sendError } from '../../http/errors.ts';
import type { SignedUrls } from '../../http/public-fields.ts';
import { countOf, type RequestContext } from '../../http/request-context.ts';

export interface TokenGrantOptions {
  readonly verifier: TokenVerifier;
  /** Verifies addresses that have a signature instead of a token. Undefined if no address is signed. */
  readonly signedUrls: () => SignedUrls | undefined;
  /** The origins of the BFF's own pages. Requests from these pages have no `Origin` header. */
  readonly ownOrigins: readonly string[];
}

/**
 * Creates the grant of tokens. The grant allows what a request's token or signed address allows. Without a token or
 * signed address, the grant responds with 401 or 403.
 */
export function tokenGrant({ verifier, signedUrls, ownOrigins }: TokenGrantOptions): Grant {
  const grantedBy = (context: RequestContext, result: TokenResult): Granted | undefined => {
    if (typeof result === 'string') return refuse(context, 'token_invalid', result);
    const { origin } = context.request.headers;
    if (!result.allowsOrigin(origin === undefined ? ownOrigins : [origin]))
      return refuse(context, 'token_forbidden', 'origin');
    return result.sources;
  };
  return (context) => {
    makePrivate(context);
    const signed = signedUrls();
    const signedId = signed?.sourceIdOf(context.target);
    if (signedId !== undefined)
      return signed?.isSigned(signedId, context.target.query)
        ? new Set([signedId])
        : refuse(context, 'token_invalid', 'address');
    const token = bearerOf(context.request);
    if (token === undefined) return refuse(context, 'token_missing');
    const known = verifier.known(token);
    if (known !== undefined) return grantedBy(context, known);
    return verifier.verify(token).then((result) => grantedBy(context, result));
  };
}

/** Responds that the token is missing, invalid, or insufficient. `detail` is only for the log. */
function refuse(context: RequestContext, code: ErrorCode, detail?: string): undefined {
  context.record.detail = detail;
  sendError(context, code);
}

/** The token in a request. Only a single `Authorization` header is accepted. */
function bearerOf(request: IncomingMessage): string | undefined {
  // If there are two such headers, another server may have used the other one.
  if (countOf('authorization', request) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(request.headers.authorization ?? '')?.[1];
}
