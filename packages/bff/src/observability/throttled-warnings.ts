import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';

/** Between two lines of one kind, in ms. */
const ONE_LINE_MS = 60_000;

/** Kinds that are remembered at a time. */
const MAX_KINDS = 200;

/**
 * Writes one warning of a kind a minute, so that a fault that repeats fills no disk. Messages that differ in numbers alone
 * are of one kind. The returned function says whether it wrote: whoever reports a state can report it later.
 */
export function throttledWarnings(clock: Clock, write: (message: string) => void): (message: string) => boolean {
  const writtenAt = new LRUCache<string, number>({ max: MAX_KINDS });
  return (message) => {
    const kind = message.replaceAll(/\d+/g, '#');
    const now = clock.now();
    if (now - (writtenAt.get(kind) ?? -Infinity) < ONE_LINE_MS) return false;
    writtenAt.set(kind, now);
    write(message);
    return true;
  };
}
