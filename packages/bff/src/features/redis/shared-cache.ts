import { errorCodeSchema, idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import { checkedJson, withChecksum } from '../../lib/checksum.ts';
import { type ExposedFields, lacksField, storedText } from '../../cache/kept-fields.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Answer } from '../../upstream/answer.ts';
import { type Failure, FAILURE_DETAILS } from '../../upstream/failure.ts';
import { type Content, isList, LIST_ID } from '../../upstream/subject.ts';
import { storedTime } from '../../lib/stored-time.ts';
import { FORMAT, type RedisClient } from './client.ts';

const listSchema = z.object({
  rows: z.array(readSourceSchema),
  unreadableRows: z.int(),
  discovered: z.array(idSchema),
});
const bodySchema = z.object({
  /** The exposed fields that were part of the stored value. */
  fields: z.array(z.string()),
  requestedAtMs: storedTime(Date.now),
  /**
   * The scripts need the same values as fields of the hash. The checksum covers only the values that are stored here.
   */
  requestedAtOnRedis: z.int(),
  fencingToken: z.int(),
  /** A digest of the account that the value belongs to. */
  account: z.string().optional(),
  value: z.union([readPulseSchema, listSchema]).nullable(),
});

const failureSchema = z.object({
  code: errorCodeSchema,
  detail: z.enum(FAILURE_DETAILS),
  status: z.number().optional(),
});

/** An entry of the shared cache. */
export interface SharedEntry {
  readonly answer?: Answer<Content> | undefined;
  /** A digest of the account that the answer belongs to; undefined if the answer has no account. */
  readonly account?: string | undefined;
  /** The latest failure. The failure is missing while an instance retries the subject. */
  readonly failure?: Failure | undefined;
}

export interface RedisSharedCacheOptions {
  readonly client: Pick<RedisClient, 'send'>;
  readonly clock: Clock;
  /** The prefix of the names under which Redis stores the values of the current key. */
  readonly namespace: () => string;
  /** How long answers are stored, in ms. */
  readonly keepForMs: number;
  /** The fields that are stored. */
  readonly exposed: ExposedFields;
  /** The age at which an answer becomes stale, in ms. */
  readonly freshForMs: number;
}

/** The part of the shared cache that instances use. */
export type SharedCache = Pick<RedisSharedCache, 'get' | 'store' | 'storeFailure' | 'listen'>;

/**
 * The cache in Redis that all instances with the key in use share. A different key has a different cache. An answer is
 * replaced only by the answer to a later call. Redis calculates the age of answers. The methods of the cache never
 * reject and never wait long. While Redis is lost, the cache is empty.
 */
export class RedisSharedCache {
  readonly #options: RedisSharedCacheOptions;
  #listener: (subject: string) => void | Promise<void> = () => {};
  /** The latest change that was seen, and the namespace that it belongs to. */
  #seen = { change: '0', namespace: '' };

  constructor(options: RedisSharedCacheOptions) {
    this.#options = options;
  }

  async get(subject: string): Promise<SharedEntry> {
    const { client, clock, exposed, freshForMs } = this.#options;
    const [stored, failure] = [this.#name(`answer:${subject}`), this.#name(`failure:${subject}`)];
    const sentAt = clock.now();
    try {
      const [body, failed, failedForMs, time] = await client.send((redis) =>
        Promise.all([redis.hget(stored, 'body'), redis.get(failure), redis.pttl(failure), redis.time()]),
      );
      const failureNow = failed ? failureIn(failed, failedForMs) : undefined;
      if (!body) return { answer: undefined, failure: failureNow };
      const { fields, requestedAtOnRedis, account, ...answer } = answerIn(body, subject);
      // An answer is stale if it lacks a field that readers get.
      const latest = lacksField(fields, exposed) ? sentAt - freshForMs : Infinity;
      const requestedAt = Math.min(latest, sentAt - Math.max(0, msOf(time) - requestedAtOnRedis));
      return { answer: { ...answer, requestedAt }, account, failure: failureNow };
    } catch {
      return {};
    }
  }

  store(subject: string, answer: Answer<Content>): void {
    this.#store(subject, answer).catch(() => {});
  }

  storeFailure(subject: string, { code, detail, status, retryInMs }: Failure): void {
    const [name, forMs] = [this.#name(`failure:${subject}`), Math.max(1, Math.round(retryInMs))];
    const text = withChecksum(JSON.stringify({ code, detail, status }));
    this.#options.client.send((redis) => redis.set(name, text, 'PX', forMs)).catch(() => {});
  }

  /**
   * Calls `listener` with each subject for which an instance has stored an answer. Resolves after `listener` was called
   * for the last answer so far.
   */
  async listen(listener: (subject: string) => void | Promise<void>): Promise<void> {
    this.#listener = listener;
    await this.poll();
  }

  /** Reports to the listener which subjects were stored since the last poll. Never rejects. */
  async poll(): Promise<void> {
    const namespace = this.#options.namespace();
    const since = namespace === this.#seen.namespace ? `(${this.#seen.change}` : '-inf';
    const changes = await this.#options.client
      .send((redis) => redis.zrangebyscore(this.#name('changes'), since, '+inf', 'WITHSCORES'))
      .catch(() => []);
    for (let at = 0; at < changes.length; at += 2) {
      await this.#listener(changes[at] ?? '');
      this.#seen = { namespace, change: changes[at + 1] ?? '0' };
    }
  }

  async #store(subject: string, { value, requestedAtMs, requestedAt, fencingToken, owner }: Answer<Content>) {
    const { client, clock, keepForMs, exposed } = this.#options;
    const names = [`answer:${subject}`, `failure:${subject}`, `lease:${subject}`, 'changes'];
    const keys = names.map((name) => this.#name(name));
    const time = await client.send((redis) => redis.time());
    // Redis may run the script late, and the age would then be too small.
    const requestedAtOnRedis = Math.round(msOf(time) - (clock.now() - requestedAt));
    const stored = { requestedAtMs, requestedAtOnRedis, fencingToken, account: owner?.account, value };
    const body = withChecksum(storedText(stored, exposed));
    const args = [String(fencingToken), body, requestedAtOnRedis, keepForMs, subject];
    await client.send((redis) => redis.pulseStore(...keys, ...args));
  }

  #name(name: string): string {
    return `${this.#options.namespace()}:${FORMAT}:${name}`;
  }
}

/** Converts a reply of `TIME` to ms. */
function msOf([seconds, micros]: readonly (string | number)[]): number {
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** Throws if `text` isn't an answer for the subject. */
function answerIn(text: string, subject: string): z.infer<typeof bodySchema> {
  const body = bodySchema.parse(JSON.parse(checkedJson(text)));
  const { value } = body;
  const isAboutSubject =
    subject === LIST_ID ? isList(value) : value === null || (!isList(value) && value.sourceId === subject);
  if (!isAboutSubject) throw new RangeError('Cannot read a stored answer: it is about another subject');
  return body;
}

function failureIn(text: string, retryInMs: number): Failure {
  const { status, ...failure } = failureSchema.parse(JSON.parse(checkedJson(text)));
  return { ok: false, attempted: true, ...failure, ...(status !== undefined && { status }), retryInMs };
}
