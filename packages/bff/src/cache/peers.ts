import type { Clock } from '../lib/clock.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Failure } from '../upstream/failure.ts';
import type { Content } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Entries } from './entries.ts';
import type { Flight, RefreshResult } from './flight.ts';

/** The other instances with the same key. */
export interface Peers {
  /** Takes over their answers, from now on. */
  start(): Promise<void>;
  /** Uses the answer of another instance, or waits for its call in flight; makes a call with `fetch` if there is neither. */
  fetchOnce(flight: Flight, fetch: () => Promise<RefreshResult>): Promise<RefreshResult>;
  /** Shares an answer of this instance, if the key in use is known to belong to its account. */
  publish(subject: string, answer: Answer<Content>): void;
  publishFailure(subject: string, failure: Failure): void;
}

/** What the answers and failures of other instances become part of. */
export interface PeersParts {
  readonly entries: Entries;
  readonly account: AccountGuard;
  readonly upstream: Upstream;
  readonly clock: Clock;
}

export type OpenPeers = (parts: PeersParts) => Peers;

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: spends from the budget of all instances; `lost`: spends from its own share. */
  readonly state: 'joined' | 'lost';
  /** Why Redis is lost, and what to do. */
  readonly fault: string | undefined;
  readonly advice: string | undefined;
  /** Calls a window that this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
  /** `maxmemory-policy` of Redis; null if it does not say. */
  readonly evictionPolicy: string | null;
}
