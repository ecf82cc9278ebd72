import { z } from 'zod';
import type { SharedCache, SharedFailure, SharedEntry, SharedList, SharedPulse } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { RedisCallBudget } from './redis-call-budget.ts';
import type { RedisClient } from './redis-client.ts';
import {
  failureValueSchema,
  listValueSchema,
  MAX_SHARED_DISCOVERED,
  verifiedValue,
  pulseValueSchema,
  signedValue,
} from './signed-value.ts';
import type { KeyNamespace } from './key-namespace.ts';

/** The longest message that is read. */
const MAX_MESSAGE_LENGTH = 64 * 1024;

const messageSchema = z.object({ from: z.string().max(100), subject: z.string().max(200) });

export interface RedisSharedCacheOptions {
  readonly client: RedisClient;
  readonly callBudget: RedisCallBudget;
  readonly clock: Clock;
  readonly instance: string;
  readonly namespace: () => KeyNamespace;
  /** How long answers are stored, in ms. */
  readonly keepForMs: number;
  /** @default nothing is logged */
  readonly warn?: (sentence: string) => unknown;
}

/** The shared cache in Redis. Each value is signed, verified when read, and replaced only by one with a newer fencing token. */
export class RedisSharedCache implements SharedCache {
  readonly #options: RedisSharedCacheOptions;
  #listener: ((subject: string) => void | Promise<void>) | undefined;
  /** Subjects that were read or stored, to be looked at again after a loss. */
  readonly #subjects = new Set<string>();
  #channel: string | undefined;

  constructor(options: RedisSharedCacheOptions) {
    this.#options = options;
    options.callBudget.membership.onJoined(() => this.#joined());
  }

  async listen(listener: (subject: string) => void | Promise<void>): Promise<void> {
    this.#listener = listener;
    if (this.#options.callBudget.membership.isJoined) this.#joined();
    const { list } = await this.get(LIST_ID);
    for (const id of list?.discovered ?? []) await listener(id);
  }

  async get(subject: string): Promise<SharedEntry> {
    this.#subjects.add(subject);
    const { client, namespace: namespaceNow } = this.#options;
    const namespace = namespaceNow();
    const keys = { answer: namespace.key('answer', subject), backoff: namespace.key('backoff', subject) };
    try {
      const [[fencingToken, answer], backoff] = await client.read(keys.answer, ['fencingToken', 'body'], keys.backoff);
      const found = {
        ...this.#answerIn(namespace, subject, answer),
        failure: this.#failureIn(namespace, subject, backoff),
      };
      const rank = (found.list ?? found.pulse)?.fencingToken;
      if (rank !== undefined) this.#options.callBudget.recordFencingToken(rank);
      // An entry that cannot be read would keep all instances waiting.
      if (fencingToken !== null && String(rank) !== fencingToken) void client.forget(keys.answer).catch(() => {});
      if (backoff !== null && found.failure === undefined) void client.forget(keys.backoff).catch(() => {});
      return found;
    } catch {
      return {};
    }
  }

  storePulse(sourceId: string, { pulse, ...info }: SharedPulse): void {
    this.#store(sourceId, info, { kind: 'pulse', pulse });
  }

  storeList({ rows, unreadableRows, discovered, ...info }: SharedList): void {
    this.#store(LIST_ID, info, {
      kind: 'list',
      rows,
      unreadableRows,
      discovered: discovered.slice(0, MAX_SHARED_DISCOVERED),
    });
  }

  storeFailure(subject: string, { code, detail, status, retryInMs }: SharedFailure): void {
    const { client, callBudget, clock, namespace: namespaceNow, instance } = this.#options;
    const namespace = namespaceNow();
    const untilMs = Math.round(callBudget.sharedTime(clock.now() + retryInMs));
    const body = this.#signed(namespace, subject, { kind: 'failure', subject, code, detail, status, untilMs });
    if (body === undefined || !callBudget.membership.isJoined) return;
    const message = JSON.stringify({ from: instance, subject });
    const keys = [namespace.key('backoff', subject), namespace.key('leases')];
    const keepMs = Math.max(1, Math.round(retryInMs));
    void client.storeBackoff(...keys, body, keepMs, namespace.key('news'), message, subject, instance).catch(() => {});
  }

  #store(subject: string, info: Omit<SharedPulse, 'pulse'>, value: object): void {
    const { client, callBudget, namespace: namespaceNow, instance, keepForMs } = this.#options;
    const namespace = namespaceNow();
    const { fencingToken, requestedAtMs, keyName } = info;
    // The key may have changed since: the answer does not belong in its namespace.
    if (keyName !== namespace.keyName) return;
    const sharedRequestedAtMs = Math.max(0, callBudget.sharedTime(info.requestedAt));
    const body = this.#signed(namespace, subject, {
      ...value,
      subject,
      fencingToken,
      sharedRequestedAtMs,
      requestedAtMs,
      account: null,
    });
    if (body === undefined || !callBudget.membership.isJoined) return;
    const keys = [namespace.key('answer', subject), namespace.key('backoff', subject), namespace.key('leases')];
    const message = JSON.stringify({ from: instance, subject });
    void client
      .storeEntry(...keys, fencingToken, body, keepForMs, namespace.key('news'), message, subject)
      .catch(() => {});
  }

  #signed(namespace: KeyNamespace, subject: string, value: object): string | undefined {
    const body = signedValue(namespace, value);
    if (body === undefined)
      this.#options.warn?.(`Cannot share what is known of "${subject}" over Redis: it is too long`);
    return body;
  }

  #answerIn(namespace: KeyNamespace, subject: string, written: unknown): SharedEntry {
    const schema = subject === LIST_ID ? listValueSchema : pulseValueSchema;
    const value = verifiedValue(namespace, { schema, subject, written });
    if (!value) return {};
    const { clock, callBudget } = this.#options;
    const { fencingToken, requestedAtMs, sharedRequestedAtMs } = value;
    const info = {
      fencingToken,
      requestedAtMs,
      keyName: namespace.keyName,
      requestedAt: Math.min(clock.now(), callBudget.ownTime(sharedRequestedAtMs)),
    };
    if (value.kind === 'list') {
      const { rows, unreadableRows, discovered } = value;
      return { list: { ...info, rows, unreadableRows, discovered } };
    }
    if (value.pulse !== null && value.pulse.sourceId !== subject) return {};
    return { pulse: { ...info, pulse: value.pulse } };
  }

  #failureIn(namespace: KeyNamespace, subject: string, written: unknown): SharedFailure | undefined {
    const value = verifiedValue(namespace, { schema: failureValueSchema, subject, written });
    if (!value) return undefined;
    const { clock, callBudget } = this.#options;
    const retryInMs = Math.min(300_000, callBudget.ownTime(value.untilMs) - clock.now());
    if (retryInMs <= 0) return undefined;
    return { code: value.code, detail: value.detail, status: value.status, retryInMs };
  }

  #joined(): void {
    const channel = this.#options.namespace().key('news');
    if (channel !== this.#channel) {
      this.#channel = channel;
      const onMessage = (message: string): void => this.#onMessage(message);
      this.#options.client.listen(channel, { onMessage, onMissed: () => this.#lookAgain() });
    }
    this.#lookAgain();
  }

  #onMessage(text: string): void {
    const message = text.length > MAX_MESSAGE_LENGTH ? undefined : messageIn(text);
    if (!message) return void this.#options.warn?.('A message over Redis is not one of ours: it is ignored');
    if (message.from !== this.#options.instance) void this.#listener?.(message.subject);
  }

  #lookAgain(): void {
    for (const subject of this.#subjects) void this.#listener?.(subject);
  }
}

function messageIn(text: string): z.output<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
