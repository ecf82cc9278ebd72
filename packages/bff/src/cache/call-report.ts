import type { CallVerdict, RefusalReason } from '../budget/call-ledger.ts';
import type { HostName, Question, UpstreamFailure } from '../upstream/port.ts';

/** One call to the upstream and what came of it. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: Question['kind'];
  readonly outcome: 'answered' | 'absent' | UpstreamFailure['kind'];
  readonly durationMs: number;
}

/** Who is told what the cache does, for metrics and log. Must not throw. */
export interface CacheObserver {
  called?(report: CallReport): void;
  /** A call was wanted and not granted. */
  refused?(reason: RefusalReason | 'host-resting' | 'key-refused'): void;
  /** The ledger's word on each call that was wanted. */
  judged?(verdict: CallVerdict['kind']): void;
}
