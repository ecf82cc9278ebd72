import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { Clock } from '../clock.ts';
import { type ChannelListener, ChannelSubscription } from './channel-subscription.ts';
import type { Secret } from '../secret.ts';

/** The call budget of all instances, as Redis runs it; see `BudgetScriptClient`. */
export const BUDGET_SCRIPT = scriptText('redis-call-budget.lua');

/** No reader waits longer than this for Redis. */
const ANSWER_WITHIN_MS = 80;

/** A command that nobody waits for any more is dropped by the client, too. */
const DROPPED_AFTER_MS = 1_000;

/** How soon the client tries again to connect: at once, then up to a second. */
const MAX_RECONNECT_MS = 1_000;

/** Timeouts in a row after which Redis counts as lost; a refused or broken connection counts at once. */
const MAX_TIMEOUTS = 2;

/** After so many, seconds of them, the connection itself may be dead with nobody having said so. */
const TIMEOUTS_TO_RECONNECT = 10;

/** Why a command to Redis failed. */
export type RedisFault = 'timeout' | 'disconnected' | 'read-only' | 'full' | 'loading' | 'refused' | 'invalid-reply';

/** What Redis could not do, in a word; nothing that it said is in it. */
export class RedisError extends Error {
  readonly fault: RedisFault;

  constructor(fault: RedisFault) {
    super(`Cannot use Redis: ${fault}`);
    this.name = 'RedisError';
    this.fault = fault;
  }
}

/** What Redis says where it does not let us in. */
const REFUSALS = /WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|Client sent AUTH|AUTH)/;

/** What Redis says where it does not have the database that the address names; the client would go on in the first one. */
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
  /** @default nothing is said */
  readonly warn?: (sentence: string) => unknown;
}

/**
 * Two connections to Redis, one for commands and one that listens. Nothing waits in a queue for Redis to come back, and
 * nothing waits longer than 80 ms: once it was silent twice, commands fail at once, save those that try whether it is back.
 */
export class RedisClient {
  readonly #clock: Clock;
  readonly #client: Scripted;
  readonly #listener: Redis;
  readonly #subscription: ChannelSubscription;
  readonly #answerWithinMs: number;
  /** Why no connection comes about, where Redis said so. */
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
    // What is wrong is told by the commands that fail; an error nobody listens to would end the process.
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

  /** Begins to connect, and goes on for as long as it takes; resolves once the first try has come to something. */
  async open(): Promise<void> {
    await Promise.all([this.#client, this.#listener].map((client) => client.connect().catch(() => {})));
  }

  close(): void {
    this.#subscription.stop();
    for (const client of [this.#client, this.#listener]) client.disconnect();
  }

  /** What is wrong with Redis, if anything is. */
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

  /** Fields of a hash, and the text of another key, in one go; what is of the wrong kind reads as an empty text. */
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

  /** Hears what is said on a channel, and on no other, over reconnects. */
  listen(channel: string, listener: ChannelListener): void {
    this.#subscription.start(channel, listener);
  }

  /** Whether what is said on the channel is heard. */
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

  /** A timer that fires late, because this process was busy, gives an answer that has come meanwhile its turn. */
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
