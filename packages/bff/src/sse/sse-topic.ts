import type { SseConnection } from './sse-connection.ts';
import { createHash } from 'node:crypto';

/** Marks a source without a pulse; no run has this id. */
const NOTHING = '.';

/** Runs with longer names are shortened, so that the position of fifty sources fits into a header. */
const MAX_RUN_NAME_LENGTH = 32;

/** The resume position of a client: for each source of the stream, the run that it has. */
export type Cursor = readonly string[];

/** The name of a run in a position; undefined is a source without a pulse. */
export function cursorEntryOf(jobRunId: string | undefined): string {
  if (jobRunId === undefined) return NOTHING;
  if (jobRunId.length <= MAX_RUN_NAME_LENGTH) return jobRunId;
  return createHash('sha256').update(jobRunId).digest('base64url').slice(0, MAX_RUN_NAME_LENGTH);
}

/** A position as the `id` of an event: the runs that the reader has. Never empty, for an empty one is not sent back. */
export function cursorText(cursor: Cursor): string {
  return cursor.filter((entry) => entry !== NOTHING).join(',') || NOTHING;
}

/**
 * The indexes of `current` that a client with this `lastEventId` has not seen. None where it sends nothing: it has just loaded
 * everything. An id that cannot be parsed counts as nothing seen: twice is better than never.
 */
export function missedBy(lastEventId: string | undefined, current: Cursor): number[] {
  if (lastEventId === undefined || lastEventId === '') return [];
  const seen = new Set(lastEventId.split(',').map((name) => cursorEntryOf(name.trim()))).add(NOTHING);
  return [...current.keys()].filter((at) => !seen.has(current[at] ?? NOTHING));
}

/** The cursor of a client that has yet to see the entries in `missed`. */
export function cursorBefore(missed: Iterable<number>, current: Cursor): string[] {
  const before = [...current];
  for (const at of missed) before[at] = NOTHING;
  return before;
}

/** The connections with the same ids: they share one cursor and are sent the same bytes. */
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

  /** Records the latest run of a source. */
  advance(sourceId: string, place: string): void {
    this.#cursor[this.ids.indexOf(sourceId)] = place;
  }
}

/** Deliveries in one go: a few milliseconds, then other work has a turn. */
const BATCH_SIZE = 500;

/** Runs many deliveries in batches, in order, without blocking the event loop. */
export class FanOut {
  readonly #waiting: Iterator<void>[] = [];
  readonly #onFault: (fault: unknown) => void;

  /** `onFault` is called with what a delivery throws; the others go on. */
  constructor(onFault: (fault: unknown) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** Runs `deliveries`; the first batch at once, where nothing else is queued. */
  add(deliveries: readonly (() => void)[]): void {
    this.#waiting.push(inTurns(deliveries, this.#onFault));
    if (this.#waiting.length === 1) this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting[0]?.next().done === true) this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#goOn());
  }
}

function* inTurns(deliveries: readonly (() => void)[], onFault: (fault: unknown) => void): Generator<void> {
  for (const [at, send] of deliveries.entries()) {
    if (at > 0 && at % BATCH_SIZE === 0) yield;
    try {
      send();
    } catch (fault) {
      onFault(fault);
    }
  }
}
