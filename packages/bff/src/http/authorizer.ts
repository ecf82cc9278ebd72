import type { IncomingMessage } from 'node:http';
import type { TokenResult, TokenVerifier } from '@pulse-card/token';
import type { RequestCache, SourceRefusal } from '../cache/pulse-reader.ts';
import { thrownText } from '../lib/thrown-text.ts';
import { type Access, countOf, type RequestContext } from './request-context.ts';
import { makePrivate } from './cache-headers.ts';
import { sendError, sendTokenError } from './errors.ts';
import type { Target } from './target.ts';

/** Returns what a request may see, and who the reader is. Rejects if the application doesn't answer. */
export type Authorize = (request: IncomingMessage) => Promise<Authorization>;

/** The sources that a request may see: every listed or named source, or specific ids. */
export interface Authorization {
  readonly sources: '*' | readonly string[];
  readonly reader: string | undefined;
}

/** The validated result of `authorize`. */
interface Authorized {
  readonly refusalOf: SourceRefusal;
  readonly reader: string | undefined;
}

/** The header that contains the name of an answer's reader, percent-encoded. */
const READER_HEADER = 'Pulse-Reader';

/** The sources that a token, a signed URL or the configuration grants. */
type Granted = '*' | ReadonlySet<string>;

/** Allows every source, even one that is known only through another reader's rights. */
export const refuseNoSource: SourceRefusal = () => undefined;

/** Verifies signed addresses, which are needed because an element such as `<img>` can't send a token. */
export interface SignedUrls {
  /** The source that a signed address is for; undefined if the address has no signature. */
  readonly sourceIdOf: (target: Target) => string | undefined;
  /** Returns whether the signature in `query` allows this source now. */
  readonly isSigned: (sourceId: string, query: string) => boolean;
}

export interface AuthorizerOptions {
  readonly cache: Pick<RequestCache, 'admit' | 'isAdmittedOnly'>;
  /** Verifies tokens. @default access is public */
  readonly verifier?: TokenVerifier | undefined;
  /** Verifies addresses that are signed instead of a token. @default no address is signed */
  readonly signedUrls?: SignedUrls | undefined;
  /** The origins of the BFF's own pages. Browsers send no origin with requests of these pages. */
  readonly ownOrigins: readonly string[];
  /** @default a request may see what its token grants */
  readonly authorize?: Authorize | undefined;
  /** Called with a line for the log when `authorize` fails. */
  readonly onHostFault: (message: string) => void;
}

/** Decides what a request may see, based on its token or signed URL and on the application. Both must allow a source. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  /** `'*'` means every listed or named source, without those that are known only through another reader's rights. */
  readonly #refuseUnlisted: SourceRefusal = (sourceId) =>
    this.#options.cache.isAdmittedOnly(sourceId) ? 'source_unknown' : undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /**
   * Sets what a request may see and returns true, or responds with 401, 403, or 503 and returns false. Doesn't use the
   * cache. Returns a promise only if it has to wait.
   */
  check(context: RequestContext, access: Access): boolean | Promise<boolean> {
    const { verifier, signedUrls } = this.#options;
    if (verifier === undefined) return this.#grant(context, access, '*');
    makePrivate(context);
    const signedId = signedUrls?.sourceIdOf(context.target);
    if (signedId !== undefined) {
      if (!signedUrls?.isSigned(signedId, context.target.query))
        return sendTokenError(context, 'token_invalid', 'address');
      return this.#grant(context, access, new Set([signedId]));
    }
    const token = bearerOf(context.request);
    if (token === undefined) return sendTokenError(context, 'token_missing');
    const known = verifier.known(token);
    if (known !== undefined) return this.#grantToken(context, access, known);
    return verifier.verify(token).then((result) => this.#grantToken(context, access, result));
  }

  /** Decides what code in this process may read for `request`. Rejects if the application doesn't answer. */
  async forRequest(request: IncomingMessage | undefined): Promise<SourceRefusal> {
    if (this.#options.authorize === undefined) return refuseNoSource;
    if (request === undefined) throw new TypeError('pulse() needs the request: authorize() says what it may see');
    return (await this.#allowedBy(this.#options.authorize, request, '*')).refusalOf;
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
    // The application isn't asked about a path without a route.
    if (authorize === undefined || access === 'none') {
      context.reader.refusalOf = this.#refusing(granted);
      return true;
    }
    return this.#grantAuthorized(context, authorize, granted);
  }

  async #grantAuthorized(context: RequestContext, authorize: Authorize, granted: Granted): Promise<boolean> {
    try {
      const { refusalOf, reader } = await this.#allowedBy(authorize, context.request, granted);
      context.reader.refusalOf = refusalOf;
      context.reader.name = reader;
      if (reader !== undefined) context.headers.push(READER_HEADER, encodeURIComponent(reader.toWellFormed()));
      // The application may have started its own answer, such as a redirect to its login.
      return !context.response.headersSent;
    } catch (fault) {
      this.#options.onHostFault(thrownText(fault));
      if (context.response.headersSent) return false;
      const error = 'Pulses are unavailable: the application did not say what this reader may see';
      sendError(context, 'upstream_unavailable', { error });
      return false;
    }
  }

  /** The part of `granted` that the application lets a request see. Rejects if the application doesn't answer. */
  async #allowedBy(authorize: Authorize, request: IncomingMessage, granted: Granted): Promise<Authorized> {
    const { sources, reader } = await authorize(request);
    if (sources === '*') return { refusalOf: this.#refusing(granted), reader };
    this.#options.cache.admit(sources);
    const both = granted === '*' ? sources : sources.filter((sourceId) => granted.has(sourceId));
    return { refusalOf: this.#refusing(new Set(both)), reader };
  }

  #refusing(granted: Granted): SourceRefusal {
    if (granted === '*') return this.#refuseUnlisted;
    return (sourceId) => (granted.has(sourceId) ? undefined : 'token_forbidden');
  }
}

/** The token of a request. It is read only from the request's single `Authorization` header. */
function bearerOf(request: IncomingMessage): string | undefined {
  // Another server in between may have used a different header.
  if (countOf('authorization', request) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(request.headers.authorization ?? '')?.[1];
}
