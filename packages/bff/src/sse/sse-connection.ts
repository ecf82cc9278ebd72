import type { ServerResponse } from 'node:http';

/** A comment that keeps proxies and browsers from closing a silent stream. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** The start of a stream: the retry time, and the cursor of a client that has missed nothing. */
export function openingText(retryMs: number, cursor: string | undefined): Buffer {
  // An id without data is no event, but it is remembered (HTML standard, "Dispatch the event").
  return Buffer.from(`${cursor === undefined ? '' : `id: ${cursor}\n`}retry: ${retryMs}\n\n`);
}

/** A `pulse` event: `body` is the answer as JSON, which has no line breaks; `cursor` is the position after it. */
export function pulseText(cursor: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`id: ${cursor}\nevent: pulse\ndata: `), body, Buffer.from('\n\n')]);
}

/** The last event of a stream that the server ends; the client reconnects after `retryMs`. */
export function closingText(retryMs: number): Buffer {
  return Buffer.from(`event: bye\nretry: ${retryMs}\ndata: {}\n\n`);
}

/** Bytes that may wait for a client that does not read. */
const MAX_WAITING_BYTES = 64 * 1_024;

/** When a stream gets its next heartbeat, and when it ends, in ms on the clock. */
export interface ConnectionTimes {
  heartbeatAt: number;
  readonly endsAt: number;
}

/** Makes the current event of a source for a connection; undefined if there is no pulse. */
export type EventFactory = (sourceId: string, connection: SseConnection) => Buffer | undefined;

/** What a stream is opened with. */
export interface SseConnectionOptions {
  readonly client: string;
  readonly times: ConnectionTimes;
  readonly holds: () => boolean;
  readonly onCut: () => void;
}

/** One open stream. A client that does not read is disconnected, and resumes by its cursor. */
export class SseConnection {
  readonly client: string;
  readonly times: ConnectionTimes;
  /** Returns whether the client may still see these sources. */
  readonly holds: () => boolean;
  /** The cursor of a client that is catching up; undefined once it has caught up with its topic. */
  cursor: string[] | undefined;
  readonly #response: ServerResponse;
  readonly #onCut: () => void;
  /** Sources whose latest pulse is not sent yet. */
  readonly #pending = new Set<string>();
  #eventOf: EventFactory | undefined;
  #writtenBytes = 0;
  #readAtHeartbeat = -1;

  constructor(response: ServerResponse, parts: SseConnectionOptions) {
    this.#response = response;
    this.client = parts.client;
    this.times = parts.times;
    this.holds = parts.holds;
    this.#onCut = parts.onCut;
  }

  /** Writes the opening, then the events of `missed` sources, as fast as the client reads. */
  begin(opening: Buffer, missed: readonly string[], eventOf: EventFactory): void {
    this.#write(opening);
    if (missed.length === 0) return;
    this.#eventOf = eventOf;
    for (const sourceId of missed) this.#pending.add(sourceId);
    this.#response.on('drain', () => this.#flushPending());
    this.#flushPending();
  }

  /** Sends an event, or queues its source behind earlier ones; returns whether it was sent. */
  send(sourceId: string, event: Buffer): boolean {
    if (this.#pending.size === 0) return this.#write(event);
    this.#pending.add(sourceId);
    return false;
  }

  /** Sends a comment; closes the stream of a client that has read nothing since the one before. */
  heartbeat(): void {
    const waiting = this.#response.writableLength;
    const open = this.#writtenBytes - waiting;
    if (waiting > 0 && open <= this.#readAtHeartbeat) return this.#cut();
    this.#readAtHeartbeat = open;
    this.#write(HEARTBEAT);
  }

  /** Ends the stream with `closingEvent`. */
  end(closingEvent: Buffer): void {
    this.#pending.clear();
    if (!this.#response.writableEnded) this.#response.end(closingEvent);
  }

  #flushPending(): void {
    for (const sourceId of this.#pending) {
      if (this.#response.writableNeedDrain) return;
      this.#pending.delete(sourceId);
      const event = this.#eventOf?.(sourceId, this);
      if (event) this.#write(event);
    }
    this.cursor = undefined;
  }

  #write(bytes: Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    if (this.#response.writableLength > MAX_WAITING_BYTES) this.#cut();
    else {
      this.#writtenBytes += bytes.length;
      this.#response.write(bytes);
    }
    return !this.#response.destroyed;
  }

  #cut(): void {
    this.#response.destroy();
    this.#onCut();
  }
}

/** Streams of one client address: the pages of a household, not those of a crawler. */
export const MAX_STREAMS_PER_CLIENT = 20;

/** Streams at once: about 20 KB each. */
export const MAX_STREAMS = 10_000;

/** The limit that was reached. */
export type LimitReached = 'client' | 'total';

/** Counts open streams, in total and by client. */
export class ConnectionLimiter {
  readonly #byClient = new Map<string, number>();
  readonly #max: number;
  #open = 0;

  constructor(max = MAX_STREAMS) {
    this.#max = max;
  }

  get open(): number {
    return this.#open;
  }

  /** The limit that keeps `client` from opening a stream, if any. */
  blockedReason(client: string): LimitReached | undefined {
    if ((this.#byClient.get(client) ?? 0) >= MAX_STREAMS_PER_CLIENT) return 'client';
    return this.#open >= this.#max ? 'total' : undefined;
  }

  take(client: string): void {
    this.#open += 1;
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + 1);
  }

  release(client: string): void {
    this.#open -= 1;
    const left = (this.#byClient.get(client) ?? 0) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
