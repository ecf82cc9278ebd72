import type { IncomingMessage } from 'node:http';
import type { ProxyTrust } from '../../config/schemas.ts';
import { trustedPeerTest } from '../../http/client-key.ts';

/** The warning about a proxy that `TRUST_PROXY` does not include. */
export const UNTRUSTED_PROXY =
  'A request came with X-Forwarded-For or Forwarded from a proxy that TRUST_PROXY does not include: set TRUST_PROXY. Otherwise, all readers behind that proxy share one rate limit';

/** Detects requests through a proxy that `TRUST_PROXY` doesn't name. The BFF then treats the proxy as the client. */
export class ProxyWatch {
  /** The warning; undefined until such a request arrives. */
  warnings: readonly string[] = [];
  readonly #isTrusted: (request: IncomingMessage) => boolean;
  readonly #warn: (message: string) => unknown;

  constructor(proxyTrust: ProxyTrust, warn: (message: string) => unknown) {
    this.#isTrusted = trustedPeerTest(proxyTrust);
    this.#warn = warn;
  }

  look(request: IncomingMessage): void {
    const { headers } = request;
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
    if (this.warnings.length > 0 || !isForwarded || this.#isTrusted(request)) return;
    this.warnings = [UNTRUSTED_PROXY];
    this.#warn(UNTRUSTED_PROXY);
  }
}
