import { errorCodeSchema, idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { SharedCache, SharedEntry, SharedFailure, SharedList, SharedPulse } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { RedisClient } from './client.ts';

const momentSchema = z.number().int().nonnegative();
const requestShape = { requestedAtMs: momentSchema };

/** What is stored of an answer beside its fencing token and its age. */
const pulseSchema = z.object({ ...requestShape, pulse: readPulseSchema.nullable() });
const listSchema = z.object({
  ...requestShape,
  rows: z.array(readSourceSchema),
  unreadableRows: momentSchema,
  discovered: z.array(idSchema),
});
const failureSchema = z.object({ code: errorCodeSchema, detail: z.string(), status: z.number().optional() });

export interface RedisSharedCacheOptions {
  readonly client: Pick<RedisClient, 'send'>;
  readonly clock: Clock;
  /** What the names of the key's values in Redis begin with, and the name of that key, as they are now. */
  readonly namespace: () => string;
  readonly keyName: () => string;
  /** How long answers are stored, in ms. */
  readonly keepForMs: number;
}

/** The shared cache in Redis. An answer is replaced only by that of a later call, and its age is counted by Redis. */
export class RedisSharedCache implements SharedCache {
  readonly #options: RedisSharedCacheOptions;
  #listener: (subject: string) => void | Promise<void> = () => {};
  /** The latest change that was seen, and in which namespace. */
  #seen = { change: '0', namespace: '' };

  constructor(options: RedisSharedCacheOptions) {
    this.#options = options;
  }

  async get(subject: string): Promise<SharedEntry> {
    const { client, clock, namespace: namespaceNow, keyName: keyNameNow } = this.#options;
    const [namespace, keyName, sentAt] = [namespaceNow(), keyNameNow(), clock.now()];
    const [answerKey, failureKey] = [`${namespace}:answer:${subject}`, `${namespace}:failure:${subject}`];
    try {
      const [[token, body, at], failure, failureForMs, [seconds, micros]] = await client.send((redis) =>
        Promise.all([
          redis.hmget(answerKey, 'fencingToken', 'body', 'requestedAt'),
          redis.get(failureKey),
          redis.pttl(failureKey),
          redis.time(),
        ]),
      );
      const ageMs = Math.max(0, Number(seconds) * 1_000 + Number(micros) / 1_000 - Number(at));
      const info = { fencingToken: Number(token), requestedAt: sentAt - ageMs, keyName };
      return { ...answerIn(subject, body, info), ...failureIn(failure, failureForMs) };
    } catch {
      return {};
    }
  }

  storePulse(sourceId: string, { pulse, requestedAtMs, ...info }: SharedPulse): void {
    this.#store(sourceId, info, { pulse, requestedAtMs });
  }

  storeList({ rows, unreadableRows, discovered, requestedAtMs, ...info }: SharedList): void {
    this.#store(LIST_ID, info, { rows, unreadableRows, discovered, requestedAtMs });
  }

  storeFailure(subject: string, { retryInMs, ...failure }: SharedFailure): void {
    const { client, namespace } = this.#options;
    const [key, forMs] = [`${namespace()}:failure:${subject}`, Math.max(1, Math.round(retryInMs))];
    client.send((redis) => redis.set(key, JSON.stringify(failure), 'PX', forMs)).catch(() => {});
  }

  async listen(listener: (subject: string) => void | Promise<void>): Promise<void> {
    this.#listener = listener;
    await this.poll();
  }

  /** Tells the listener what was stored since the last poll. Never rejects. */
  async poll(): Promise<void> {
    const { client, namespace: namespaceNow } = this.#options;
    const namespace = namespaceNow();
    const since = namespace === this.#seen.namespace ? `(${this.#seen.change}` : '-inf';
    const changes = await client
      .send((redis) => redis.zrangebyscore(`${namespace}:changes`, since, '+inf', 'WITHSCORES'))
      .catch(() => []);
    for (let at = 0; at < changes.length; at += 2) {
      await this.#listener(changes[at] ?? '');
      this.#seen = { namespace, change: changes[at + 1] ?? '0' };
    }
  }

  #store(
    subject: string,
    { fencingToken, requestedAt, keyName }: Omit<SharedPulse, 'pulse' | 'requestedAtMs'>,
    body: object,
  ): void {
    const { client, clock, namespace: namespaceNow, keyName: keyNameNow, keepForMs } = this.#options;
    // The key may have changed since: the answer does not belong in its namespace.
    if (keyName !== keyNameNow()) return;
    const namespace = namespaceNow();
    const keys = [`answer:${subject}`, `failure:${subject}`, `lease:${subject}`, 'changes'];
    const ageMs = Math.max(0, Math.round(clock.now() - requestedAt));
    const args = [String(fencingToken), JSON.stringify(body), ageMs, keepForMs, subject];
    client.send((redis) => redis.pulseStore(...keys.map((name) => `${namespace}:${name}`), ...args)).catch(() => {});
  }
}

function answerIn(
  subject: string,
  body: string | null | undefined,
  info: Pick<SharedPulse, 'fencingToken' | 'requestedAt' | 'keyName'>,
): SharedEntry {
  if (subject === LIST_ID) {
    const list = listSchema.safeParse(parsed(body)).data;
    return list ? { list: { ...list, ...info } } : {};
  }
  const answer = pulseSchema.safeParse(parsed(body)).data;
  return answer && (answer.pulse?.sourceId ?? subject) === subject ? { pulse: { ...answer, ...info } } : {};
}

function failureIn(text: string | null, retryInMs: number): SharedEntry {
  const failure = retryInMs > 0 ? failureSchema.safeParse(parsed(text)).data : undefined;
  return failure ? { failure: { ...failure, status: failure.status, retryInMs } } : {};
}

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
