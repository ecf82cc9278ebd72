import type { ServerResponse } from 'node:http';
import type { PulseCache, SourceSnapshot } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { FanOut, SseTopic, cursorBefore, cursorEntryOf, cursorText, missedBy } from './sse-topic.ts';
import {
  closingText,
  openingText,
  pulseText,
  SseConnection,
  ConnectionLimiter,
  type LimitReached,
} from './sse-connection.ts';

/** How often streams are checked. */
const CHECK_MS = 1_000;

/** Between two heartbeats of one stream. */
const HEARTBEAT_MS = { min: 15_000, max: 25_000 };

/** How long a stream lasts; then the client reconnects, maybe to another instance. */
const LIFE_MS = { min: 27 * 60_000, max: 33 * 60_000 };

/** The retry time of a closed stream, spread so that clients do not reconnect at once. */
const RETRY_MS = { min: 2_000, max: 10_000 };

/** `Retry-After` of a refused stream, in seconds. */
const REFUSED_SECONDS = { min: 15, max: 60 };

/** How often the watchers are sent to the cache again: it may have discovered or evicted a source meanwhile. */
const RESEND_WATCHERS_MS = 60_000;

/** What the streams need. */
export interface SseHubOptions {
  readonly cache: PulseCache;
  readonly clock: Clock;
  /** The answer for one source as JSON; made once for each card and condition. The card has a pulse. */
  readonly bodyOf: (snapshot: SourceSnapshot, stale: boolean) => Buffer;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  /** Most streams at once. @default 10,000 */
  readonly max?: number;
  /** Called with internal errors of a delivery. @default ignored */
  readonly onFault?: (fault: unknown) => void;
}

/** A client that opens a stream. */
export interface SseRequest {
  readonly response: ServerResponse;
  readonly client: string;
  /** Without duplicates, and sorted, so that pages in any order share a feed. */
  readonly ids: readonly string[];
  /** The `Last-Event-ID` of the request. */
  readonly lastEventId: string | undefined;
  /** How long the stream may last at most, in ms. @default as long as any */
  readonly lastsMs?: number;
  /** Returns whether the client may still see this; called before each event and every second. @default always */
  readonly holds?: () => boolean;
}

/** Why a stream is refused, and when to try again. */
export interface SseRefusal {
  readonly why: LimitReached | 'stopping';
  readonly retryAfterSeconds: number;
}

/** All open streams: sends each client the new pulses of its sources. Streams cause no upstream calls. */
export class SseHub {
  readonly #cache: PulseCache;
  readonly #clock: Clock;
  readonly #bodyOf: SseHubOptions['bodyOf'];
  readonly #random: () => number;
  readonly #connectionLimiter: ConnectionLimiter;
  readonly #fanOut: FanOut;
  readonly #connections = new Set<SseConnection>();
  readonly #topics = new Map<string, SseTopic>();
  readonly #topicsOf = new Map<string, Set<SseTopic>>();
  readonly #watching = new Map<string, number>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #counts = { events: 0, cut: 0, refused: { client: 0, total: 0, stopping: 0 } };
  #cancelCheck: (() => void) | undefined;
  #resendsAt = 0;
  #isClosed = false;

  constructor({ cache, clock, bodyOf, random = Math.random, max, onFault }: SseHubOptions) {
    this.#fanOut = new FanOut(onFault);
    this.#cache = cache;
    this.#clock = clock;
    this.#bodyOf = bodyOf;
    this.#random = random;
    this.#connectionLimiter = new ConnectionLimiter(max);
    this.#unsubscribe = [
      cache.onNewPulse((snapshot) => this.#onNewPulse(snapshot)),
      cache.onPurge(() => this.#purge()),
    ];
  }

  /** Why `client` can't have a stream now, if so. */
  refusalOf(client: string): SseRefusal | undefined {
    const why = this.#isClosed ? 'stopping' : this.#connectionLimiter.blockedReason(client);
    if (why === undefined) return undefined;
    this.#counts.refused[why] += 1;
    const retryAfterSeconds = why === 'stopping' ? this.#between(RETRY_MS) / 1_000 : this.#between(REFUSED_SECONDS);
    return { why, retryAfterSeconds };
  }

  /** Adds a client after its headers are written, and sends the pulses that it missed. */
  join(joining: SseRequest): void {
    const { response, ids, lastEventId } = joining;
    const topic = this.#topicOf(ids);
    const missed = missedBy(lastEventId, topic.cursor);
    const connection = this.#connectionOf(joining);
    topic.connections.add(connection);
    this.#watch(ids, 1);
    response.once('close', () => this.#leave(connection, topic));
    if (missed.length > 0) connection.cursor = cursorBefore(missed, topic.cursor);
    connection.begin(
      openingText(this.#between(RETRY_MS), missed.length > 0 ? undefined : topic.cursorText),
      missed.flatMap((at) => ids[at] ?? []),
      (sourceId) => this.#eventFor(connection, topic, sourceId),
    );
    this.#cancelCheck ??= this.#clock.schedule(CHECK_MS, () => this.#check());
  }

  status(): SseStatus {
    return { connections: this.#connectionLimiter.open, ...this.#counts, refused: { ...this.#counts.refused } };
  }

  /** Ends all streams, each with its own retry time, and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#unsubscribe) stop();
    this.#cancelCheck?.();
    for (const connection of this.#connections) this.#close(connection);
  }

  #connectionOf({ response, client, lastsMs = Infinity, holds = () => true }: SseRequest): SseConnection {
    const now = this.#clock.now();
    const times = {
      heartbeatAt: now + this.#between(HEARTBEAT_MS),
      endsAt: now + Math.min(lastsMs, this.#between(LIFE_MS)),
    };
    const connection = new SseConnection(response, { client, times, holds, onCut: () => void (this.#counts.cut += 1) });
    this.#connectionLimiter.take(client);
    this.#connections.add(connection);
    return connection;
  }

  #leave(connection: SseConnection, topic: SseTopic): void {
    this.#connectionLimiter.release(connection.client);
    this.#connections.delete(connection);
    topic.connections.delete(connection);
    this.#watch(topic.ids, -1);
    if (topic.connections.size === 0) this.#closeTopic(topic);
  }

  #topicOf(ids: readonly string[]): SseTopic {
    const name = ids.join(',');
    const known = this.#topics.get(name);
    if (known) return known;
    const topic = new SseTopic(
      ids,
      ids.map((id) => this.#cursorEntryOf(id)),
    );
    this.#topics.set(name, topic);
    for (const id of ids) {
      const topics = this.#topicsOf.get(id) ?? new Set();
      this.#topicsOf.set(id, topics.add(topic));
    }
    return topic;
  }

  #closeTopic(topic: SseTopic): void {
    this.#topics.delete(topic.ids.join(','));
    for (const id of topic.ids) {
      const topics = this.#topicsOf.get(id);
      topics?.delete(topic);
      if (topics?.size === 0) this.#topicsOf.delete(id);
    }
  }

  #cursorEntryOf(sourceId: string): string {
    const lookup = this.#cache.peek(sourceId);
    return cursorEntryOf(lookup?.value.pulse?.jobRunId);
  }

  #watch(ids: readonly string[], change: 1 | -1): void {
    for (const id of ids) {
      const connections = (this.#watching.get(id) ?? 0) + change;
      if (connections > 0) this.#watching.set(id, connections);
      else this.#watching.delete(id);
      this.#cache.setWatchers(id, connections);
    }
  }

  #onNewPulse(snapshot: SourceSnapshot): void {
    const { sourceId, pulse } = snapshot;
    const topics = [...(this.#topicsOf.get(sourceId) ?? [])];
    for (const topic of topics) topic.advance(sourceId, cursorEntryOf(pulse?.jobRunId));
    if (pulse && topics.length > 0) this.#fanOut.add(topics.flatMap((topic) => this.#deliveries(topic, snapshot)));
  }

  /** The account has changed: resets all cursors and ends all streams, so that clients reconnect. */
  #purge(): void {
    for (const topic of this.#topics.values()) for (const id of topic.ids) topic.advance(id, cursorEntryOf(undefined));
    for (const connection of this.#connections) this.#close(connection);
  }

  /** The deliveries to the connections of a topic; the event is made at the first of them. */
  #deliveries({ connections, cursorText }: SseTopic, snapshot: SourceSnapshot): (() => void)[] {
    let event: Buffer | undefined;
    return Array.from(connections, (connection) => () => {
      if (!this.#isAllowed(connection)) return;
      event ??= pulseText(cursorText, this.#bodyOf(snapshot, false));
      if (connection.send(snapshot.sourceId, event)) this.#counts.events += 1;
    });
  }

  /** The next event of a client that is catching up, with its new cursor. */
  #eventFor(connection: SseConnection, topic: SseTopic, sourceId: string): Buffer | undefined {
    if (!this.#isAllowed(connection)) return undefined;
    const lookup = this.#cache.peek(sourceId);
    if (!lookup?.value.pulse) return undefined;
    const cursor = connection.cursor ?? [...topic.cursor];
    cursor[topic.ids.indexOf(sourceId)] = cursorEntryOf(lookup.value.pulse.jobRunId);
    this.#counts.events += 1;
    return pulseText(cursorText(cursor), this.#bodyOf(lookup.value, lookup.stale));
  }

  #check(): void {
    try {
      this.#checkConnections();
    } finally {
      this.#cancelCheck = this.#connections.size > 0 ? this.#clock.schedule(CHECK_MS, () => this.#check()) : undefined;
    }
  }

  #checkConnections(): void {
    const now = this.#clock.now();
    for (const connection of this.#connections) {
      if (!this.#isAllowed(connection) || now < connection.times.heartbeatAt) continue;
      connection.times.heartbeatAt = now + this.#between(HEARTBEAT_MS);
      connection.heartbeat();
    }
    if (now < this.#resendsAt) return;
    this.#resendsAt = now + RESEND_WATCHERS_MS;
    for (const [id, connections] of this.#watching) this.#cache.setWatchers(id, connections);
  }

  /** Returns whether the client may still receive events; ends its stream where not. */
  #isAllowed(connection: SseConnection): boolean {
    const isAllowed = this.#clock.now() < connection.times.endsAt && connection.holds();
    if (!isAllowed) this.#close(connection);
    return isAllowed;
  }

  #close(connection: SseConnection): void {
    connection.end(closingText(this.#between(RETRY_MS)));
  }

  #between({ min, max }: { min: number; max: number }): number {
    return Math.round(min + this.#random() * (max - min));
  }
}

/** Counts of the live streams. */
export interface SseStatus {
  readonly connections: number;
  /** Events sent since the start, one for each receiver. */
  readonly events: number;
  /** Streams closed because their client did not read. */
  readonly cut: number;
  /** Streams refused, by the limit that was reached. */
  readonly refused: Readonly<Record<'client' | 'total' | 'stopping', number>>;
}
