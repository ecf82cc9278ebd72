import type { Failure } from '../data/result.ts';

/** The kinds of failure that readers see, which are also message names. */
export type FailureKind = 'empty' | 'signedOut' | 'unknown' | 'forbidden' | 'noAccess' | 'error';

/** The message name for a failure. */
export function failureKind({ code, status, retriable }: Failure): FailureKind {
  if (code === 'pulse_not_found') return 'empty';
  if (code === 'signed_out') return 'signedOut';
  if (retriable || !status) return 'error';
  if (code === 'token_forbidden') return 'noAccess';
  return status === 401 || status === 403 ? 'forbidden' : 'unknown';
}
