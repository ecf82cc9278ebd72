import type { Arrival } from '@pulse-card/testkit/service/fake-service';
import type { Event } from './schedule.ts';
import type { Stop } from './stop.ts';

/** An answer to a visitor. Times are on the machine's monotonic clock, in ns. */
export interface VisitorAnswer {
  readonly instance: number;
  /** How often the instance had been restarted before it answered. */
  readonly life: number;
  readonly sourceId: string;
  readonly askedAtNs: number;
  readonly answeredAtNs: number;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** The `Age` of the answer in seconds, and the time of the request to the upstream, in ms since 1970. */
  readonly ageSeconds?: number;
  readonly requestedAtMs?: number;
  /** When the answer arrived, in ms since 1970, by the visitor's clock. */
  readonly seenAtMs?: number;
  /** The run of the source that the answer shows. */
  readonly version?: number;
  /** Whether the answer contained the key. */
  readonly leaked: boolean;
}

/** Everything that happened during one schedule. */
export interface History {
  readonly seed: number;
  readonly instances: number;
  readonly hasRedis: boolean;
  /** The sources that live cards watch. */
  readonly watched: readonly string[];
  /** The source that the service always fails to read, if there is one. */
  readonly brokenSource: string | undefined;
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** The age at which an answer is refreshed, in ms. */
  readonly freshMs: number;
  /** How long a process waits for an answer from the upstream, in ms. */
  readonly deadlineMs: number;
  /** When the schedule began, when its last failure ended, and when the visitors left. */
  readonly fromNs: number;
  readonly calmFromNs: number;
  readonly toNs: number;
  readonly events: readonly Event[];
  readonly arrivals: readonly Arrival[];
  readonly answers: readonly VisitorAnswer[];
  readonly stops: readonly Stop[];
  /** The times at which an instance didn't answer, or reported that it couldn't see the other instances. */
  readonly blindAtNs: readonly number[];
  /** Whether Redis contained the key at the end. */
  readonly redisLeaked: boolean;
}

const NS_PER_MS = 1_000_000;

/**
 * The failures of the given kinds that overlap the time between two moments. A margin is added to each failure's
 * duration.
 */
export function degradationsBetween(
  { events, fromNs }: History,
  [startNs, endNs]: readonly [number, number],
  isMeant: (event: Event) => boolean,
  marginMs = 0,
): readonly Event[] {
  return events.filter((event) => {
    const beginsNs = fromNs + event.atMs * NS_PER_MS;
    const endsNs = beginsNs + (event.forMs + marginMs) * NS_PER_MS;
    return isMeant(event) && beginsNs <= endNs && endsNs >= startNs;
  });
}
