import { LRUCache } from 'lru-cache';
import { Representation } from './representation.ts';
import { answerMeta, JSON_TYPE } from './pulse-response-cache.ts';

/** Pages differ in few ways; the total bounds what a visitor who asks in every order can make us keep. */
const BATCH_CAPACITY = { max: 200, bytes: 8 * 1024 * 1024 };

interface Batch {
  readonly items: readonly string[];
  readonly requestedAtMs: number;
  readonly stale: boolean;
  readonly body: Representation;
}

/** The bodies of whole pages: put together from the items of cards, compressed once, kept while the items are the same. */
export class BatchResponseCache {
  readonly #cached = new LRUCache<string, Batch>({
    max: BATCH_CAPACITY.max,
    maxSize: BATCH_CAPACITY.bytes,
    sizeCalculation: ({ items }, name) => name.length + items.reduce((sum, item) => sum + item.length, 0),
  });

  /** The answer to the question `name` while it consists of `items`. */
  answer(name: string, items: readonly string[], requestedAtMs: number, stale: boolean): Representation {
    const cached = this.#cached.get(name);
    if (cached !== undefined && isSame(cached, items, requestedAtMs, stale)) return cached.body;
    const meta = JSON.stringify(answerMeta(requestedAtMs, stale));
    const body = new Representation(`{"meta":${meta},"pulses":[${items.join(',')}]}`, JSON_TYPE);
    this.#cached.set(name, { items, requestedAtMs, stale, body });
    return body;
  }
}

function isSame(cached: Batch, items: readonly string[], requestedAtMs: number, stale: boolean): boolean {
  if (cached.requestedAtMs !== requestedAtMs || cached.stale !== stale || cached.items.length !== items.length)
    return false;
  return cached.items.every((item, at) => item === items[at]);
}
