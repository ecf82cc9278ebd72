import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { Clock } from '../clock.ts';
import { type ChannelListener, ChannelSubscription } from './channel-subscription.ts';
import type { Secret } from '../secret.ts';

/** The script of the call budget; see `BudgetScriptClient`. */
export const BUDGET_SCRIPT = scriptText('redis-call-budget.lua');

/** How long a command may take by default. */
const ANSWER_WITHIN_MS = 80;

/** The client itself gives a command up after this time, or twice its timeout. */
const DROPPED_AFTER_MS = 1_000;

/** The longest wait between two attempts to connect. */
const MAX_RECONNECT_MS = 1_000;

/** Timeouts in a row after which Redis counts as lost; a refused or broken connection counts at once. */
const MAX_TIMEOUTS = 2;

/** Timeouts in a row after which the connection may be dead and is opened anew. */
const TIMEOUTS_TO_RECONNECT = 10;

/** Why a command to Redis failed. */
export type RedisFault = 'timeout' | 'disconnected' | 'read-only' | 'full' | 'loading' | 'refused' | 'invalid-reply';

const ADVICE: Readonly<Record<RedisFault, string>> = {
  timeout: 'check its load and the network to it',
  // A Redis in protected mode closes the connection before the client has read why.
  disconnected: 'check that it runs and lets this server in (bind, protected mode, firewall)',
  'read-only': 'check that it is the primary and can write to its disk',
  full: 'raise its maxmemory',
  loading: 'wait until it has loaded its data',
  refused: 'check the user, the password and the database of the address',
  'invalid-reply': 'check that a Redis or Valkey server is at the address',
};

/** What an operator is to do while Redis is lost. */
export function redisAdvice(fault: RedisFault = 'disconnected'): string {
  return ADVICE[fault];
}

/** A command to Redis failed. Holds no text of Redis. */
export class RedisError extends Error {
  readonly fault: RedisFault;

  constructor(fault: RedisFault) {
    super(`Cannot use Redis: ${fault}`);
    this.name = 'RedisError';
    this.fault = fault;
  }
}

/** Errors of Redis about user or password. */
const REFUSALS = /WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|Client sent AUTH|AUTH)/;

/** Errors of Redis about a missing database; the client would go on in database 0. */
const NO_DATABASE = /DB index|SELECT is not allowed/i;

type Argument = string | number | Buffer;

interface Scripted extends Redis {
  pulseBudget(keyCount: number, ...args: Argument[]): Promise<unknown>;
  pulseStoreEntry(...args: Argument[]): Promise<unknown>;
  pulseStoreBackoff(...args: Argument[]): Promise<unknown>;
}

export interface RedisClientOptions {
  readonly address: Secret;
  readonly clock: Clock;
  /** How long a command may take, in ms. @default 80 */
  readonly answerWithinMs?: number | undefined;
  /** @default nothing is logged */
  readonly warn?: (sentence: string) => unknown;
}

/**
 * Two connections to Redis, one for commands and one for messages. No command is queued while Redis is away, and none waits
 * longer than 80 ms. After two timeouts commands fail at once, except trials of whether Redis is back.
 */
export class RedisClient {
  readonly #clock: Clock;
  readonly #client: Scripted;
  readonly #listener: Redis;
  readonly #subscription: ChannelSubscription;
  readonly #answerWithinMs: number;
  /** Why Redis refuses the connection. */
  #refusal: RedisFault | undefined;
  #isWrongDatabase = false;
  #timeouts = 0;
  #fault: RedisFault | undefined = 'disconnected';

  constructor({ address, clock, answerWithinMs = ANSWER_WITHIN_MS, warn = () => {} }: RedisClientOptions) {
    this.#clock = clock;
    this.#answerWithinMs = answerWithinMs;
    const options = {
      protocol: 2,
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      connectTimeout: 2_000,
      commandTimeout: Math.max(DROPPED_AFTER_MS, 2 * answerWithinMs),
      retryStrategy: (attempt) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** Math.min(attempt, 6)),
      // After a failover the same name is another server's.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    } satisfies RedisOptions;
    this.#client = new Redis(address.reveal(), { ...options, connectionName: 'pulse-bff' }) as Scripted;
    this.#listener = new Redis(address.reveal(), { ...options, connectionName: 'pulse-bff-listener' });
    this.#subscription = new ChannelSubscription(this.#listener, clock, (cause) => {
      const fault = faultIn(cause, this.#listener.status);
      warn(`Cannot subscribe to the messages of other instances in Redis (${fault}): answers are compared instead`);
    });
    // An error without a listener would end the process; the commands that fail report it.
    this.#listener.on('error', () => {});
    this.#client.on('error', ({ message }) => {
      this.#refusal = REFUSALS.test(message) ? 'refused' : undefined;
      this.#isWrongDatabase ||= NO_DATABASE.test(message);
    });
    this.#client.on('connect', () => (this.#isWrongDatabase = false));
    this.#client.on('ready', () => (this.#refusal = undefined));
    this.#client.defineCommand('pulseBudget', { lua: BUDGET_SCRIPT });
    this.#client.defineCommand('pulseStoreEntry', { lua: scriptText('store-entry.lua'), numberOfKeys: 3 });
    this.#client.defineCommand('pulseStoreBackoff', { lua: scriptText('store-backoff.lua'), numberOfKeys: 2 });
  }

  /** Connects, and retries for as long as it takes; resolves after the first attempt. */
  async open(): Promise<void> {
    await Promise.all([this.#client, this.#listener].map((client) => client.connect().catch(() => {})));
  }

  close(): void {
    this.#subscription.stop();
    for (const client of [this.#client, this.#listener]) client.disconnect();
  }

  /** Why Redis counts as lost; undefined while it does not. */
  get fault(): RedisFault | undefined {
    return this.#fault;
  }

  /** Runs the call budget's script. `isTrial`: even where Redis counts as lost. Rejects with `RedisError`. */
  runBudgetScript(keys: readonly string[], args: readonly Argument[], { isTrial = false } = {}): Promise<unknown> {
    return this.#send(isTrial, () => this.#client.pulseBudget(keys.length, ...keys, ...args));
  }

  storeEntry(...args: Argument[]): Promise<unknown> {
    return this.#send(false, () => this.#client.pulseStoreEntry(...args));
  }

  storeBackoff(...args: Argument[]): Promise<unknown> {
    return this.#send(false, () => this.#client.pulseStoreBackoff(...args));
  }

  /** Fields of a hash and the text of another key, in one round trip; a value of the wrong type reads as an empty text. */
  read(hash: string, fields: readonly string[], key: string): Promise<[fields: unknown[], text: unknown]> {
    return this.#send(false, () =>
      Promise.all([
        this.#client.hmget(hash, ...fields).catch((cause: unknown) => fields.map(() => orInvalidReply(cause))),
        this.#client.get(key).catch(orInvalidReply),
      ]),
    );
  }

  forget(...keys: string[]): Promise<unknown> {
    return this.#send(true, () => this.#client.del(...keys));
  }

  publish(channel: string, message: string): Promise<unknown> {
    return this.#send(false, () => this.#client.publish(channel, message));
  }

  /** Subscribes to a channel, and to no other, over reconnects. */
  listen(channel: string, listener: ChannelListener): void {
    this.#subscription.start(channel, listener);
  }

  /** Whether messages of the channel are received. */
  get isListening(): boolean {
    return this.#subscription.isActive;
  }

  async #send<Answer>(isTrial: boolean, send: () => Promise<Answer>): Promise<Answer> {
    if (this.#isWrongDatabase) this.#fault = 'refused';
    if ((!isTrial || this.#isWrongDatabase) && this.#fault !== undefined) throw new RedisError(this.#fault);
    try {
      const answer = await this.#withTimeout(send());
      this.#timeouts = 0;
      this.#fault = undefined;
      return answer;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  #failed(cause: unknown): RedisError {
    const failed =
      cause instanceof RedisError ? cause : new RedisError(this.#refusal ?? faultIn(cause, this.#client.status));
    if (failed.fault === 'timeout') this.#timeouts += 1;
    if (failed.fault === 'timeout' && this.#timeouts % TIMEOUTS_TO_RECONNECT === 0) this.#reconnect();
    if (failed.fault !== 'timeout' || this.#timeouts >= MAX_TIMEOUTS) this.#fault = failed.fault;
    return failed;
  }

  #reconnect(): void {
    for (const client of [this.#client, this.#listener]) if (client.status === 'ready') client.disconnect(true);
  }

  /** A timer may fire late because this process was busy: a reply that has arrived meanwhile comes first. */
  #withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timeOut = (): void => void setImmediate(() => setImmediate(() => reject(new RedisError('timeout'))));
      const cancel = this.#clock.schedule(this.#answerWithinMs, timeOut);
      answer.then(resolve, reject).finally(cancel);
    });
  }
}

function orInvalidReply(cause: unknown): string {
  if (cause instanceof Error && cause.message.startsWith('WRONGTYPE')) return '';
  throw cause;
}

function faultIn(cause: unknown, status: string): RedisFault {
  const message = cause instanceof Error ? cause.message : '';
  if (message.includes('timed out')) return 'timeout';
  if (status !== 'ready' || message.includes('Connection is closed') || message.includes("isn't writeable"))
    return 'disconnected';
  if (message.includes('READONLY') || message.includes('MISCONF') || message.includes('NOREPLICAS')) return 'read-only';
  if (message.includes('OOM ')) return 'full';
  if (message.includes('LOADING') || message.includes('BUSY')) return 'loading';
  return REFUSALS.test(message) ? 'refused' : 'invalid-reply';
}

/** A script beside this module: the build copies them to `dist`. */
function scriptText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
