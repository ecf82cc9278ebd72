import type { IncomingMessage } from 'node:http';
import { isSourceId } from '@pulse-card/contract';
import type { TokenResult, TokenVerifier } from '@pulse-card/token';
import type { PulseCache } from '../cache/pulse-cache.ts';
import type { Clock } from '../clock.ts';
import type { ImageUrlSigner } from '../images/image-url-signer.ts';
import { faultText } from './clients.ts';
import { type Access, countOf, decodedSegment, type RequestContext, type SourceRefusal } from './context.ts';
import { sendError, sendTokenError } from './respond.ts';

/** Asks the application what a request may see: every source that is listed or named, or these ids. */
export type Authorize = (request: IncomingMessage) => Rights | Promise<Rights>;

type Rights = '*' | readonly string[];

/** The sources that a token, a signed URL or the configuration grants. */
type Granted = '*' | ReadonlySet<string>;

/** How long the application may take to answer, in ms. */
const TIMEOUT_MS = 5_000;

/** Refuses no source, not even one that only another reader's rights made known. */
export const refuseNoSource: SourceRefusal = () => undefined;

export interface AuthorizerOptions {
  readonly cache: Pick<PulseCache, 'admit' | 'isAdmittedOnly'>;
  readonly clock: Clock;
  /** Verifies tokens. @default access is public */
  readonly verifier?: TokenVerifier | undefined;
  /** Verifies the signed URLs of charts. @default browsers load charts from the CDN, or without a signature */
  readonly imageUrlSigner?: ImageUrlSigner | undefined;
  /** The origins of the BFF's own pages: browsers name none when these ask. */
  readonly ownOrigins: readonly string[];
  /** @default a request may see what its token grants */
  readonly authorize?: Authorize | undefined;
  /** Called with a line for the log when `authorize` fails. */
  readonly onHostFault: (message: string) => void;
}

/** Decides what a request may see: by its token or signed URL, and by the application. Both must allow a source. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  /** `'*'` is every source that is listed or named: one that only another reader's rights made known is left out. */
  readonly #refuseUnlisted: SourceRefusal = (sourceId) =>
    this.#options.cache.isAdmittedOnly(sourceId) ? 'source_unknown' : undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /**
   * Sets what a request may see and returns true, or answers 401, 403 or 503 and returns false. Looks nothing up in the cache;
   * returns a promise only if it has to wait.
   */
  check(context: RequestContext, access: Access): boolean | Promise<boolean> {
    const { verifier, imageUrlSigner } = this.#options;
    if (verifier === undefined) return this.#grant(context, access, '*');
    context.isPrivate = true;
    const signedId = imageUrlSigner && signedSourceId(context);
    if (signedId !== undefined) {
      if (!imageUrlSigner?.isSigned(signedId, context.query))
        return sendTokenError(context, 'token_invalid', 'address');
      return this.#grant(context, access, new Set([signedId]));
    }
    const token = bearerOf(context.request);
    if (token === undefined) return sendTokenError(context, 'token_missing');
    const known = verifier.known(token);
    if (known !== undefined) return this.#grantToken(context, access, known);
    return verifier.verify(token).then((result) => this.#grantToken(context, access, result));
  }

  /** Decides what code in this process may read for `request`. Rejects if the application does not say. */
  async forRequest(request: IncomingMessage | undefined): Promise<SourceRefusal> {
    if (this.#options.authorize === undefined) return refuseNoSource;
    if (request === undefined) throw new TypeError('pulse() needs the request: authorize() says what it may see');
    return this.#allowedBy(this.#options.authorize, request, '*');
  }

  #grantToken(context: RequestContext, access: Access, result: TokenResult): boolean | Promise<boolean> {
    if (typeof result === 'string') return sendTokenError(context, 'token_invalid', result);
    const { origin } = context.request.headers;
    if (!result.allowsOrigin(origin === undefined ? this.#options.ownOrigins : [origin]))
      return sendTokenError(context, 'token_forbidden', 'origin');
    return this.#grant(context, access, result.sources);
  }

  #grant(context: RequestContext, access: Access, granted: Granted): boolean | Promise<boolean> {
    const { cache, authorize } = this.#options;
    if (granted !== '*') cache.admit(granted);
    // The application is not asked about a path that no route has.
    if (authorize === undefined || access === 'none') {
      context.refusalOf = this.#refusing(granted);
      return true;
    }
    return this.#grantAuthorized(context, authorize, granted);
  }

  async #grantAuthorized(context: RequestContext, authorize: Authorize, granted: Granted): Promise<boolean> {
    try {
      context.refusalOf = await this.#allowedBy(authorize, context.request, granted);
      // The application may have begun an answer of its own, such as a redirect to its login.
      return !context.response.headersSent;
    } catch (fault) {
      this.#options.onHostFault(faultText(fault));
      if (context.response.headersSent) return false;
      const error = 'Pulses are unavailable: the application did not say what this reader may see';
      sendError(context, 'upstream_unavailable', { error });
      return false;
    }
  }

  /** The part of `granted` that the application lets a request see. Rejects if it throws, takes 5 s, or returns anything else. */
  async #allowedBy(authorize: Authorize, request: IncomingMessage, granted: Granted): Promise<SourceRefusal> {
    const { cache, clock } = this.#options;
    const late = Promise.withResolvers<never>();
    const cancel = clock.schedule(TIMEOUT_MS, () => late.reject(new Error('it took 5 s')));
    try {
      const rights: unknown = await Promise.race([(async () => authorize(request))(), late.promise]);
      if (rights === '*') return this.#refusing(granted);
      if (!Array.isArray(rights) || !rights.every(isSourceId))
        throw new TypeError(`it returned ${inWords(rights)}, not "*" or an array of source ids`);
      cache.admit(rights);
      return this.#refusing(new Set(granted === '*' ? rights : rights.filter((sourceId) => granted.has(sourceId))));
    } catch (cause) {
      throw new Error(`authorize() failed: ${faultText(cause)}`, { cause });
    } finally {
      cancel();
    }
  }

  #refusing(granted: Granted): SourceRefusal {
    if (granted === '*') return this.#refuseUnlisted;
    return (sourceId) => (granted.has(sourceId) ? undefined : 'token_forbidden');
  }
}

const CHART = /^\/v1\/sources\/([^/]+)\/image$/;

/** The source whose chart is requested by a signed URL. */
function signedSourceId({ path, query }: RequestContext): string | undefined {
  const segment = CHART.exec(path)?.[1];
  return segment !== undefined && new URLSearchParams(query).has('sig') ? decodedSegment(segment) : undefined;
}

/** The token of a request: in its one `Authorization` header, and nowhere else. */
function bearerOf(request: IncomingMessage): string | undefined {
  // Another server on the way may have used a different one of them.
  if (countOf('authorization', request) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(request.headers.authorization ?? '')?.[1];
}

/** The kind of a value, without its data. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return 'an array with an item that is no source id';
  if (typeof value === 'string') return 'another string';
  if (value === null || value === undefined) return String(value);
  if (value instanceof Set) return 'a Set';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
