import type { AnswerMeta, PublicPulse, PublicSourceFacts } from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/port.ts';
import { Representation } from './representation.ts';
import { type FieldPolicy, publicPulse, publicSourceFacts } from './public-pulse.ts';
import { LRUCache } from 'lru-cache';

/** The content type of every answer with data. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Representations of one snapshot, fresh or stale, each made when it is first requested. */
interface CachedRepresentations {
  readonly imagePeriod: number;
  body?: Representation;
  item?: string;
}

/** Response bodies of snapshots: made once for each snapshot, fresh or stale, and again when the image URLs change. */
export class PulseResponseCache {
  readonly #fieldPolicy: FieldPolicy;
  readonly #fresh = new WeakMap<SourceSnapshot, CachedRepresentations>();
  readonly #stale = new WeakMap<SourceSnapshot, CachedRepresentations>();

  constructor(fieldPolicy: FieldPolicy) {
    this.#fieldPolicy = fieldPolicy;
  }

  /** The answer for one source; the snapshot must have a pulse. */
  answer(snapshot: SourceSnapshot, stale: boolean): Representation {
    const made = this.#representationsOf(snapshot, stale);
    made.body ??= new Representation(JSON.stringify(this.#answerOf(snapshot, stale)), JSON_TYPE);
    return made.body;
  }

  /** The text of an item of a batch; the snapshot must have a pulse. */
  item(snapshot: SourceSnapshot, stale: boolean): string {
    const made = this.#representationsOf(snapshot, stale);
    made.item ??= JSON.stringify({ sourceId: snapshot.sourceId, ok: true, ...this.#answerOf(snapshot, stale) });
    return made.item;
  }

  /** What readers see of the source. */
  sourceFacts(snapshot: SourceSnapshot): PublicSourceFacts {
    return publicSourceFacts(snapshot, this.#fieldPolicy);
  }

  #representationsOf(snapshot: SourceSnapshot, stale: boolean): CachedRepresentations {
    const all = stale ? this.#stale : this.#fresh;
    const known = all.get(snapshot);
    const imagePeriod = this.#fieldPolicy.imagePeriod?.() ?? 0;
    if (known?.imagePeriod === imagePeriod) return known;
    const made: CachedRepresentations = { imagePeriod };
    all.set(snapshot, made);
    return made;
  }

  #answerOf(
    snapshot: SourceSnapshot,
    stale: boolean,
  ): { meta: AnswerMeta; pulse: PublicPulse; source: PublicSourceFacts } {
    if (snapshot.pulse === null) throw new TypeError('Cannot make an answer: the snapshot has no pulse');
    return {
      meta: answerMeta(snapshot.requestedAtMs, stale),
      pulse: publicPulse(snapshot.pulse, this.#fieldPolicy),
      source: this.sourceFacts(snapshot),
    };
  }
}

/** The `meta` of a response. */
export function answerMeta(requestedAtMs: number, stale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale };
}

/** Bounds what a visitor who requests ids in every order can make the cache hold. */
const BATCH_CAPACITY = { max: 200, bytes: 8 * 1024 * 1024 };

interface Batch {
  readonly items: readonly string[];
  readonly requestedAtMs: number;
  readonly stale: boolean;
  readonly body: Representation;
}

/** Response bodies of batches: joined from items, compressed once, kept while the items are the same. */
export class BatchResponseCache {
  readonly #cached = new LRUCache<string, Batch>({
    max: BATCH_CAPACITY.max,
    maxSize: BATCH_CAPACITY.bytes,
    sizeCalculation: ({ items }, name) => name.length + items.reduce((sum, item) => sum + item.length, 0),
  });

  /** The batch response for `name`, which consists of `items`. */
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

/** Bounds what a visitor who requests every form of every source can make the cache hold. */
const CAPACITY = { max: 500, bytes: 16 * 1024 * 1024 };

/** An estimate: the text and its compressed forms. */
const BYTES_PER_CHARACTER = 2;

interface CacheEntry {
  readonly snapshot: SourceSnapshot;
  readonly stale: boolean;
  readonly characters: number;
  readonly body: Representation;
}

/** Pages and oEmbed responses made from snapshots, by form: kept while the snapshot is the same, least recently used evicted first. */
export class RepresentationCache {
  readonly #contentType: string;
  readonly #cached = new LRUCache<string, CacheEntry>({
    max: CAPACITY.max,
    maxSize: CAPACITY.bytes,
    sizeCalculation: ({ characters }, form) => (form.length + characters) * BYTES_PER_CHARACTER,
  });

  constructor(contentType: string) {
    this.#contentType = contentType;
  }

  /** The body of the snapshot in `form`; calls `make` where it is not cached. */
  body(snapshot: SourceSnapshot, stale: boolean, form: string, make: () => string): Representation {
    const name = `${snapshot.sourceId} ${form}`;
    const cached = this.#cached.get(name);
    if (cached?.snapshot === snapshot && cached.stale === stale) return cached.body;
    const text = make();
    const body = new Representation(text, this.#contentType);
    this.#cached.set(name, { snapshot, stale, characters: text.length, body });
    return body;
  }
}
