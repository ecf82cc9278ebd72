import { createHmac } from 'node:crypto';
import type { CacheParts } from '../../cache/cache-parts.ts';
import type { ClusterStatus } from '../../cache/peers.ts';
import { type Clock, repeat } from '../../lib/clock.ts';
import type { AppConfig } from '../../config/config.ts';
import type { Secret } from '../../lib/secret.ts';
import type { ApiKey } from '../../lib/api-key.ts';
import { RedisCallBudget } from './budget.ts';
import { RedisClient } from './client.ts';
import { RedisPeers } from './peers.ts';
import { redisText } from './redis-text.ts';
import { RedisSharedCache } from './shared-cache.ts';

/** The time between two reads of the shared ledger's state and of other instances' answers. */
const POLL_EVERY_MS = 500;

/** The time between two reads of Redis's eviction policy, in ms. */
const POLICY_EVERY_MS = 60_000;

export interface ClusterOptions {
  readonly clock: Clock;
  /** The API key in use. */
  readonly key: { current(): ApiKey };
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
  /** When the process started, on the monotonic clock. @default now */
  readonly startedAt?: number | undefined;
}

/** The part of the configuration that all instances of a cluster share. */
export type ClusterConfig = Pick<
  AppConfig,
  | 'baseUrl'
  | 'rateLimit'
  | 'rateWindowMs'
  | 'rateReserve'
  | 'upstreamTimeoutMs'
  | 'freshForMs'
  | 'staleForMs'
  | 'expose'
  | 'publicUrl'
>;

/**
 * Connects to the Redis server at `address`. While Redis can't be reached, retries for as long as this instance runs.
 */
export async function openCluster(address: Secret, config: ClusterConfig, options: ClusterOptions) {
  const { clock, key, startedAt } = options;
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  const client = new RedisClient(address, clock, options.redisAnswersWithinMs);
  const namespace = namespaceOf(key, config.baseUrl);
  let peers: RedisPeers | undefined;
  const seenFencingToken = (subject: string) => peers?.seenFencingToken(subject);
  const budget = { limit, windowMs, reserve, callMs, startedAt };
  const callBudget = new RedisCallBudget({ client, clock, namespace, seenFencingToken, ...budget });
  const keepForMs = Math.max(1_000, config.freshForMs + config.staleForMs);
  const { expose: exposed, freshForMs } = config;
  const shared = new RedisSharedCache({ client, clock, namespace, keepForMs, exposed, freshForMs });
  const status = (): ClusterStatus => ({ ...client.status(), share: callBudget.share });
  await client.open();
  await callBudget.look();
  const poll = async (): Promise<void> => {
    await callBudget.look();
    await shared.poll();
  };
  const endPolls = repeat(clock, POLL_EVERY_MS, poll);
  await client.readEvictionPolicy();
  const endReads = repeat(clock, POLICY_EVERY_MS, () => client.readEvictionPolicy());
  return {
    callBudget,
    shared,
    openPeers: (parts: CacheParts) => (peers = new RedisPeers({ ...parts, shared, freshForMs })),
    keptText: (name: string) => redisText(client, config.publicUrl, name),
    clusterStatus: status,
    close: () => {
      endPolls();
      endReads();
      client.close();
    },
  };
}

/** All instances that share a Redis server and an API key. These instances have one budget and one cache. */
export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** How many bytes of a key's digest the prefix contains. */
const DIGEST_BYTES = 16;

/**
 * The prefix of the names of all values that belong to a key at an upstream. The prefix is the same in every release.
 * No two keys share a prefix, and the prefix doesn't reveal the key. The braces keep the names in one slot of a Redis
 * cluster.
 */
function namespaceOf(key: ClusterOptions['key'], baseUrl: string): () => string {
  let [current, name]: [ApiKey?, string?] = [];
  return () => {
    if (current === key.current() && name !== undefined) return name;
    current = key.current();
    const hmac = createHmac('sha256', current.derive('pulse-card namespace 1')).update(JSON.stringify([baseUrl]));
    return (name = `pulse:{${hmac.digest().subarray(0, DIGEST_BYTES).toString('base64url')}}`);
  };
}
