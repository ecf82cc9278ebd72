import type { IncomingMessage } from 'node:http';
import { isSourceId } from '@pulse-card/contract';
import { AccessGrant, type TokenResult, type TokenVerifier } from '@pulse-card/token';
import type { PulseCache } from '../cache/pulse-cache.ts';
import type { Clock } from '../clock.ts';
import type { ImageUrlSigner } from '../images/image-url-signer.ts';
import { faultText } from './clients.ts';
import { countOf, decodedSegment, type RequestContext } from './context.ts';
import type { AccessCheck } from './guards.ts';
import { sendError, sendTokenError } from './respond.ts';

/** The grant of `'*'`: every source that is listed or named. A source that only another reader's rights made known is left out. */
class ListedGrant extends AccessGrant {
  readonly #cache: Pick<PulseCache, 'isAdmittedOnly'>;

  constructor({ endsAtMs, holds }: AccessGrant, cache: Pick<PulseCache, 'isAdmittedOnly'>) {
    super('*', '*', endsAtMs, holds);
    this.#cache = cache;
  }

  override allowsSource(sourceId: string): boolean {
    return !this.#cache.isAdmittedOnly(sourceId);
  }
}

/** What tokens are checked with. */
export interface TokenAccessOptions {
  readonly verifier: TokenVerifier;
  /** Undefined if browsers load charts from the CDN. */
  readonly imageUrlSigner: ImageUrlSigner | undefined;
  /** The origins of the BFF's own pages: browsers name none when these ask. */
  readonly ownOrigins: readonly string[];
  /** Learns the sources that a valid token names. */
  readonly cache: Pick<PulseCache, 'admit' | 'isAdmittedOnly'>;
}

const CHART = /^\/v1\/sources\/([^/]+)\/image$/;

/** Makes the check of tokens and signed URLs. It runs before any cache lookup. */
export function tokenAccess({ verifier, imageUrlSigner, ownOrigins, cache }: TokenAccessOptions): AccessCheck {
  function byToken(context: RequestContext, result: TokenResult): boolean {
    if (typeof result === 'string') return sendTokenError(context, 'token_invalid', result);
    const { origin } = context.request.headers;
    if (!result.allowsOrigin(origin === undefined ? ownOrigins : [origin])) {
      return sendTokenError(context, 'token_forbidden', 'origin');
    }
    if (result.sources !== '*') cache.admit(result.sources);
    context.accessGrant = result.sources === '*' ? new ListedGrant(result, cache) : result;
    return true;
  }

  function bySignedUrl(context: RequestContext, signer: ImageUrlSigner, sourceId: string): boolean {
    const endsAtMs = signer.endOf(sourceId, context.query);
    if (endsAtMs === undefined) return sendTokenError(context, 'token_invalid', 'address');
    cache.admit([sourceId]);
    context.accessGrant = new AccessGrant([sourceId], '*', endsAtMs);
    return true;
  }

  return (context) => {
    context.isPrivate = true;
    if (imageUrlSigner !== undefined) {
      const sourceId = signedSourceId(context);
      if (sourceId !== undefined) return bySignedUrl(context, imageUrlSigner, sourceId);
    }
    const token = bearerOf(context.request);
    if (token === undefined) return sendTokenError(context, 'token_missing');
    const known = verifier.known(token);
    if (known !== undefined) return byToken(context, known);
    return verifier.verify(token).then((result) => byToken(context, result));
  };
}

/** The source whose chart is requested by a signed URL. */
function signedSourceId({ path, query }: RequestContext): string | undefined {
  const segment = CHART.exec(path)?.[1];
  return segment !== undefined && new URLSearchParams(query).has('sig') ? decodedSegment(segment) : undefined;
}

/** The token of a request: in its one `Authorization` header, and nowhere else. */
function bearerOf(request: IncomingMessage): string | undefined {
  // Another server on the way may have read another one.
  if (countOf('authorization', request) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(request.headers.authorization ?? '')?.[1];
}

/** What a request may see: every source that is listed or named, or these ids. */
export type Rights = '*' | readonly string[];

/** Asks the application what a request may see. */
export type Authorize = (request: IncomingMessage) => Rights | Promise<Rights>;

/** How long the application may take to answer, in ms. */
const TIMEOUT_MS = 5_000;

export interface AuthorizerOptions {
  readonly authorize: Authorize;
  readonly cache: Pick<PulseCache, 'admit' | 'isAdmittedOnly'>;
  readonly clock: Clock;
}

/** Returns what the application lets a request see of a grant. Rejects if it throws, takes 5 s, or returns anything else. */
export type Authorizer = (request: IncomingMessage, grant: AccessGrant) => Promise<AccessGrant>;

/** Makes the function that asks the application. */
export function authorizer({ authorize, cache, clock }: AuthorizerOptions): Authorizer {
  async function rightsOf(request: IncomingMessage): Promise<Rights> {
    const late = Promise.withResolvers<never>();
    const cancel = clock.schedule(TIMEOUT_MS, () => late.reject(new Error('it took 5 s')));
    try {
      const rights: unknown = await Promise.race([(async () => authorize(request))(), late.promise]);
      if (isRights(rights)) return rights;
      throw new TypeError(`it returned ${inWords(rights)}, not "*" or an array of source ids`);
    } catch (cause) {
      throw new Error(`authorize() failed: ${faultText(cause)}`, { cause });
    } finally {
      cancel();
    }
  }

  return async (request, grant) => {
    const rights = await rightsOf(request);
    const isForAll = grant.sources === '*';
    if (rights === '*') return isForAll ? new ListedGrant(grant, cache) : grant;
    cache.admit(rights);
    const sources = isForAll ? rights : rights.filter((sourceId) => grant.allowsSource(sourceId));
    return new AccessGrant(sources, '*', grant.endsAtMs, grant.holds);
  };
}

function isRights(value: unknown): value is Rights {
  return value === '*' || (Array.isArray(value) && value.every(isSourceId));
}

/** The kind of a value, without its data. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return 'an array with an item that is no source id';
  if (typeof value === 'string') return 'another string';
  if (value === null || value === undefined) return String(value);
  if (value instanceof Set) return 'a Set';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Makes the check of `check`, and after it of the application. */
export function authorizedAccess(
  check: AccessCheck,
  grantFor: Authorizer,
  onFault: (message: string) => void,
): AccessCheck {
  return async (context) => {
    if (!(await check(context))) return false;
    try {
      context.accessGrant = await grantFor(context.request, context.accessGrant);
      return true;
    } catch (fault) {
      onFault(faultText(fault));
      const error = 'Pulses are unavailable: the application did not say what this reader may see';
      sendError(context, 'upstream_unavailable', { error });
      return false;
    }
  };
}
