import type { LiveReader } from './live-reader.ts';
import { type Position, positionText } from './position.ts';

/** The readers who asked for the same ids: they stand at one position and are sent the same bytes. */
export class LiveFeed {
  readonly ids: readonly string[];
  readonly readers = new Set<LiveReader>();
  readonly #position: string[];

  constructor(ids: readonly string[], position: Position) {
    this.ids = ids;
    this.#position = [...position];
  }

  get position(): Position {
    return this.#position;
  }

  get positionText(): string {
    return positionText(this.#position);
  }

  /** Takes in that a source is at another place now. */
  moved(sourceId: string, place: string): void {
    this.#position[this.ids.indexOf(sourceId)] = place;
  }
}
