import type { SseConnection } from './sse-connection.ts';
import { type Cursor, cursorText } from './cursor.ts';

/** The readers who asked for the same ids: they stand at one position and are sent the same bytes. */
export class SseTopic {
  readonly ids: readonly string[];
  readonly connections = new Set<SseConnection>();
  readonly #cursor: string[];

  constructor(ids: readonly string[], cursor: Cursor) {
    this.ids = ids;
    this.#cursor = [...cursor];
  }

  get cursor(): Cursor {
    return this.#cursor;
  }

  get cursorText(): string {
    return cursorText(this.#cursor);
  }

  /** Records that a source is at another place now. */
  advance(sourceId: string, place: string): void {
    this.#cursor[this.ids.indexOf(sourceId)] = place;
  }
}
