import type { ServerResponse } from 'node:http';
import { HEARTBEAT } from './event-text.ts';

/** Bytes that may wait for a reader who does not take them. */
const MOST_WAITING_BYTES = 64 * 1_024;

/** When a stream is next looked after, and when it ends, in ms on the clock. */
export interface ReaderTimes {
  beatsAt: number;
  readonly endsAt: number;
}

/** Makes the event of a source as it is now, for the reader that is handed over; undefined where there is none any more. */
export type EventOf = (sourceId: string, reader: LiveReader) => Buffer | undefined;

/** What a stream is opened with. */
export interface LiveReaderParts {
  readonly client: string;
  readonly times: ReaderTimes;
  readonly holds: () => boolean;
  readonly onCut: () => void;
}

/** One open stream. What can't be written waits, within bounds; who does not read is cut, and resumes when it can. */
export class LiveReader {
  readonly client: string;
  readonly times: ReaderTimes;
  /** Says whether the reader may still see what the stream tells. */
  readonly holds: () => boolean;
  /** Where this reader stands while it is caught up; undefined once it stands where all of its feed do. */
  position: string[] | undefined;
  readonly #response: ServerResponse;
  readonly #onCut: () => void;
  /** Sources whose latest pulse it has yet to be sent, at the pace at which it reads. */
  readonly #owed = new Set<string>();
  #eventOf: EventOf | undefined;
  #writtenBytes = 0;
  #takenAtBeat = -1;

  constructor(response: ServerResponse, parts: LiveReaderParts) {
    this.#response = response;
    this.client = parts.client;
    this.times = parts.times;
    this.holds = parts.holds;
    this.#onCut = parts.onCut;
  }

  /** Writes what every stream begins with, then the events of `missed` sources, one after the other. */
  begin(opening: Buffer, missed: readonly string[], eventOf: EventOf): void {
    this.#write(opening);
    if (missed.length === 0) return;
    this.#eventOf = eventOf;
    for (const sourceId of missed) this.#owed.add(sourceId);
    this.#response.on('drain', () => this.#payOwed());
    this.#payOwed();
  }

  /** Sends an event, or remembers to, where earlier ones are still to be sent; says whether it was sent. */
  tell(sourceId: string, event: Buffer): boolean {
    if (this.#owed.size === 0) return this.#write(event);
    this.#owed.add(sourceId);
    return false;
  }

  /** Shows that the stream is alive; who took nothing between two of these is cut. */
  beat(): void {
    const waiting = this.#response.writableLength;
    const taken = this.#writtenBytes - waiting;
    if (waiting > 0 && taken <= this.#takenAtBeat) return this.#cut();
    this.#takenAtBeat = taken;
    this.#write(HEARTBEAT);
  }

  /** Ends the stream with `farewell`. */
  end(farewell: Buffer): void {
    this.#owed.clear();
    if (!this.#response.writableEnded) this.#response.end(farewell);
  }

  #payOwed(): void {
    for (const sourceId of this.#owed) {
      if (this.#response.writableNeedDrain) return;
      this.#owed.delete(sourceId);
      const event = this.#eventOf?.(sourceId, this);
      if (event) this.#write(event);
    }
    this.position = undefined;
  }

  #write(bytes: Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    if (this.#response.writableLength > MOST_WAITING_BYTES) this.#cut();
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
