import type { CacheStatus } from '../cache/cache-status.ts';
import type { SseStatus } from '../sse/sse-hub.ts';
import type { RefusalCounts } from './refusal-counter.ts';
import type { ClusterStatus } from '../cluster/cluster-status.ts';

/** What `/status` says: how the core stands, and how readers were answered. */
export interface BffStatus extends CacheStatus {
  readonly at: string;
  readonly uptimeMs: number;
  readonly stopping: boolean;
  /** What the operator should look into, such as a proxy that `TRUST_PROXY` does not name. */
  readonly warnings: readonly string[];
  /** Refusals since the start, by code and origin. */
  readonly refusals: RefusalCounts;
  /** Answers since the start, by what the cache did. */
  readonly answers: Readonly<Record<string, number>>;
  /** Reader-seconds of staleness that a call must buy at the moment. */
  readonly priceSeconds: number;
  /** The live streams. */
  readonly live: SseStatus;
  /** The instances on one Redis; null where there is none. */
  readonly redis: ClusterStatus | null;
}
