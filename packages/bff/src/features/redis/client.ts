import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { type Clock, within } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { RedisStatus } from '../../pulses/shared-store.ts';

/** How long a command may take, in ms. */
const ANSWER_WITHIN_MS = 80;

/** How long startup waits for Redis, in ms. If Redis takes longer, this instance joins later. */
const JOIN_WITHIN_MS = 1_000;

/** How long Redis can take to accept a connection or to send anything, in ms. After that, the client reconnects. */
const SILENT_MS = 2_000;

/** After this many timeouts in a row, Redis counts as lost. Any other failure makes it count as lost immediately. */
const MAX_TIMEOUTS = 2;

/** Reasons why Redis is lost, with the error messages that indicate them. */
const FAULTS: readonly (readonly [fault: string, texts: RegExp])[] = [
  ['redis_acl', /NOPERM|ACL failure|user executing the script/],
  ['redis_login', /WRONGPASS|NOAUTH|ERR (?:invalid password|Client sent AUTH|AUTH)/],
  ['redis_database', /DB index|SELECT is not allowed/],
  ['redis_readonly', /READONLY|MISCONF|NOREPLICAS/],
  ['redis_full', /OOM /],
  ['redis_loading', /LOADING|BUSY/],
  ['timeout', /timed out/],
  ['dns', /ENOTFOUND|EAI_/],
  ['tls', /TLS|SSL|CERT|EPROTO|wrong version number/i],
  ['no_descriptors', /EMFILE|ENFILE/],
  ['connection', /Connection is closed|isn't writeable|ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH/],
];

/**
 * Errors in the connection itself. Commands then fail with a generic message, because the reason was reported earlier.
 */
const OF_CONNECTION = /^(?:redis_login|redis_acl|redis_database|tls|dns|no_descriptors)$/;

/** The error for a failed Redis command. The message contains only the reason. */
class RedisError extends Error {}

/** An ioredis client with the budget's script. */
export interface ScriptedRedis extends Redis {
  pulseBudget(keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

/**
 * A connection to Redis. No command is queued while Redis can't be reached, and none takes longer than 80 ms. Once
 * Redis is lost, commands fail immediately until a trial succeeds.
 */
export class RedisClient {
  /** Why Redis is lost; undefined if it isn't. */
  fault: string | undefined = 'connection';
  readonly #redis: ScriptedRedis;
  readonly #clock: Clock;
  #timeouts = 0;
  /** Why the connection can't be used, until it is opened again. */
  #connectionFault: string | undefined;
  #lostAt: number;
  #losses = 0;
  #evictionPolicy: string | null = null;

  constructor(url: Secret, clock: Clock) {
    this.#clock = clock;
    this.#lostAt = clock.now();
    this.#redis = new Redis(url.reveal(), {
      protocol: 2,
      connectionName: 'pulse-bff',
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      autoResendUnfulfilledCommands: false,
      connectTimeout: SILENT_MS,
      socketTimeout: SILENT_MS,
      retryStrategy: (count) => Math.min(1_000, 50 * 2 ** Math.min(count, 6)),
      // After a failover, the same name refers to another server.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
      scripts: { pulseBudget: { lua: readFileSync(new URL('budget.lua', import.meta.url), 'utf8') } },
    }) as ScriptedRedis;
    // An error without a listener would end the process.
    this.#redis.on('error', (cause: unknown) => {
      this.#connectionFault = OF_CONNECTION.exec(faultIn(cause))?.[0];
    });
  }

  /**
   * Connects, and retries until it succeeds. Resolves after the first try or after one second, whichever comes first.
   */
  async open(): Promise<void> {
    const connected = this.#redis.connect().catch(() => {});
    await within(this.#clock, JOIN_WITHIN_MS, connected);
  }

  close(): void {
    this.#redis.disconnect();
  }

  status(): RedisStatus {
    const facts = { fault: this.fault, losses: this.#losses, evictionPolicy: this.#evictionPolicy };
    if (this.fault === undefined) return { state: 'joined', lostForMs: 0, ...facts };
    return { state: 'lost', lostForMs: this.#clock.now() - this.#lostAt, ...facts };
  }

  /** Checks whether Redis may drop values before they expire. */
  async readEvictionPolicy(): Promise<void> {
    const memory = await this.#withTimeout(this.#redis.info('memory')).catch(() => '');
    this.#evictionPolicy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? this.#evictionPolicy;
  }

  /**
   * Sends a command. A trial is sent even while Redis counts as lost. If the trial succeeds, Redis is no longer lost.
   * Rejects with a `RedisError`.
   */
  async send<Reply>(command: (redis: ScriptedRedis) => Promise<Reply>, { isTrial = false } = {}): Promise<Reply> {
    if (this.fault !== undefined && !isTrial) throw new RedisError(this.fault);
    try {
      // If Redis rejects the database, ioredis would otherwise continue in database 0.
      if (this.#connectionFault === 'redis_database') throw new RedisError(this.#connectionFault);
      const reply = await this.#withTimeout(command(this.#redis));
      this.#timeouts = 0;
      this.fault = this.#connectionFault = undefined;
      return reply;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  #failed(cause: unknown): RedisError {
    const isReady = this.#redis.status === 'ready';
    const own = cause instanceof RedisError ? cause.message : faultIn(cause);
    const fault = isReady ? own : (this.#connectionFault ?? (own === 'redis_other' ? 'connection' : own));
    if (fault === 'timeout' && ++this.#timeouts < MAX_TIMEOUTS) return new RedisError(fault);
    if (this.fault === undefined) [this.#lostAt, this.#losses] = [this.#clock.now(), this.#losses + 1];
    this.fault = fault;
    return new RedisError(fault);
  }

  /** A timer may fire late because this process was busy. A reply that has arrived in the meantime still counts. */
  #withTimeout<Reply>(reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const give = () => void setImmediate(() => reject(new Error('Redis timed out')));
      void reply.then(resolve, reject).finally(this.#clock.schedule(ANSWER_WITHIN_MS, give));
    });
  }
}

function faultIn(cause: unknown): string {
  const text = cause instanceof Error ? `${'code' in cause ? String(cause.code) : ''} ${cause.message}` : '';
  return FAULTS.find(([, texts]) => texts.test(text))?.[0] ?? 'redis_other';
}
