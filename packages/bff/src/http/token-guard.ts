import type { IncomingMessage } from 'node:http';
import { AccessGrant, type TokenResult, type TokenVerifier } from '../auth/token-verifier.ts';
import type { ImageUrlSigner } from '../auth/image-url-signer.ts';
import { decodedSegment, type RequestContext } from './request-context.ts';
import { sendTokenError } from './send-error.ts';

/** What the token guard checks with. */
export interface TokenGuardOptions {
  readonly verifier: TokenVerifier;
  /** Undefined if browsers load charts from the CDN. */
  readonly images: ImageUrlSigner | undefined;
  /** The origins of the BFF's own pages: browsers name none when these ask. */
  readonly ownOrigins: readonly string[];
}

/** Sets the access grant and returns true, or answers 401 or 403 and returns false. It runs before any cache lookup. */
export type TokenGuard = (context: RequestContext) => boolean | Promise<boolean>;

const CHART = /^\/v1\/sources\/([^/]+)\/image$/;

/** Makes the check of everything that needs a token. */
export function tokenGuard({ verifier, images, ownOrigins }: TokenGuardOptions): TokenGuard {
  function authorize(context: RequestContext, result: TokenResult): boolean {
    if (typeof result === 'string') return sendTokenError(context, 'token_invalid', result);
    const { origin } = context.request.headers;
    if (!result.allowsOrigin(origin === undefined ? ownOrigins : [origin])) {
      return sendTokenError(context, 'token_forbidden', 'origin');
    }
    context.accessGrant = result;
    return true;
  }

  function authorizeByUrl(context: RequestContext, sourceId: string): boolean {
    const endsAtMs = images?.endOf(sourceId, context.query);
    if (endsAtMs === undefined) return sendTokenError(context, 'token_invalid', 'address');
    context.accessGrant = new AccessGrant([sourceId], '*', endsAtMs);
    return true;
  }

  return (context) => {
    context.isPrivate = true;
    const chart = images && signedChart(context);
    if (chart !== undefined) return authorizeByUrl(context, chart);
    const token = bearerOf(context.request);
    if (token === undefined) return sendTokenError(context, 'token_missing');
    const accessGrant = verifier.known(token);
    if (accessGrant !== undefined) return authorize(context, accessGrant);
    return verifier.verify(token).then((result) => authorize(context, result));
  };
}

/** The source of a chart that is requested by a signed URL. */
function signedChart({ path, query }: RequestContext): string | undefined {
  const segment = CHART.exec(path)?.[1];
  return segment !== undefined && new URLSearchParams(query).has('sig') ? decodedSegment(segment) : undefined;
}

/** The token of a request: in its one `Authorization` header, and nowhere else. */
function bearerOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const token = /^bearer(?: +(.*))?$/is.exec(headers.authorization ?? '')?.[1];
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length;
  // Another server on the way may have read the other one.
  return count > 1 ? '' : token;
}
