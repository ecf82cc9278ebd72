import type { RefusalReason } from '../budget/call-budget.ts';
import type { HostName } from './hosts.ts';
import type { CallFailure } from './classify-response.ts';
import type { OperationKind } from './subject.ts';

/** A call and its outcome. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: OperationKind;
  readonly outcome: 'answered' | CallFailure['kind'];
  readonly durationMs: number;
}

/** Receives calls and refused calls, for metrics. Must not throw. */
export interface CallObserver {
  called?(report: CallReport): void;
  /** Called when a call isn't allowed. */
  refused?(reason: RefusalReason | 'circuit-open' | 'key-refused'): void;
}
