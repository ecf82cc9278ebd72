import { errorCodeSchema, idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { SharedCache, SharedEntry } from '../cache/peers.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { Failure } from '../upstream/gate.ts';
import { type Content, isList } from '../upstream/response.ts';
import type { Answer } from '../upstream/upstream.ts';
import { FORMAT, type RedisClient } from './client.ts';

const listSchema = z.object({
  rows: z.array(readSourceSchema),
  unreadableRows: z.int(),
  discovered: z.array(idSchema),
});
const bodySchema = z.object({ requestedAtMs: z.int(), value: z.union([readPulseSchema, listSchema]).nullable() });

const failureSchema = z.object({ code: errorCodeSchema, detail: z.string(), status: z.number().optional() });

export interface RedisSharedCacheOptions {
  readonly client: Pick<RedisClient, 'send'>;
  readonly clock: Clock;
  /** The prefix of the names of the current key's values in Redis. */
  readonly namespace: () => string;
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
    const { client, clock } = this.#options;
    const [stored, failure] = [this.#name(`answer:${subject}`), this.#name(`failure:${subject}`)];
    const sentAt = clock.now();
    try {
      const [[token, body, at], failed, failedForMs, time] = await client.send((redis) =>
        Promise.all([
          redis.hmget(stored, 'fencingToken', 'body', 'requestedAt'),
          redis.get(failure),
          redis.pttl(failure),
          redis.time(),
        ]),
      );
      const requestedAt = sentAt - Math.max(0, msOf(time) - Number(at));
      const answer = body ? { ...answerIn(body, subject), fencingToken: Number(token), requestedAt } : undefined;
      return { answer, failure: failed ? failureIn(failed, failedForMs) : undefined };
    } catch {
      return {};
    }
  }

  store(subject: string, answer: Answer<Content>): void {
    this.#store(subject, answer).catch(() => {});
  }

  storeFailure(subject: string, { code, detail, status, retryInMs }: Failure): void {
    const [name, forMs] = [this.#name(`failure:${subject}`), Math.max(1, Math.round(retryInMs))];
    const text = JSON.stringify({ code, detail, status });
    this.#options.client.send((redis) => redis.set(name, text, 'PX', forMs)).catch(() => {});
  }

  async listen(listener: (subject: string) => void | Promise<void>): Promise<void> {
    this.#listener = listener;
    await this.poll();
  }

  /** Tells the listener what was stored since the last poll. Never rejects. */
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

  async #store(subject: string, { value, requestedAtMs, requestedAt, fencingToken }: Answer<Content>) {
    const { client, clock, keepForMs } = this.#options;
    const names = [`answer:${subject}`, `failure:${subject}`, `lease:${subject}`, 'changes'];
    const keys = names.map((name) => this.#name(name));
    const body = JSON.stringify({ requestedAtMs, value });
    const time = await client.send((redis) => redis.time());
    // Redis may run the script late: an age would be too small by then.
    const requestedAtOnRedis = Math.round(msOf(time) - (clock.now() - requestedAt));
    const args = [String(fencingToken), body, requestedAtOnRedis, keepForMs, subject];
    await client.send((redis) => redis.pulseStore(...keys, ...args));
  }

  #name(name: string): string {
    return `${this.#options.namespace()}:${FORMAT}:${name}`;
  }
}

/** A reply of `TIME` in ms. */
function msOf([seconds, micros]: readonly (string | number)[]): number {
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** Throws if `text` is no answer about the subject. */
function answerIn(text: string, subject: string): z.infer<typeof bodySchema> {
  const { value, requestedAtMs } = bodySchema.parse(JSON.parse(text));
  const isAboutSubject =
    subject === LIST_ID ? isList(value) : value === null || (!isList(value) && value.sourceId === subject);
  if (!isAboutSubject) throw new RangeError('Cannot read a stored answer: it is about another subject');
  return { value, requestedAtMs };
}

function failureIn(text: string, retryInMs: number): Failure {
  const { status, ...failure } = failureSchema.parse(JSON.parse(text));
  return { ok: false, attempted: true, ...failure, ...(status !== undefined && { status }), retryInMs };
}
