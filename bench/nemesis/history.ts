import type { Arrival } from '@pulse-card/testkit/service/recording-upstream';
import type { Event } from './schedule.ts';
import type { Stop } from './stop.ts';

/** An answer to a visitor. Times on the machine's monotonic clock, in ns. */
export interface VisitorAnswer {
  readonly instance: number;
  /** Which of the instance's processes, counted from 0. */
  readonly life: number;
  readonly sourceId: string;
  readonly askedAtNs: number;
  readonly answeredAtNs: number;
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  /** Of the answer: seconds by its `Age`, and when the upstream was asked, in ms since 1970. */
  readonly ageSeconds?: number;
  readonly requestedAtMs?: number;
  /** When the answer came, in ms since 1970, by the visitor's clock. */
  readonly seenAtMs?: number;
  /** Which run of its source is shown. */
  readonly version?: number;
  /** The answer held the key. */
  readonly leaked: boolean;
}

/** All that happened under one schedule. */
export interface History {
  readonly seed: number;
  readonly instances: number;
  readonly hasRedis: boolean;
  /** Sources that live cards watch, and the one that the service can never read, if there is one. */
  readonly watched: readonly string[];
  readonly brokenSource: string | undefined;
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** How old answers may be before they are refreshed, in ms. */
  readonly freshMs: number;
  /** How long a process waits for an answer, in ms. */
  readonly deadlineMs: number;
  /** When the schedule began, when its last failure was over, and when the visitors left. */
  readonly fromNs: number;
  readonly calmFromNs: number;
  readonly toNs: number;
  readonly events: readonly Event[];
  readonly arrivals: readonly Arrival[];
  readonly answers: readonly VisitorAnswer[];
  readonly stops: readonly Stop[];
  /** Moments at which an instance had lost sight of the others by its own word, or did not answer when asked. */
  readonly blindAtNs: readonly number[];
  /** Redis held the key in the end. */
  readonly redisLeaked: boolean;
}

const NS_PER_MS = 1_000_000;

/** Events of these kinds that last at any time between the two moments, a margin after their end included. */
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
