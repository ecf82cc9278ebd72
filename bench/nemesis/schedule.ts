import { type Random, randomFrom } from '@pulse-card/testkit/random';
import type { Fault } from '@pulse-card/testkit/service/fault';

/** A kind of failure, and the process that it affects. */
export type Degradation =
  /** The process is killed, and restarted when the failure ends. */
  | { readonly kind: 'kill'; readonly instance: number }
  /** The process receives SIGTERM, and is restarted when the failure ends. */
  | { readonly kind: 'stop'; readonly instance: number }
  /** The process can't write to its folder. */
  | { readonly kind: 'disk-full'; readonly instance: number }
  /** The process is frozen. */
  | { readonly kind: 'pause'; readonly instance: number }
  /** No data passes between the instance and Redis. Their connections stay open. */
  | { readonly kind: 'partition'; readonly instance: number }
  /** The instance's wall clock is wrong by this much. */
  | { readonly kind: 'clock'; readonly instance: number; readonly shiftMs: number }
  /** Redis is killed and restarted without data. */
  | { readonly kind: 'redis-kill' }
  /** Redis is frozen. */
  | { readonly kind: 'redis-pause' }
  /** Redis loses all its data immediately. */
  | { readonly kind: 'flush' }
  /** The upstream fails in some way. */
  | { readonly kind: 'upstream'; readonly host: 'A' | 'B' | 'both'; readonly fault: Fault };

/** A failure with its time, in ms from the beginning. */
export interface Event {
  readonly atMs: number;
  readonly forMs: number;
  readonly degradedReason: Degradation;
}

/** The settings of random schedules. */
export interface ScheduleShape {
  readonly instances: number;
  /** Whether a Redis exists, with its own failures. */
  readonly hasRedis: boolean;
  /** Failures begin and end within this time. */
  readonly chaosMs: number;
}

/** The minimum and maximum number of failures in a schedule. */
const FEWEST = 3;
const MAX = 7;

/** The minimum and maximum duration of a failure, in ms. */
const MIN_BACKOFF_MS = 500;
const MAX_MS = 8_000;

/** Generates a seed's failures, in the order in which they begin. The same seed gives the same failures. */
export function scheduleOf(seed: number, { instances, hasRedis, chaosMs }: ScheduleShape): readonly Event[] {
  const random = randomFrom(seed);
  const count = FEWEST + Math.floor(random.even() * (MAX - FEWEST + 1));
  const events = Array.from({ length: count }, (): Event => {
    const forMs = Math.round(random.logEven(MIN_BACKOFF_MS, Math.min(MAX_MS, chaosMs)));
    const atMs = Math.round(random.even() * (chaosMs - forMs));
    return { atMs, forMs, degradedReason: degradationOf(random, instances, hasRedis) };
  });
  return withoutOverlap(events.toSorted((a, b) => a.atMs - b.atMs));
}

/**
 * Returns the name of a failure's target. A target has only one failure at a time, because the end of one failure would
 * also end the other.
 */
export function subjectOf(degradedReason: Degradation): string {
  switch (degradedReason.kind) {
    case 'kill':
    case 'stop':
    case 'pause':
      return `process ${degradedReason.instance}`;
    case 'partition':
    case 'clock':
    case 'disk-full':
      return `${degradedReason.kind} ${degradedReason.instance}`;
    case 'upstream':
      return 'upstream';
    default:
      return 'redis';
  }
}

function withoutOverlap(events: readonly Event[]): Event[] {
  const endsAt = new Map<string, number>();
  return events.filter(({ atMs, forMs, degradedReason }) => {
    const subject = subjectOf(degradedReason);
    if ((endsAt.get(subject) ?? -Infinity) > atMs) return false;
    endsAt.set(subject, atMs + forMs);
    return true;
  });
}

function degradationOf(random: Random, instances: number, hasRedis: boolean): Degradation {
  const instance = Math.floor(random.even() * instances);
  const ofProcess: Degradation[] = [
    { kind: 'kill', instance },
    { kind: 'stop', instance },
    { kind: 'pause', instance },
    { kind: 'disk-full', instance },
    { kind: 'clock', instance, shiftMs: random.even() < 0.5 ? -300_000 : 300_000 },
  ];
  const ofRedis: Degradation[] = [
    { kind: 'partition', instance },
    { kind: 'redis-kill' },
    { kind: 'redis-pause' },
    { kind: 'flush' },
  ];
  const ofUpstream: Degradation = { kind: 'upstream', host: pick(random, ['A', 'B', 'both']), fault: faultOf(random) };
  return pick(random, [...ofProcess, ...(hasRedis ? ofRedis : []), ofUpstream, ofUpstream, ofUpstream]);
}

function faultOf(random: Random): Fault {
  return pick<Fault>(random, [
    { kind: 'refuse' },
    { kind: 'reset' },
    { kind: 'hang' },
    { kind: 'status', status: 503 },
    { kind: 'slow-body', msPerByte: 1 },
    { kind: 'limited' },
    { kind: 'broken-json' },
    {
      kind: 'gateway',
      status: pick(random, [502, 403, 401, 429, 200]),
      limit: pick(random, ['1', '0', '6', '30, 30']),
    },
    { kind: 'foreign-404', by: pick(random, ['nginx', 'fastify', 'spring']) },
    { kind: 'odd-rows' },
    { kind: 'other-account' },
  ]);
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random.even() * items.length)]!;
}
