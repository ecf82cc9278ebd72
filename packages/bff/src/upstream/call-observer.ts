import type { AcquireResult, RefusalReason } from '../budget/call-budget.ts';
import type { HostName, UpstreamRequest, UpstreamFailure } from './port.ts';

/** One call to the upstream and what came of it. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: UpstreamRequest['kind'];
  readonly outcome: 'answered' | 'absent' | UpstreamFailure['kind'];
  readonly durationMs: number;
}

/** Who is told what the cache does, for metrics and log. Must not throw. */
export interface CallObserver {
  called?(report: CallReport): void;
  /** A call was wanted and not granted. */
  refused?(reason: RefusalReason | 'circuit-open' | 'key-refused'): void;
  /** The call budget's word on each call that was wanted. */
  judged?(result: AcquireResult['kind']): void;
}
