import { createHmac } from 'node:crypto';
import type { CallBudget } from '../budget/call-budget.ts';
import type { ClusterStatus, SharedCache } from '../cache/port.ts';
import { type Clock, repeat } from '../clock.ts';
import type { AppConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import type { ApiKey } from '../upstream/api-key.ts';
import { RedisCallBudget } from './budget.ts';
import { RedisClient } from './client.ts';
import { RedisSharedCache } from './shared-cache.ts';

/** The version of what is stored, in the names of all values: another version has a budget and a cache of its own. */
const FORMAT = 2;

/** How often each instance reads how the account stands and what others have stored. */
const POLL_EVERY_MS = 500;

/** Shorter losses are not logged. */
const MIN_LOSS_MS = 2_000;

export interface ClusterOptions {
  readonly clock: Clock;
  /** Returns false where the sentence was not written. */
  readonly warn: (sentence: string) => unknown;
  /** The key of the upstream, as it is now. */
  readonly key: { current(): ApiKey };
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
  /** When the process began, on the clock. @default now */
  readonly startedAt?: number | undefined;
}

/** All instances that share a Redis and a key: one budget and one cache. */
export interface Cluster {
  readonly callBudget: CallBudget;
  readonly shared: SharedCache;
  status(): ClusterStatus;
  close(): void;
}

/** What all instances of a cluster have in common. */
export type ClusterConfig = Pick<
  AppConfig,
  'baseUrl' | 'rateLimit' | 'rateWindowMs' | 'rateReserve' | 'upstreamTimeoutMs' | 'freshForMs' | 'staleForMs'
>;

/** Connects to the Redis at `address`; while it cannot be reached, retries for as long as this instance runs. */
export async function openCluster(address: Secret, config: ClusterConfig, options: ClusterOptions): Promise<Cluster> {
  const { clock, key, warn, startedAt } = options;
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  const client = new RedisClient(address, clock, options.redisAnswersWithinMs);
  const namespace = namespaceOf(key, config.baseUrl);
  const callBudget = new RedisCallBudget({ client, clock, namespace, limit, windowMs, reserve, callMs, startedAt });
  const keepForMs = Math.max(1_000, config.freshForMs + config.staleForMs);
  const shared = new RedisSharedCache({ client, clock, namespace, keyName: () => key.current().name, keepForMs });
  const loss = new Loss(clock, client, callBudget.share);
  await client.open();
  await callBudget.look();
  const endPolls = repeat(
    clock,
    POLL_EVERY_MS,
    async () => {
      await callBudget.look();
      loss.update(warn);
      await shared.poll();
    },
    () => {},
  );
  return {
    callBudget,
    shared,
    status: () => loss.status(),
    close: () => {
      endPolls();
      client.close();
    },
  };
}

/**
 * What the names of all values of a key on an upstream begin with: no two keys share one, and it does not reveal the key. The
 * braces keep the names in one slot of a Redis cluster.
 */
function namespaceOf(key: ClusterOptions['key'], baseUrl: string): () => string {
  let [current, name]: [ApiKey?, string?] = [];
  return () => {
    if (current === key.current() && name !== undefined) return name;
    current = key.current();
    const digest = createHmac('sha256', current.derive('pulse-card namespace 2')).update(baseUrl).digest('base64url');
    return (name = `pulse:${FORMAT}:{${digest.slice(0, 22)}}`);
  };
}

/** Since when Redis is lost; logged once when it is and once when it is back. */
class Loss {
  readonly #clock: Clock;
  readonly #client: RedisClient;
  readonly #share: number;
  #lostAt: number | undefined;
  #losses = 0;
  #isLogged = false;

  constructor(clock: Clock, client: RedisClient, share: number) {
    [this.#clock, this.#client, this.#share] = [clock, client, share];
  }

  status(): ClusterStatus {
    const { fault, advice } = this.#client;
    const lostForMs = fault === undefined ? 0 : this.#clock.now() - (this.#lostAt ?? this.#clock.now());
    return { state: fault ? 'lost' : 'joined', fault, advice, share: this.#share, lostForMs, losses: this.#losses };
  }

  update(warn: ClusterOptions['warn']): void {
    const { fault } = this.#client;
    if (fault !== undefined && this.#lostAt === undefined) this.#losses += 1;
    this.#lostAt = fault === undefined ? undefined : (this.#lostAt ?? this.#clock.now());
    const { state, lostForMs } = this.status();
    const isChange = state === 'lost' ? !this.#isLogged && lostForMs >= MIN_LOSS_MS : this.#isLogged;
    if (isChange && warn(this.#sentence()) !== false) this.#isLogged = state === 'lost';
  }

  #sentence(): string {
    const { fault, advice, share } = this.status();
    if (fault === undefined) return 'Redis is back: all instances share one budget and their answers again';
    const calls = share === 1 ? 'one call' : `${share === 0 ? 'no' : share} calls`;
    return `Redis is lost (REDIS_URL: ${fault}): ${advice}. What is known is served, and this instance makes ${calls} a window by itself`;
  }
}
