import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.ts';
import type { ChartSize } from '../../http/route.ts';
import { pngSizeOf } from './png-size.ts';
import { type FetchImage, type ImageOutcome, type ImageReader, READER_LEFT } from './image-proxy.ts';

/** Capacity. Entries never expire, because the chart of a run never changes. */
const CAPACITY = { max: 1_000, bytes: 32 * 1024 * 1024 };

/**
 * How many charts are fetched at the same time. Each chart has at most 5 MiB. Other charts wait their turn, because a page may
 * show fifty charts.
 */
const MAX_FETCHING = 8;

/** How many charts may wait to be fetched, and for how long. */
const MAX_WAITING = 200;
const MAX_WAIT_MS = 10_000;

/** How long a failure is cached. */
const FAILURE_TTL_MS = 5_000;

export interface ImageCacheOptions {
  readonly fetchImage: FetchImage;
  readonly clock: Clock;
}

/**
 * Caches charts. Readers who request a chart at the same time share one fetch, which uses the request of one of them.
 * No reader can slow the fetch down.
 */
export class ImageCache {
  readonly #fetchImage: FetchImage;
  readonly #clock: Clock;
  readonly #queue = new PQueue({ concurrency: MAX_FETCHING });
  readonly #cached: LRUCache<string, ImageOutcome>;
  readonly #underWay = new Map<string, ReturnType<FetchImage>>();

  constructor({ fetchImage, clock }: ImageCacheOptions) {
    this.#fetchImage = fetchImage;
    this.#clock = clock;
    this.#cached = new LRUCache({
      max: CAPACITY.max,
      maxSize: CAPACITY.bytes,
      sizeCalculation: (outcome) => (outcome.ok ? Math.max(1, outcome.bytes.length) : 1),
      perf: clock,
      ttlResolution: 0,
    });
  }

  /** Returns the chart of `run` at `address`. A failure is cached for five seconds. */
  async read(run: string, address: URL, reader: ImageReader): Promise<ImageOutcome> {
    const name = nameOf(run, address);
    while (!hasLeft(reader)) {
      const outcome =
        this.#cached.get(name) ?? (await (this.#underWay.get(name) ?? this.#fetch(name, address, reader)));
      // The fetch ended because its reader left. The first waiting reader now fetches with their own request.
      if (outcome !== READER_LEFT) return outcome;
    }
    return NO_TURN;
  }

  /** The size of the chart of `run`, in pixels; undefined unless the chart is cached. */
  sizeOf(run: string, address: URL): ChartSize | undefined {
    const outcome = this.#cached.peek(nameOf(run, address));
    return outcome?.ok ? pngSizeOf(outcome.bytes) : undefined;
  }

  #fetch(name: string, address: URL, reader: ImageReader): ReturnType<FetchImage> {
    const fetched = this.#inTurn(async () => (hasLeft(reader) ? READER_LEFT : this.#fetchImage(address, reader)))
      .then((outcome) => {
        if (outcome !== READER_LEFT && outcome !== NO_TURN)
          this.#cached.set(name, outcome, { ttl: outcome.ok ? 0 : FAILURE_TTL_MS });
        return outcome;
      })
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, fetched);
    return fetched;
  }

  async #inTurn(fetchImage: () => ReturnType<FetchImage>): ReturnType<FetchImage> {
    if (this.#queue.size >= MAX_WAITING) return NO_TURN;
    const wait = new AbortController();
    const cancel = this.#clock.schedule(MAX_WAIT_MS, () => wait.abort());
    const inTurn = async (): ReturnType<FetchImage> => {
      cancel();
      return fetchImage();
    };
    return this.#queue.add(inTurn, { signal: wait.signal }).catch(() => NO_TURN);
  }
}

/** Too many other charts are being fetched. This outcome isn't cached as a failure. */
const NO_TURN: ImageOutcome = { ok: false, code: 'upstream_unavailable' };

function nameOf(run: string, { href }: URL): string {
  return `${run} ${href}`;
}

function hasLeft({ request, response }: ImageReader): boolean {
  return response.closed || request.socket.destroyed;
}
