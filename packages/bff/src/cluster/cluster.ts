import { randomBytes } from 'node:crypto';
import type { CallBudget } from '../budget/call-budget.ts';
import type { SharedCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { AppConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { RedisSharedCache } from './redis-shared-cache.ts';
import { RedisCallBudget } from './redis-call-budget.ts';
import { redisAdvice, RedisClient, type RedisFault } from './redis-client.ts';
import { KeyNamespace, type SecretSource } from './key-namespace.ts';

/** What all instances of a cluster have in common. */
export type ClusterConfig = Pick<
  AppConfig,
  'baseUrl' | 'rateLimit' | 'rateWindowMs' | 'rateReserve' | 'upstreamTimeoutMs' | 'freshForMs' | 'staleForMs'
>;

export interface ClusterOptions {
  readonly clock: Clock;
  readonly warn: (sentence: string) => unknown;
  /** The key of the upstream, as it is now. */
  readonly key: { current(): SecretSource };
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
  /** When the process began, on the clock. @default now */
  readonly startedAt?: number | undefined;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canBeLeader?: boolean | undefined;
}

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: spends from the shared account; `lost`: spends from its own share. */
  readonly state: 'joined' | 'lost';
  readonly fault: RedisFault | undefined;
  /** Instances that share the account, as far as is known; 0 before the first reply. */
  readonly instances: number;
  readonly isLeader: boolean;
  /** Calls a window that this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
}

/** All instances that share a Redis and a key: one budget and one cache. */
export interface Cluster {
  readonly callBudget: CallBudget;
  readonly shared: SharedCache;
  status(): ClusterStatus;
  /** Deregisters and disconnects. */
  close(): Promise<void>;
}

/** Joins the instances at `address`; while Redis cannot be reached, it retries for as long as this instance runs. */
export async function openCluster(address: Secret, config: ClusterConfig, options: ClusterOptions): Promise<Cluster> {
  const { clock, warn } = options;
  const instance = randomBytes(9).toString('base64url');
  const client = new RedisClient({ address, clock, warn, answerWithinMs: options.redisAnswersWithinMs });
  const namespace = namespaceOf(options.key, config.baseUrl);
  const callBudget = new RedisCallBudget({
    client,
    clock,
    instance,
    namespace,
    limit: config.rateLimit,
    windowMs: config.rateWindowMs,
    reserve: config.rateReserve,
    callMs: config.upstreamTimeoutMs,
    startedAt: options.startedAt,
    canBeLeader: options.canBeLeader,
  });
  const keepForMs = Math.max(1_000, config.freshForMs + config.staleForMs);
  const shared = new RedisSharedCache({ client, callBudget, clock, instance, namespace, keepForMs, warn });
  await client.open();
  await callBudget.membership.open();
  const endChanges = logClusterChanges(clock, () => callBudget.cluster(), options.warn);
  return {
    callBudget,
    shared,
    status: () => callBudget.cluster(),
    close: async () => {
      endChanges();
      await callBudget.membership.close();
      client.close();
    },
  };
}

/** The namespace of the key in use, as the same object until the key changes. */
function namespaceOf(key: ClusterOptions['key'], baseUrl: string): () => KeyNamespace {
  let [secret, namespace]: [SecretSource?, KeyNamespace?] = [];
  return () => {
    const current = key.current();
    if (namespace === undefined || current !== secret)
      [secret, namespace] = [current, new KeyNamespace(current, baseUrl)];
    return namespace;
  };
}

/** How often the state is checked; shorter losses are not logged. */
const POLL_EVERY_MS = 2_000;

/**
 * Logs once when Redis is lost and once when it is back. A line that `warn` does not write (it returns false) is logged later,
 * if it still holds. The returned function ends it.
 */
export function logClusterChanges(
  clock: Clock,
  status: () => ClusterStatus,
  warn: (sentence: string) => unknown,
): () => void {
  let logged: ClusterStatus['state'] = 'joined';
  let cancel = (): void => {};
  const look = (): void => {
    const { state, fault, share } = status();
    if (state !== logged && warn(changeText(state, fault, share)) !== false) logged = state;
    cancel = clock.schedule(POLL_EVERY_MS, look);
  };
  look();
  return () => cancel();
}

function changeText(state: ClusterStatus['state'], fault: ClusterStatus['fault'], share: number): string {
  if (state === 'joined') return 'Redis is back: all instances share one budget and their answers again';
  const may = share === 1 ? 'one call a window' : `${share === 0 ? 'no' : share} calls a window`;
  return `Redis is lost (REDIS_URL: ${fault ?? 'no answer'}): ${redisAdvice(fault)}. What is known is served, and this instance makes ${may} by itself`;
}
