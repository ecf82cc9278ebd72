import type { Answered, CallFailure } from './classify-response.ts';
import type { FailureCode, HostName } from './failure.ts';
import type { Operation } from './target.ts';

/** Receives each call and each call that wasn't allowed, for metrics. */
export interface CallObserver {
  called?(call: {
    readonly host: HostName;
    readonly kind: Operation;
    readonly outcome: 'answered' | FailureCode;
    readonly durationMs: number;
  }): void;
  refused?(code: FailureCode): void;
}

/** What calls have revealed, for metrics, the status, and failure codes. */
export class CallMonitor {
  inFlight = 0;
  /** The limit that the service last reported; null if it never reported one. */
  serviceLimit: number | null = null;
  /** The time since which the service has returned 429 for every call; undefined if it hasn't. */
  limitedSince: number | undefined;
  readonly #observers = new Set<CallObserver>();

  /** Calls `observer` for each call. The returned function unsubscribes. */
  observe(observer: CallObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Records a call that was sent to `host` at `sentAt` and has ended now. */
  ended(
    reply: Answered | CallFailure,
    {
      host,
      operation: kind,
      sentAt,
    }: { readonly host: HostName; readonly operation: Operation; readonly sentAt: number },
    now: number,
  ): void {
    const outcome = reply.ok ? 'answered' : reply.code;
    const hasAnswer = reply.ok || reply.status !== undefined;
    if (hasAnswer) this.limitedSince = outcome === 'rate_limited' ? (this.limitedSince ?? sentAt) : undefined;
    this.serviceLimit = reply.rate?.limit ?? this.serviceLimit;
    for (const observer of this.#observers) observer.called?.({ host, kind, outcome, durationMs: now - sentAt });
  }

  refused(code: FailureCode): void {
    for (const observer of this.#observers) observer.refused?.(code);
  }
}
