import type { ServerResponse } from 'node:http';
import { HEARTBEAT } from './sse-event.ts';

/** Bytes that may wait for a reader who does not take them. */
const MAX_WAITING_BYTES = 64 * 1_024;

/** When a stream is next looked after, and when it ends, in ms on the clock. */
export interface ConnectionTimes {
  heartbeatAt: number;
  readonly endsAt: number;
}

/** Makes the event of a source as it is now, for the reader that is handed over; undefined where there is none any more. */
export type EventFactory = (sourceId: string, connection: SseConnection) => Buffer | undefined;

/** What a stream is opened with. */
export interface SseConnectionOptions {
  readonly client: string;
  readonly times: ConnectionTimes;
  readonly holds: () => boolean;
  readonly onCut: () => void;
}

/** One open stream. What can't be written waits, within bounds; who does not read is cut, and resumes when it can. */
export class SseConnection {
  readonly client: string;
  readonly times: ConnectionTimes;
  /** Returns whether the reader may still see what the stream tells. */
  readonly holds: () => boolean;
  /** Where this reader stands while it is caught up; undefined once it stands where all of its feed do. */
  cursor: string[] | undefined;
  readonly #response: ServerResponse;
  readonly #onCut: () => void;
  /** Sources whose latest pulse it has yet to be sent, at the pace at which it reads. */
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

  /** Writes what every stream begins with, then the events of `missed` sources, one after the other. */
  begin(opening: Buffer, missed: readonly string[], eventOf: EventFactory): void {
    this.#write(opening);
    if (missed.length === 0) return;
    this.#eventOf = eventOf;
    for (const sourceId of missed) this.#pending.add(sourceId);
    this.#response.on('drain', () => this.#flushPending());
    this.#flushPending();
  }

  /** Sends an event, or remembers to, where earlier ones are still to be sent; says whether it was sent. */
  send(sourceId: string, event: Buffer): boolean {
    if (this.#pending.size === 0) return this.#write(event);
    this.#pending.add(sourceId);
    return false;
  }

  /** Shows that the stream is alive; who took nothing between two of these is cut. */
  heartbeat(): void {
    const waiting = this.#response.writableLength;
    const open = this.#writtenBytes - waiting;
    if (waiting > 0 && open <= this.#readAtHeartbeat) return this.#cut();
    this.#readAtHeartbeat = open;
    this.#write(HEARTBEAT);
  }

  /** Ends the stream with `farewell`. */
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
