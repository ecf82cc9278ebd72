import type { Answer } from '../upstream/answer.ts';
import type { Failure } from '../upstream/failure.ts';
import type { Content } from '../upstream/subject.ts';
import type { CacheParts } from './cache-parts.ts';
import type { Flight, RefreshResult } from './flight.ts';

/** The other instances that use the same key. */
export interface Peers {
  /** Starts to take over answers from other instances. */
  start(): Promise<void>;
  /**
   * Uses another instance's answer, or waits for the call that another instance has in flight. If neither exists, calls
   * `fetch`.
   */
  fetchOnce(flight: Flight, fetch: () => Promise<RefreshResult>): Promise<RefreshResult>;
  /** Shares an answer from this instance, if the key in use is known to belong to the answer's account. */
  publish(subject: string, answer: Answer<Content>): void;
  publishFailure(subject: string, failure: Failure): void;
}

/** Connects the cache with the other instances. */
export type OpenPeers = (parts: CacheParts) => Peers;

/** The state of this instance's connection to the other instances. */
export interface ClusterStatus {
  /**
   * `joined`: this instance uses the budget that all instances share. `lost`: this instance uses only its own share of
   * the budget.
   */
  readonly state: 'joined' | 'lost';
  /** Why the connection to Redis was lost, and how to fix it. */
  readonly fault: string | undefined;
  readonly advice: string | undefined;
  /** How many calls per window this instance may make while the connection to Redis is lost. */
  readonly share: number;
  /** How long the connection to Redis has been lost; 0 if it isn't lost. */
  readonly lostForMs: number;
  /** How many times the connection to Redis has been lost since startup. */
  readonly losses: number;
  /** The `maxmemory-policy` of Redis; null if Redis doesn't report it. */
  readonly evictionPolicy: string | null;
}
