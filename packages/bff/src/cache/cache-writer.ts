import type { ReadPulse } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { FetchFailure, RequestInfo } from '../upstream/fetch-result.ts';
import type { AnswerOwner, SourceRows } from '../upstream/port.ts';
import type { Gate } from '../upstream/gate.ts';
import type { AccountGuard } from './account-guard.ts';
import type { CacheStore } from './cache-store.ts';
import type { SourceSnapshot } from './port.ts';

export interface CacheWriterOptions {
  readonly store: CacheStore;
  readonly account: AccountGuard;
  readonly gate: Gate;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
}

/** When an answer was requested, and whose it is. */
type AnswerInfo = RequestInfo & { readonly owner?: AnswerOwner | undefined };

/**
 * Stores what calls of this instance and of others brought. Records each outcome for the next requests and for the plan, and
 * announces new pulses.
 */
export class CacheWriter {
  readonly #options: CacheWriterOptions;
  readonly #listeners = new Set<(snapshot: SourceSnapshot) => void>();

  constructor(options: CacheWriterOptions) {
    this.#options = options;
  }

  onNewPulse(listener: (snapshot: SourceSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Stores a pulse, or that there is none, which came at `receivedAt`. Returns false where it may not be stored: it answers a
   * key that has been replaced.
   */
  storePulse(sourceId: string, pulse: ReadPulse | null, info: AnswerInfo, receivedAt: number): boolean {
    const { store, account } = this.#options;
    if (!account.accepts(info.owner)) return false;
    const changed = store.storeAnswer(sourceId, pulse, info);
    this.#recordSuccess(sourceId, receivedAt, changed !== undefined);
    if (changed) for (const listener of this.#listeners) listener(changed);
    return true;
  }

  /** The same for the list. */
  storeList(list: SourceRows, info: AnswerInfo, receivedAt: number): boolean {
    const { store, account } = this.#options;
    if (!account.accepts(info.owner)) return false;
    this.#recordSuccess(LIST_ID, receivedAt, store.storeList(list, info));
    return true;
  }

  /** Records a failed call; returns for how long no instance retries its subject, in ms. */
  recordFailure(subject: string, failure: FetchFailure): number {
    const { gate, planner, clock } = this.#options;
    const now = clock.now();
    planner.recordFailure(subject, now);
    return gate.recordFailure(subject, failure, now);
  }

  #recordSuccess(subject: string, receivedAt: number, changed: boolean): void {
    const { gate, planner } = this.#options;
    gate.recordSuccess(subject);
    planner.recordRefresh(subject, receivedAt, { changed });
  }
}
