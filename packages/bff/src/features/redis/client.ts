import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import type { ClusterStatus } from '../../cache/peers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';

/** The version of the stored data. The version is part of all names, so each version has its own budget and cache. */
export const FORMAT = 2;

/** The default time limit of a command. */
const ANSWER_WITHIN_MS = 80;

/** How long startup waits for Redis. If Redis takes longer, this instance joins later. */
const JOIN_WITHIN_MS = 1_000;

/**
 * How long Redis may take until it is ready, after it has accepted a connection. The `connectTimeout` of ioredis covers
 * only TCP.
 */
const READY_WITHIN_MS = 2_000;

/** The maximum wait between two connection attempts. */
const MAX_RECONNECT_MS = 1_000;

/**
 * After this many consecutive timeouts, Redis is considered lost. After any other failure, Redis is considered lost
 * immediately.
 */
const MAX_TIMEOUTS = 2;

/** After this many consecutive timeouts, the connection may be dead and is reopened. */
const TIMEOUTS_TO_RECONNECT = 10;

/** Reasons why Redis is lost. Each has the text of an error from Redis, and advice for the operator. */
const FAULTS = {
  refused: {
    texts:
      /WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|Client sent AUTH|AUTH|The user executing the script)|ACL failure|DB index|SELECT is not allowed/,
    advice: 'check the user, the password and the database of the address',
  },
  // A Redis in protected mode closes the connection before the client has read the reason.
  disconnected: {
    texts: /Connection is closed|isn't writeable/,
    advice: 'check that Redis is running and accepts connections from this server (bind, protected mode, firewall)',
  },
  'read-only': {
    texts: /READONLY|MISCONF|NOREPLICAS/,
    advice: 'check that Redis is the primary and can write to its disk',
  },
  full: { texts: /OOM /, advice: 'raise its maxmemory' },
  loading: { texts: /LOADING|BUSY/, advice: 'wait until Redis has loaded its data' },
  timeout: { texts: /timed out/, advice: 'check the load of Redis and the network connection to it' },
  'invalid-reply': { texts: /(?:)/, advice: 'check that a Redis or Valkey server is at the address' },
};

type RedisFault = keyof typeof FAULTS;

/** A command to Redis failed. Contains no text from Redis. */
class RedisError extends Error {
  override readonly name = 'RedisError';
  readonly fault: RedisFault;

  constructor(fault: RedisFault) {
    super(`Cannot use Redis: ${fault}`);
    this.fault = fault;
  }
}

type Argument = string | number;

/** An ioredis client with the two scripts in this folder. */
interface ScriptedRedis extends Redis {
  pulseBudget(keyCount: number, ...args: Argument[]): Promise<unknown>;
  pulseStore(...args: Argument[]): Promise<unknown>;
}

/**
 * A connection to Redis. No command is queued while Redis is unreachable, and no command waits longer than 80 ms. After
 * two timeouts, or after one other failure, all commands fail immediately until a trial command succeeds.
 */
export class RedisClient {
  readonly #redis: ScriptedRedis;
  readonly #clock: Clock;
  readonly #answerWithinMs: number;
  /**
   * Redis refuses the user or the database. If Redis refuses the database, ioredis would otherwise continue in database
   * 0.
   */
  #isRefused = false;
  #timeouts = 0;
  #fault: RedisFault | undefined = 'disconnected';
  #lostAt: number;
  #losses = 0;
  #evictionPolicy: string | null = null;

  constructor(address: Secret, clock: Clock, answerWithinMs = ANSWER_WITHIN_MS) {
    this.#clock = clock;
    this.#lostAt = clock.now();
    this.#answerWithinMs = answerWithinMs;
    this.#redis = new Redis(address.reveal(), {
      protocol: 2,
      connectionName: 'pulse-bff',
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      autoResendUnfulfilledCommands: false,
      connectTimeout: 2_000,
      retryStrategy: (attempt) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** Math.min(attempt, 6)),
      // After a failover, the same host name refers to a different server.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    }) as ScriptedRedis;
    // An error without a listener would end the process. The commands that fail report the error.
    this.#redis.on('error', (cause: unknown) => (this.#isRefused ||= faultIn(cause) === 'refused'));
    this.#redis.on('connect', () => this.#connected());
    this.#redis.defineCommand('pulseBudget', { lua: scriptText('budget.lua') });
    this.#redis.defineCommand('pulseStore', { lua: scriptText('store.lua'), numberOfKeys: 4 });
  }

  /**
   * Connects to Redis. If the connection fails, retries until it succeeds. Resolves after the first attempt, but after
   * one second at the latest.
   */
  async open(): Promise<void> {
    const connected = this.#redis.connect().catch(() => {});
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.schedule(JOIN_WITHIN_MS, resolve);
      void connected.then(resolve).finally(cancel);
    });
  }

  close(): void {
    this.#redis.disconnect();
  }

  /**
   * Reads Redis's eviction policy. If Redis doesn't report the policy, the last known value stays. For example, the
   * user may not be allowed to ask for the policy.
   */
  async readEvictionPolicy(): Promise<void> {
    const memory = await this.#withTimeout(this.#redis.info('memory')).catch(() => '');
    this.#evictionPolicy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? this.#evictionPolicy;
  }

  /** Why Redis is lost; undefined if it isn't. */
  get fault(): RedisFault | undefined {
    return this.#fault;
  }

  /** Whether Redis is lost, since when, why, and what the operator should do. */
  status(): Omit<ClusterStatus, 'share'> {
    const fault = this.#fault;
    return {
      state: fault === undefined ? 'joined' : 'lost',
      fault,
      advice: fault && FAULTS[fault].advice,
      lostForMs: fault === undefined ? 0 : this.#clock.now() - this.#lostAt,
      losses: this.#losses,
      evictionPolicy: this.#evictionPolicy,
    };
  }

  /**
   * Sends commands. A trial command is sent even if Redis is considered lost. If the trial succeeds, Redis is no longer
   * considered lost. Rejects with `RedisError`.
   */
  async send<Reply>(command: (redis: ScriptedRedis) => Promise<Reply>, { isTrial = false } = {}): Promise<Reply> {
    if (this.#fault !== undefined && !isTrial) throw new RedisError(this.#fault);
    try {
      if (this.#isRefused) throw new RedisError('refused');
      const reply = await this.#withTimeout(command(this.#redis));
      this.#timeouts = 0;
      this.#fault = undefined;
      return reply;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  #connected(): void {
    this.#isRefused = false;
    this.#clock.schedule(READY_WITHIN_MS, () => {
      if (this.#redis.status === 'connect') this.#redis.disconnect(true);
    });
  }

  #failed(cause: unknown): RedisError {
    const isReady = this.#redis.status === 'ready';
    const fault = cause instanceof RedisError ? cause.fault : isReady ? faultIn(cause) : 'disconnected';
    if (fault === 'timeout' && ++this.#timeouts % TIMEOUTS_TO_RECONNECT === 0 && isReady) this.#redis.disconnect(true);
    if (fault !== 'timeout' || this.#timeouts >= MAX_TIMEOUTS) this.#lose(fault);
    return new RedisError(fault);
  }

  #lose(fault: RedisFault): void {
    if (this.#fault === undefined) [this.#lostAt, this.#losses] = [this.#clock.now(), this.#losses + 1];
    this.#fault = fault;
  }

  /** A timer may fire late because this process was busy. A reply that arrived in the meantime has priority. */
  #withTimeout<Reply>(reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timeOut = (): void => void setImmediate(() => setImmediate(() => reject(new RedisError('timeout'))));
      const cancel = this.#clock.schedule(this.#answerWithinMs, timeOut);
      reply.then(resolve, reject).finally(cancel);
    });
  }
}

function faultIn(cause: unknown): RedisFault {
  const message = cause instanceof Error ? cause.message : '';
  return (Object.keys(FAULTS) as RedisFault[]).find((fault) => FAULTS[fault].texts.test(message)) ?? 'invalid-reply';
}

/** Reads a script that is next to this module. The build copies the scripts to `dist`. */
function scriptText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
