import type { RequestInfo } from '../upstream/fetch-result.ts';
import type { ErrorCode, ReadPulse } from '@pulse-card/contract';
import type { AnswerOwner, SourceRows } from '../upstream/port.ts';

/** The call of an instance that brought a shared answer; `requestedAt` is on this instance's monotonic clock. */
interface SharedRequestInfo extends RequestInfo {
  readonly owner: AnswerOwner;
}

/** A pulse that an instance fetched. */
export interface SharedPulse extends SharedRequestInfo {
  readonly pulse: ReadPulse | null;
}

/** The list that an instance fetched, and the ids it has discovered. */
export interface SharedList extends SharedRequestInfo, SourceRows {
  readonly discovered: readonly string[];
}

/** A failed call of an instance, and how long no instance retries its subject. */
export interface SharedFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status: number | undefined;
  readonly retryInMs: number;
}

/** What the shared cache holds for a subject. */
export interface SharedEntry {
  readonly pulse?: SharedPulse | undefined;
  readonly list?: SharedList | undefined;
  readonly failure?: SharedFailure | undefined;
}

/** Views since the last message and open live streams of another instance, by source. */
export interface DemandMessage {
  readonly instance: string;
  readonly views: Readonly<Record<string, number>>;
  readonly readers: Readonly<Record<string, number>>;
}

/** Receives what other instances publish. */
export interface SharedListener {
  /** Another instance has stored something for a subject. */
  onInvalidated(subject: string): void;
  onDemand(demand: DemandMessage): void;
  /** The connection is new: messages may have been missed, in either direction. */
  onJoined(): void;
}

/** The cache that all instances share. Never rejects and never waits long: empty while it cannot be reached. */
export interface SharedCache {
  /** Whether this instance makes the planned refreshes. */
  readonly isLeader: boolean;
  listen(listener: SharedListener): void;
  get(subject: string): Promise<SharedEntry>;
  storePulse(sourceId: string, answer: SharedPulse): void;
  storeList(list: SharedList): void;
  /** Removes an answer of another account. */
  forget(subject: string): void;
  storeFailure(subject: string, failure: SharedFailure): void;
  publishDemand(demand: Omit<DemandMessage, 'instance'>): void;
}
