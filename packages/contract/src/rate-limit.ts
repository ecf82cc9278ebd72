/** Headers, sent with every response, that report the state of the rate-limit window (spec, "Limits"). */
export const RATE_LIMIT_HEADERS = {
  /** Maximum number of requests per window. */
  limit: 'X-RateLimit-Limit',
  /** Requests left in the current window. */
  remaining: 'X-RateLimit-Remaining',
  /** Unix time, in seconds, at which the window resets. */
  reset: 'X-RateLimit-Reset',
} as const;

/** The number of requests that a key may make in a window (spec, "Limits"). */
export const RATE_LIMIT = 60;

/** Length of the window, in milliseconds (spec, "Limits"). */
export const RATE_WINDOW_MS = 60_000;
