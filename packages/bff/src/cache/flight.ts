import type { FetchRequest } from '../upstream/door.ts';
import type { Failure } from '../upstream/failure.ts';
import type { Entry } from './entries.ts';

/** The outcome of a refresh by this or another instance: the resulting entry and the status of the answer. */
export type RefreshResult = { readonly ok: true; readonly entry: Entry; readonly status: 200 | 404 } | Failure;

/** The outcome of a refresh that stored this entry. If a source has no pulse, the service returns 404. */
export function refreshed(entry: Entry): RefreshResult {
  return { ok: true, entry, status: 'pulse' in entry.value && entry.value.pulse === null ? 404 : 200 };
}

/** A refresh that is under way. All requests for the same subject share it. */
export class Flight implements FetchRequest {
  readonly subject: string;
  readonly startedAt: number;
  isAwaited = false;
  demand = 0;
  readonly #sent = Promise.withResolvers<number | undefined>();
  readonly #result = Promise.withResolvers<RefreshResult>();

  constructor(subject: string, startedAt: number) {
    this.subject = subject;
    this.startedAt = startedAt;
  }

  /**
   * Resolves with the time when the call is sent. Resolves with undefined once it is certain that no call will be sent.
   */
  get sent(): Promise<number | undefined> {
    return this.#sent.promise;
  }

  get result(): Promise<RefreshResult> {
    return this.#result.promise;
  }

  recordSent(now: number): void {
    this.#sent.resolve(now);
  }

  /** Records that this instance makes no call now, because another instance has one in flight. */
  recordUnsent(): void {
    this.#sent.resolve(undefined);
  }

  end(result: RefreshResult): void {
    this.#sent.resolve(undefined);
    this.#result.resolve(result);
  }
}
