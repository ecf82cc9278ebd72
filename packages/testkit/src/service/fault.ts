/** One way that the service, one of its hosts, or one of its operations can misbehave. */
export type Fault =
  | { readonly kind: 'none' }
  /** The port is closed, so attempts can't be counted. Applies only to whole hosts. */
  | { readonly kind: 'refuse' }
  /** The connection is accepted, counted, and cut. */
  | { readonly kind: 'reset' }
  /** Every call receives this status with the spec's error body, or with another body and more headers. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Calls are accepted but never get a response. */
  | { readonly kind: 'hang' }
  /** The response is correct but late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The headers arrive immediately, but the body arrives byte by byte. */
  | { readonly kind: 'slow-body'; readonly msPerByte: number }
  /**
   * The response is correct, but these headers are added or replace others. A header with a list of values is sent
   * several times.
   */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string | readonly string[]>> }
  /** Every call receives 429. `X-RateLimit-Reset` indicates when that ends, unless it is missing. */
  | { readonly kind: 'limited'; readonly untilMs?: number; readonly retryAfterSeconds?: number }
  /** A gateway responds instead of the service. It sends HTML, with rate headers about its own limits. */
  | { readonly kind: 'gateway'; readonly status: number; readonly limit: string }
  /** A 404 that comes not from the service but from a proxy or a framework in front of it. */
  | { readonly kind: 'foreign-404'; readonly by: 'nginx' | 'fastify' | 'spring' }
  /** The list contains rows that can't be read. */
  | { readonly kind: 'odd-rows' }
  /** From now on, the key belongs to a different account. */
  | { readonly kind: 'other-account' }
  /** The status is 200, but the body ends too early. */
  | { readonly kind: 'broken-json' };

/** The service behaves correctly. */
export const WELL: Fault = { kind: 'none' };
