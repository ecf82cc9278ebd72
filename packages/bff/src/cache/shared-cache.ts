import type { ErrorCode, ReadPulse } from '@pulse-card/contract';
import type { AnswerOwner, SourceRows } from '../upstream/port.ts';
import type { RequestInfo } from '../upstream/upstream-fetcher.ts';

/** The call of an instance that brought a shared answer; `askedAt` is on this instance's monotonic clock. */
interface SharedRequestInfo extends RequestInfo {
  readonly owner: AnswerOwner;
}

/** The pulse that an instance was answered. */
export interface SharedPulse extends SharedRequestInfo {
  readonly pulse: ReadPulse | null;
}

/** The list that an instance was answered, and the ids it has met. */
export interface SharedList extends SharedRequestInfo, SourceRows {
  readonly discovered: readonly string[];
}

/** A call of some instance that failed, and how long all instances leave its subject alone. */
export interface SharedFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status: number | undefined;
  readonly retryInMs: number;
}

/** What is known of a subject beyond this instance. */
export interface SharedEntry {
  readonly pulse?: SharedPulse | undefined;
  readonly list?: SharedList | undefined;
  readonly failure?: SharedFailure | undefined;
}

/** How often readers of another instance looked, and how many watch, by source. */
export interface DemandMessage {
  readonly instance: string;
  readonly views: Readonly<Record<string, number>>;
  readonly readers: Readonly<Record<string, number>>;
}

/** Who is told what the other instances do. */
export interface SharedListener {
  /** There is news of a subject: look. */
  onInvalidated(subject: string): void;
  onDemand(demand: DemandMessage): void;
  /** News may have been missed, and others may know less than this instance: compare all. */
  onJoined(): void;
}

/** What all instances know together. Nothing here ever rejects, or waits for long: where it is out of reach, it is empty. */
export interface SharedCache {
  /** Whether this instance is the one that refreshes by plan. */
  readonly isLeader: boolean;
  listen(listener: SharedListener): void;
  get(subject: string): Promise<SharedEntry>;
  storePulse(sourceId: string, answer: SharedPulse): void;
  storeList(list: SharedList): void;
  /** Removes an answer that is of another account. */
  forget(subject: string): void;
  storeFailure(subject: string, failure: SharedFailure): void;
  publishDemand(demand: Omit<DemandMessage, 'instance'>): void;
}
