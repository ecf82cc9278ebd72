import type { ErrorCode } from '@pulse-card/contract';

/** The service's two hosts, as described on the first page of the spec. */
export type HostName = 'main' | 'alt';

/** The error code that readers see for each failure. */
export const PUBLIC_CODES = {
  // What can go wrong with a call.
  key_rejected: 'upstream_auth',
  scope_missing: 'upstream_auth',
  rate_limited: 'upstream_rate_limited',
  dns: 'upstream_unavailable',
  tls: 'upstream_unavailable',
  connection: 'upstream_unavailable',
  plain_http: 'upstream_unavailable',
  proxy: 'upstream_unavailable',
  timeout: 'upstream_unavailable',
  server_error: 'upstream_unavailable',
  gateway: 'upstream_unavailable',
  not_found_everywhere: 'upstream_unavailable',
  redirect: 'upstream_invalid',
  invalid: 'upstream_invalid',
  no_descriptors: 'upstream_unavailable',
  // Why no call was made, or why its response can't be used.
  account_changed: 'upstream_unavailable',
  out_of_calls: 'upstream_rate_limited',
  starting: 'upstream_unavailable',
  stopping: 'upstream_unavailable',
  fault: 'internal',
} as const satisfies Readonly<Record<string, ErrorCode>>;

export type FailureCode = keyof typeof PUBLIC_CODES;

/** Why there is no response. Doesn't contain text from the service. */
export interface Failure {
  readonly ok: false;
  readonly code: FailureCode;
  /** How long until a retry might succeed, in ms. */
  readonly retryInMs: number;
  /** The status of the service's response. */
  readonly status?: number | undefined;
  readonly host?: HostName | undefined;
  /** For the operator: the layer, the reason, or the missing scope. */
  readonly detail?: string | undefined;
}

/** Failures that this BFF itself causes. They don't mean that there is a problem with the service or the source. */
export const OWN_LIMITS: ReadonlySet<FailureCode> = new Set(['out_of_calls', 'starting', 'stopping']);

/** Whether the service rejected the key. */
export function isOfKey(code: FailureCode): code is 'key_rejected' | 'scope_missing' {
  return code === 'key_rejected' || code === 'scope_missing';
}

/**
 * Whether the service or the connection to it failed. The failure may be over for one target while it lasts for
 * another.
 */
export function isOutage(code: FailureCode): boolean {
  return !OWN_LIMITS.has(code) && !isOfKey(code) && code !== 'rate_limited' && code !== 'fault';
}

/** Creates a failure. `retryInMs` is ignored if the hosts or the target's backoff determine the wait. */
export function failed(code: FailureCode, retryInMs = 0, more: Partial<Failure> = {}): Failure {
  return { ...more, ok: false, code, retryInMs };
}

/** Carries a failure through code that knows only errors, such as the cache. */
export class FailureError extends Error {
  override readonly name = 'FailureError';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}
