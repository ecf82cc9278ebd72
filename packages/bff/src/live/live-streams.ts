import type { ServerResponse } from 'node:http';
import type { Card, PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { Broadcast } from './broadcast.ts';
import { byeText, openingText, pulseText } from './event-text.ts';
import { LiveFeed } from './live-feed.ts';
import { LivePlaces, type NoPlace } from './live-places.ts';
import { LiveReader } from './live-reader.ts';
import type { LiveStatus } from './live-status.ts';
import { missedBy, placeOf, positionBefore, positionText } from './position.ts';

/** How often the streams are looked after. */
const ROUND_MS = 1_000;

/** Between two signs of life of one stream. */
const BEAT_MS = { least: 15_000, most: 25_000 };

/** How long a stream lasts: then its reader comes back, maybe to another instance. */
const LIFE_MS = { least: 27 * 60_000, most: 33 * 60_000 };

/** When a reader whose stream has ended comes back, so that not all do at once. */
const RETRY_MS = { least: 2_000, most: 10_000 };

/** When a reader for whom there was no place may try again, in seconds. */
const REFUSED_SECONDS = { least: 15, most: 60 };

/** The cache is told again of who watches what this often: it may have come to know a source meanwhile, or forgotten one. */
const REMIND_MS = 60_000;

/** What the streams need. */
export interface LiveStreamsParts {
  readonly cache: PulseCache;
  readonly clock: Clock;
  /** The answer for one source as JSON; made once for each card and condition. The card has a pulse. */
  readonly bodyOf: (card: Card, stale: boolean) => Buffer;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  /** Most streams at once. @default 10,000 */
  readonly most?: number;
  /** Hears of faults inside that keep a reader from being told. @default nobody does */
  readonly onFault?: (fault: unknown) => void;
}

/** One reader to be. */
export interface Joining {
  readonly response: ServerResponse;
  readonly client: string;
  /** Without duplicates, and sorted, so that pages in any order share a feed. */
  readonly ids: readonly string[];
  /** What the reader says that it has. */
  readonly lastEventId: string | undefined;
  /** How long the stream may last at most, in ms. @default as long as any */
  readonly lastsMs?: number;
  /** Says whether the reader may still see this; asked before each event and every second. @default always */
  readonly holds?: () => boolean;
}

/** Why a stream is refused, and when to try again. */
export interface LiveRefusal {
  readonly why: NoPlace | 'stopping';
  readonly retryAfterSeconds: number;
}

/** All open streams: tells each reader of each new pulse of its sources, with no call to the service for any of them. */
export class LiveStreams {
  readonly #cache: PulseCache;
  readonly #clock: Clock;
  readonly #bodyOf: LiveStreamsParts['bodyOf'];
  readonly #random: () => number;
  readonly #places: LivePlaces;
  readonly #broadcast: Broadcast;
  readonly #readers = new Set<LiveReader>();
  readonly #feeds = new Map<string, LiveFeed>();
  readonly #feedsOf = new Map<string, Set<LiveFeed>>();
  readonly #watching = new Map<string, number>();
  readonly #stopHearing: readonly (() => void)[];
  readonly #counts = { events: 0, cut: 0, refused: { client: 0, total: 0, stopping: 0 } };
  #cancelRound: (() => void) | undefined;
  #remindsAt = 0;
  #isClosed = false;

  constructor({ cache, clock, bodyOf, random = Math.random, most, onFault }: LiveStreamsParts) {
    this.#broadcast = new Broadcast(onFault);
    this.#cache = cache;
    this.#clock = clock;
    this.#bodyOf = bodyOf;
    this.#random = random;
    this.#places = new LivePlaces(most);
    this.#stopHearing = [cache.onNewPulse((card) => this.#news(card)), cache.onPurge(() => this.#purge())];
  }

  /** Why `client` can't have a stream now, if so. */
  refusalOf(client: string): LiveRefusal | undefined {
    const why = this.#isClosed ? 'stopping' : this.#places.obstacle(client);
    if (why === undefined) return undefined;
    this.#counts.refused[why] += 1;
    const retryAfterSeconds = why === 'stopping' ? this.#between(RETRY_MS) / 1_000 : this.#between(REFUSED_SECONDS);
    return { why, retryAfterSeconds };
  }

  /** Takes a reader in, whose response has its headers; what it has missed is sent at once. */
  join(joining: Joining): void {
    const { response, ids, lastEventId } = joining;
    const feed = this.#feedOf(ids);
    const missed = missedBy(lastEventId, feed.position);
    const reader = this.#readerOf(joining);
    feed.readers.add(reader);
    this.#watch(ids, 1);
    response.once('close', () => this.#leave(reader, feed));
    if (missed.length > 0) reader.position = positionBefore(missed, feed.position);
    reader.begin(
      openingText(this.#between(RETRY_MS), missed.length > 0 ? undefined : feed.positionText),
      missed.flatMap((at) => ids[at] ?? []),
      (sourceId) => this.#eventFor(reader, feed, sourceId),
    );
    this.#cancelRound ??= this.#clock.schedule(ROUND_MS, () => this.#round());
  }

  status(): LiveStatus {
    return { readers: this.#places.taken, ...this.#counts, refused: { ...this.#counts.refused } };
  }

  /** Says good-bye to all readers, each with a time of its own to come back; takes no more in. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stopHearing) stop();
    this.#cancelRound?.();
    for (const reader of this.#readers) this.#dismiss(reader);
  }

  #readerOf({ response, client, lastsMs = Infinity, holds = () => true }: Joining): LiveReader {
    const now = this.#clock.now();
    const times = { beatsAt: now + this.#between(BEAT_MS), endsAt: now + Math.min(lastsMs, this.#between(LIFE_MS)) };
    const reader = new LiveReader(response, { client, times, holds, onCut: () => void (this.#counts.cut += 1) });
    this.#places.take(client);
    this.#readers.add(reader);
    return reader;
  }

  #leave(reader: LiveReader, feed: LiveFeed): void {
    this.#places.give(reader.client);
    this.#readers.delete(reader);
    feed.readers.delete(reader);
    this.#watch(feed.ids, -1);
    if (feed.readers.size === 0) this.#closeFeed(feed);
  }

  #feedOf(ids: readonly string[]): LiveFeed {
    const name = ids.join(',');
    const known = this.#feeds.get(name);
    if (known) return known;
    const feed = new LiveFeed(
      ids,
      ids.map((id) => this.#placeOf(id)),
    );
    this.#feeds.set(name, feed);
    for (const id of ids) {
      const feeds = this.#feedsOf.get(id) ?? new Set();
      this.#feedsOf.set(id, feeds.add(feed));
    }
    return feed;
  }

  #closeFeed(feed: LiveFeed): void {
    this.#feeds.delete(feed.ids.join(','));
    for (const id of feed.ids) {
      const feeds = this.#feedsOf.get(id);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#feedsOf.delete(id);
    }
  }

  #placeOf(sourceId: string): string {
    const reading = this.#cache.glance(sourceId);
    return placeOf(reading?.known.pulse?.jobRunId);
  }

  #watch(ids: readonly string[], change: 1 | -1): void {
    for (const id of ids) {
      const readers = (this.#watching.get(id) ?? 0) + change;
      if (readers > 0) this.#watching.set(id, readers);
      else this.#watching.delete(id);
      this.#cache.watched(id, readers);
    }
  }

  #news(card: Card): void {
    const { sourceId, pulse } = card;
    const feeds = [...(this.#feedsOf.get(sourceId) ?? [])];
    for (const feed of feeds) feed.moved(sourceId, placeOf(pulse?.jobRunId));
    if (pulse && feeds.length > 0) this.#broadcast.add(feeds.flatMap((feed) => this.#tellings(feed, card)));
  }

  /** What readers have is of another account: their places are forgotten, and they come back for what there is now. */
  #purge(): void {
    for (const feed of this.#feeds.values()) for (const id of feed.ids) feed.moved(id, placeOf(undefined));
    for (const reader of this.#readers) this.#dismiss(reader);
  }

  /** What is to be done to tell the readers of a feed; the event is made when the first of them is told. */
  #tellings({ readers, positionText }: LiveFeed, card: Card): (() => void)[] {
    let event: Buffer | undefined;
    return Array.from(readers, (reader) => () => {
      if (!this.#isAllowed(reader)) return;
      event ??= pulseText(positionText, this.#bodyOf(card, false));
      if (reader.tell(card.sourceId, event)) this.#counts.events += 1;
    });
  }

  /** The event that a reader who is being caught up is sent next, and with it where that reader then stands. */
  #eventFor(reader: LiveReader, feed: LiveFeed, sourceId: string): Buffer | undefined {
    if (!this.#isAllowed(reader)) return undefined;
    const reading = this.#cache.glance(sourceId);
    if (!reading?.known.pulse) return undefined;
    const position = reader.position ?? [...feed.position];
    position[feed.ids.indexOf(sourceId)] = placeOf(reading.known.pulse.jobRunId);
    this.#counts.events += 1;
    return pulseText(positionText(position), this.#bodyOf(reading.known, reading.stale));
  }

  #round(): void {
    try {
      this.#lookAfter();
    } finally {
      this.#cancelRound = this.#readers.size > 0 ? this.#clock.schedule(ROUND_MS, () => this.#round()) : undefined;
    }
  }

  #lookAfter(): void {
    const now = this.#clock.now();
    for (const reader of this.#readers) {
      if (!this.#isAllowed(reader) || now < reader.times.beatsAt) continue;
      reader.times.beatsAt = now + this.#between(BEAT_MS);
      reader.beat();
    }
    if (now < this.#remindsAt) return;
    this.#remindsAt = now + REMIND_MS;
    for (const [id, readers] of this.#watching) this.#cache.watched(id, readers);
  }

  /** Says whether the reader may still be told anything; ends the stream of one who may not. */
  #isAllowed(reader: LiveReader): boolean {
    const isAllowed = this.#clock.now() < reader.times.endsAt && reader.holds();
    if (!isAllowed) this.#dismiss(reader);
    return isAllowed;
  }

  #dismiss(reader: LiveReader): void {
    reader.end(byeText(this.#between(RETRY_MS)));
  }

  #between({ least, most }: { least: number; most: number }): number {
    return Math.round(least + this.#random() * (most - least));
  }
}
