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
  /** Starts to take over their answers. */
  start(): Promise<void>;
  /** Uses the answer of another instance, or waits for its call in flight; makes a call with `fetch` if neither exists. */
  fetchOnce(flight: Flight, fetch: () => Promise<RefreshResult>): Promise<RefreshResult>;
  /** Shares an answer of this instance, if the key in use is known to belong to its account. */
  publish(subject: string, answer: Answer<Content>): void;
  publishFailure(subject: string, failure: Failure): void;
}

/** The parts of the cache that receive the answers and failures of other instances. */
export interface PeersParts {
  readonly entries: Entries;
  readonly account: AccountGuard;
  readonly upstream: Upstream;
  readonly clock: Clock;
}

export type OpenPeers = (parts: PeersParts) => Peers;

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: uses the shared budget of all instances. `lost`: uses its own share. */
  readonly state: 'joined' | 'lost';
  /** Why Redis is lost, and how to fix it. */
  readonly fault: string | undefined;
  readonly advice: string | undefined;
  /** How many calls per window this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How many times Redis has been lost since the start. */
  readonly losses: number;
  /** The `maxmemory-policy` of Redis; null if Redis doesn't report it. */
  readonly evictionPolicy: string | null;
}
