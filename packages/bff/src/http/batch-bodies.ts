import { LRUCache } from 'lru-cache';
import { PreparedBody } from './prepared-body.ts';
import { answerMeta, JSON_TYPE } from './pulse-bodies.ts';

/** Pages differ in few ways; the total bounds what a visitor who asks in every order can make us keep. */
const KEPT_BATCHES = { most: 200, bytes: 8 * 1024 * 1024 };

interface Batch {
  readonly items: readonly string[];
  readonly requestedAtMs: number;
  readonly stale: boolean;
  readonly body: PreparedBody;
}

/** The bodies of whole pages: put together from the items of cards, compressed once, kept while the items are the same. */
export class BatchBodies {
  readonly #kept = new LRUCache<string, Batch>({
    max: KEPT_BATCHES.most,
    maxSize: KEPT_BATCHES.bytes,
    sizeCalculation: ({ items }, name) => name.length + items.reduce((sum, item) => sum + item.length, 0),
  });

  /** The answer to the question `name` while it consists of `items`. */
  answer(name: string, items: readonly string[], requestedAtMs: number, stale: boolean): PreparedBody {
    const kept = this.#kept.get(name);
    if (kept !== undefined && isSame(kept, items, requestedAtMs, stale)) return kept.body;
    const meta = JSON.stringify(answerMeta(requestedAtMs, stale));
    const body = new PreparedBody(`{"meta":${meta},"pulses":[${items.join(',')}]}`, JSON_TYPE);
    this.#kept.set(name, { items, requestedAtMs, stale, body });
    return body;
  }
}

function isSame(kept: Batch, items: readonly string[], requestedAtMs: number, stale: boolean): boolean {
  if (kept.requestedAtMs !== requestedAtMs || kept.stale !== stale || kept.items.length !== items.length) return false;
  return kept.items.every((item, at) => item === items[at]);
}
