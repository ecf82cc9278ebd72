import { errorCodeSchema, idSchema, type ReadPulse, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { SharedCache, SharedEntry, SharedList } from '../cache/peers.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { Failure } from '../upstream/gate.ts';
import type { Answer } from '../upstream/upstream.ts';
import { FORMAT, type RedisClient } from './client.ts';

/** An answer without what is stored beside it. */
const pulseSchema = z.object({ requestedAtMs: z.int(), pulse: readPulseSchema.nullable() });
const listSchema = z.object({
  requestedAtMs: z.int(),
  rows: z.array(readSourceSchema),
  unreadableRows: z.int(),
  discovered: z.array(idSchema),
});
const bodySchema = z.object({ pulse: pulseSchema.optional(), list: listSchema.optional() });

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
    const { client, clock, namespace, keyName: keyNameNow } = this.#options;
    const nameOf = (value: string): string => `${namespace()}:${FORMAT}:${value}:${subject}`;
    const [answer, failure] = [nameOf('answer'), nameOf('failure')];
    const [keyName, sentAt] = [keyNameNow(), clock.now()];
    try {
      const [[token, body, at], failed, failedForMs, time] = await client.send((redis) =>
        Promise.all([
          redis.hmget(answer, 'fencingToken', 'body', 'requestedAt'),
          redis.get(failure),
          redis.pttl(failure),
          redis.time(),
        ]),
      );
      const ageMs = Math.max(0, msOf(time) - Number(at));
      const owner = { account: undefined, keyName };
      const info = { fencingToken: Number(token), requestedAt: sentAt - ageMs, owner };
      const { pulse, list } = bodySchema.parse(JSON.parse(body ?? '{}'));
      const isAboutSubject = (pulse?.pulse?.sourceId ?? subject) === subject;
      return {
        pulse:
          pulse && isAboutSubject ? { ...info, value: pulse.pulse, requestedAtMs: pulse.requestedAtMs } : undefined,
        list: list && { ...info, value: list, requestedAtMs: list.requestedAtMs },
        failure: failed ? failureOf(failureSchema.parse(JSON.parse(failed)), failedForMs) : undefined,
      };
    } catch {
      return {};
    }
  }

  storePulse(sourceId: string, answer: Answer<ReadPulse | null>): void {
    const body = { pulse: { pulse: answer.value, requestedAtMs: answer.requestedAtMs } };
    this.#store(sourceId, answer, body).catch(() => {});
  }

  storeList(answer: Answer<SharedList>): void {
    const body = { list: { ...answer.value, requestedAtMs: answer.requestedAtMs } };
    this.#store(LIST_ID, answer, body).catch(() => {});
  }

  storeFailure(subject: string, { code, detail, status, retryInMs }: Failure): void {
    const { client, namespace } = this.#options;
    const [key, forMs] = [`${namespace()}:${FORMAT}:failure:${subject}`, Math.max(1, Math.round(retryInMs))];
    const text = JSON.stringify({ code, detail, status });
    client.send((redis) => redis.set(key, text, 'PX', forMs)).catch(() => {});
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
      .send((redis) => redis.zrangebyscore(`${namespace}:${FORMAT}:changes`, since, '+inf', 'WITHSCORES'))
      .catch(() => []);
    for (let at = 0; at < changes.length; at += 2) {
      await this.#listener(changes[at] ?? '');
      this.#seen = { namespace, change: changes[at + 1] ?? '0' };
    }
  }

  async #store(subject: string, { fencingToken, requestedAt, owner }: Answer<unknown>, body: object): Promise<void> {
    const { client, clock, namespace, keyName, keepForMs } = this.#options;
    // The key may have changed since: the answer does not belong in its namespace.
    if (owner?.keyName !== keyName()) return;
    const names = [`answer:${subject}`, `failure:${subject}`, `lease:${subject}`, 'changes'];
    const keys = names.map((name) => `${namespace()}:${FORMAT}:${name}`);
    const time = await client.send((redis) => redis.time());
    // Redis may run the script late: an age would be too small by then.
    const requestedAtOnRedis = Math.round(msOf(time) - (clock.now() - requestedAt));
    const args = [String(fencingToken), JSON.stringify(body), requestedAtOnRedis, keepForMs, subject];
    await client.send((redis) => redis.pulseStore(...keys, ...args));
  }
}

/** A reply of `TIME` in ms. */
function msOf([seconds, micros]: readonly (string | number)[]): number {
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

function failureOf({ status, ...failure }: z.infer<typeof failureSchema>, retryInMs: number): Failure {
  return { ok: false, attempted: true, ...failure, ...(status !== undefined && { status }), retryInMs };
}
