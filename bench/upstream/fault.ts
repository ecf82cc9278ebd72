/** A way in which a host of the service can misbehave. */
export type Fault =
  | { readonly kind: 'none' }
  /** The port is closed: nobody can tell who tried. */
  | { readonly kind: 'refuse' }
  /** The connection is taken, counted and cut. */
  | { readonly kind: 'reset' }
  /** Every call gets this status with the spec's error body. */
  | { readonly kind: 'status'; readonly status: number }
  /** Calls are taken and never answered. */
  | { readonly kind: 'hang' }
  /** Headers at once, then the body a byte at a time. */
  | { readonly kind: 'slow-body'; readonly msPerByte: number }
  /** Every call gets 429; `X-RateLimit-Reset` says when that ends, or is missing. */
  | { readonly kind: 'limited'; readonly untilMs?: number }
  /** Every call gets 401. */
  | { readonly kind: 'unauthorized' }
  /** Every call gets 302 to this address. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** A gateway answers in place of the service: HTML, with rate headers that are about something else. */
  | { readonly kind: 'gateway'; readonly status: number; readonly limit: string }
  /** A 404 that is not the service's: of a proxy, of a framework in front. */
  | { readonly kind: 'foreign-404'; readonly by: 'nginx' | 'fastify' | 'spring' }
  /** The list has rows that nobody can read. */
  | { readonly kind: 'odd-rows' }
  /** The key belongs to another account from now on. */
  | { readonly kind: 'other-account' }
  /** Status 200 and a body that ends too early. */
  | { readonly kind: 'broken-json' }
  /** By turns refusing (first) and well, each for `everyMs`. */
  | { readonly kind: 'flap'; readonly everyMs: number };

/** No misbehaviour. */
export const WELL: Fault = { kind: 'none' };
