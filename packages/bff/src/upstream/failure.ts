import type { ErrorCode } from '@pulse-card/contract';

/** The two hosts of the service, as described on the first page of the spec. */
export type HostName = 'main' | 'alt';

/**
 * Why there is no response. The first group is what a call encountered; the second group is why no call was made, or
 * why its response can't be used.
 */
export type FailureCode =
  | 'key_rejected'
  | 'scope_missing'
  | 'rate_limited'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'plain_http'
  | 'proxy'
  | 'timeout'
  | 'server_error'
  | 'gateway'
  | 'not_found_everywhere'
  | 'redirect'
  | 'invalid'
  | 'no_descriptors'
  | 'out_of_calls'
  | 'starting'
  | 'account_changed'
  | 'stopping'
  | 'fault';

/** The reason why there is no response. Doesn't contain text from the service. */
export interface Failure {
  readonly ok: false;
  readonly code: FailureCode;
  /** When a retry may succeed, in ms. */
  readonly retryInMs: number;
  /** The status of the service's response. */
  readonly status?: number | undefined;
  readonly host?: HostName | undefined;
  /** For the operator: the layer, the reason, or the missing scope. */
  readonly detail?: string | undefined;
}

/** What readers see of each failure. */
export const PUBLIC_CODES: Readonly<Record<FailureCode, ErrorCode>> = {
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
  out_of_calls: 'upstream_rate_limited',
  starting: 'upstream_unavailable',
  account_changed: 'upstream_unavailable',
  stopping: 'upstream_unavailable',
  fault: 'internal',
};

/** Failures of the service, or of the way to it. They may be over for one target while they last for another. */
export const OUTAGES: ReadonlySet<FailureCode> = new Set([
  'dns',
  'tls',
  'connection',
  'plain_http',
  'proxy',
  'timeout',
  'server_error',
  'gateway',
  'not_found_everywhere',
  'redirect',
  'invalid',
  'no_descriptors',
  'account_changed',
]);

/** Failures of this BFF's own making: they aren't a problem with the service or the source. */
export const OWN_LIMITS: ReadonlySet<FailureCode> = new Set(['out_of_calls', 'starting', 'stopping']);

/** Creates a failure. */
export function failed(code: FailureCode, retryInMs: number, more: Partial<Failure> = {}): Failure {
  return { ...more, ok: false, code, retryInMs };
}
