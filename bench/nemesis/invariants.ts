import { maxInAnyWindow } from '../../packages/bff/src/testing/arrivals.ts';
import type { Event } from './schedule.ts';
import { type History, degradationsBetween, type VisitorAnswer } from './history.ts';

const NS_PER_MS = 1_000_000;

/**
 * The tolerance when two processes' times are compared, in ms. The processes read the clock at different moments, and
 * some values are whole seconds.
 */
const CLOCK_MARGIN_MS = 1_500;

/** The time after a 429 until all instances know about it and earlier calls have arrived, in ms. */
const WORD_SPREADS_MS = 1_000;

/**
 * How long, in ms, two instances may repeat each other's calls after an instance or Redis has failed: a window plus a
 * call.
 */
const TAKE_OVER_MS = 12_000;

/**
 * In a window without failures, at least this share of the allowed calls must be used. These windows take only seconds,
 * and a dozen processes share the machine, so calls are lost while a process waits for a core. The budget's benchmark
 * measures the share for real windows.
 */
export const MIN_USED = 0.5;

/**
 * The longest time until a failed host is tried again, in ms. This time doesn't depend on the window. After the last
 * failure, watched sources are refreshed within this time, plus one window and the time for which answers are fresh.
 */
const HOST_REST_MS = 19_000;

/** A margin in ms for calls, for timer ticks, and for windows that end at different times in different instances. */
const SETTLING_MS = 3_000;

/** The maximum time that a process may take to stop, in ms. */
const STOP_MS = 10_000;

/** An invariant in words, and a function that finds its violations in a history. */
interface Invariant {
  readonly says: string;
  readonly broken: (history: History) => readonly string[];
}

/** The invariants of every history, by number. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  I1: { says: 'no window has more calls than the limit', broken: tooManyInAWindow },
  I2: { says: 'calls for the same source overlap only if an instance or Redis failed', broken: twoAtATime },
  I3: { says: 'no instance returns to an older run', broken: backInTime },
  I4: { says: 'once an instance has served a source, it never fails to serve this source', broken: failedThoughKnown },
  I5: { says: 'after a 429, all instances wait until its reset', broken: calledInPause },
  I6: { says: 'the key never appears in a response or in Redis', broken: leaks },
  I7: {
    says: `at least ${MIN_USED * 100}% of the allowed calls are used in the last window, which has no failures`,
    broken: idle,
  },
  I8: { says: 'the Age of an answer is the time since its call to the upstream', broken: wrongAge },
  L1: {
    says: 'after the last failure, every watched source is refreshed within 22 s, one window, and the freshness time',
    broken: neglected,
  },
  L2: {
    says: 'after the last failure, the time between two consecutive calls is at most 19 s and one window',
    broken: timeoutsInCalm,
  },
  L3: { says: 'no source gets 404, because every source has a pulse', broken: erased },
  L4: {
    says: 'a source that always fails does not keep other sources from being refreshed',
    broken: neglectedBesideBroken,
  },
  L5: {
    says: 'every process stops within 10 s with exit code 0, reports no failure to the others, and leaves no port and no lock',
    broken: wrongStops,
  },
};

/**
 * The time by which every watched source must have been refreshed after the last failure. Undefined if the history ends
 * earlier.
 */
function refreshedByNs({ calmFromNs, toNs, windowMs, freshMs }: History): number | undefined {
  const byNs = calmFromNs + (HOST_REST_MS + windowMs + freshMs + SETTLING_MS) * NS_PER_MS;
  return byNs <= toNs ? byNs : undefined;
}

function neglected(history: History): string[] {
  const byNs = refreshedByNs(history);
  if (byNs === undefined) return [];
  const { arrivals, watched, brokenSource, calmFromNs } = history;
  const isRefreshed = (id: string): boolean =>
    arrivals.some(
      ({ path, status, atNs }) =>
        path === `/v1/sources/${id}/pulse` && status === 200 && atNs >= calmFromNs && atNs <= byNs,
    );
  return watched.filter((id) => id !== brokenSource && !isRefreshed(id));
}

function neglectedBesideBroken(history: History): string[] {
  return history.brokenSource === undefined ? [] : neglected(history);
}

function timeoutsInCalm(history: History): string[] {
  const { arrivals, calmFromNs, toNs, windowMs } = history;
  const times = arrivals.map(({ atNs }) => atNs).filter((atNs) => atNs > calmFromNs && atNs < toNs);
  const maxMs = HOST_REST_MS + windowMs;
  return [calmFromNs, ...times.toSorted((a, b) => a - b), toNs].flatMap((atNs, index, all) => {
    const gapMs = Math.round((atNs - (all[index - 1] ?? atNs)) / NS_PER_MS);
    return gapMs > maxMs ? [`no call for ${gapMs} ms after the last failure`] : [];
  });
}

/** Every 404 is a violation, because every source always has a pulse. */
function erased(history: History): string[] {
  return history.answers.flatMap(({ instance, life, sourceId, status, askedAtNs }) => {
    const atMs = Math.round((askedAtNs - history.fromNs) / NS_PER_MS);
    return status === 404 ? [`${sourceId} at instance ${instance}, life ${life}, asked at ${atMs} ms: 404`] : [];
  });
}

function wrongStops({ stops }: History): string[] {
  return stops.flatMap(({ instance, tookMs, exitCode, left }) => [
    ...(tookMs > STOP_MS ? [`instance ${instance} took ${tookMs} ms to stop`] : []),
    ...(exitCode === 0 ? [] : [`instance ${instance} ended with ${exitCode}`]),
    ...left.map((what) => `instance ${instance}: ${what}`),
  ]);
}

/** The largest number of calls in any window. The end of a window isn't part of it. */
export function maxCalls({ arrivals, windowMs }: History): number {
  return maxInAnyWindow(
    arrivals.map(({ atNs }) => atNs),
    windowMs * NS_PER_MS,
  );
}

/** The share of the allowed calls that was used in the last window. This window has no failures. */
export function shareUsedInCalm({ arrivals, toNs, windowMs, limit, reserve }: History): number {
  const from = toNs - windowMs * NS_PER_MS;
  return arrivals.filter(({ atNs }) => atNs > from && atNs <= toNs).length / (limit - reserve);
}

function tooManyInAWindow(history: History): string[] {
  const max = maxCalls(history);
  return max > history.limit ? [`${max} calls in a window of ${history.windowMs} ms`] : [];
}

/**
 * A call is open only until its deadline. The process has then given up on it and may send the next call, even if the
 * upstream is still working.
 */
function twoAtATime(history: History): string[] {
  const openUntil = new Map<string, number>();
  const broken: string[] = [];
  for (const { atNs, answeredAtNs, path } of history.arrivals.toSorted((a, b) => a.atNs - b.atNs)) {
    // The shared budget opens before the schedule begins. Until then, each instance may make a few calls.
    if (path === undefined || atNs < history.fromNs) continue;
    const until = openUntil.get(path) ?? -Infinity;
    const givenUpAtNs = atNs + history.deadlineMs * NS_PER_MS;
    openUntil.set(path, Math.max(until, Math.min(answeredAtNs ?? Infinity, givenUpAtNs)));
    if (until <= atNs) continue;
    if (degradationsBetween(history, [atNs, until], losesSight, TAKE_OVER_MS).length > 0) continue;
    if (!wasBlind(history, atNs))
      broken.push(`overlapping calls for ${path} at ${Math.round((atNs - history.fromNs) / NS_PER_MS)} ms`);
  }
  return broken;
}

function backInTime(history: History): string[] {
  const newest = new Map<string, number>();
  return inOrder(history.answers).flatMap(({ instance, life, sourceId, version, askedAtNs, answeredAtNs }) => {
    if (version === undefined || isAccountChanging(history, askedAtNs, answeredAtNs)) return [];
    const subject = `${sourceId} at instance ${instance}, life ${life}`;
    const before = newest.get(subject) ?? -Infinity;
    newest.set(subject, Math.max(before, version));
    return version < before ? [`${subject}: run ${version} after run ${before}`] : [];
  });
}

function failedThoughKnown(history: History): string[] {
  const { answers, fromNs } = history;
  const knownFromNs = new Map<string, number>();
  return inOrder(answers).flatMap(({ instance, life, sourceId, status, askedAtNs, answeredAtNs }) => {
    const subject = `${sourceId} at instance ${instance}, life ${life}`;
    const isKnown = (knownFromNs.get(subject) ?? Infinity) < askedAtNs;
    if (status === 200 && !knownFromNs.has(subject)) knownFromNs.set(subject, answeredAtNs);
    const isFailure = status === undefined || status >= 500;
    const atMs = Math.round((askedAtNs - fromNs) / NS_PER_MS);
    if (isAccountChanging(history, askedAtNs, answeredAtNs)) return [];
    return isFailure && isKnown ? [`${subject}, asked at ${atMs} ms: ${status ?? 'no answer'}`] : [];
  });
}

/** While all instances are connected, a single 429 must stop all instances' calls until the reset in its headers. */
function calledInPause(history: History): string[] {
  const { arrivals, events, fromNs } = history;
  return events.flatMap((event) => {
    const { atMs, forMs, degradedReason } = event;
    if (degradedReason.kind !== 'upstream' || degradedReason.fault.kind !== 'limited') return [];
    const [beginsNs, resetNs] = [fromNs + atMs * NS_PER_MS, fromNs + (atMs + forMs) * NS_PER_MS];
    if (degradationsBetween(history, [beginsNs, resetNs], losesSight, TAKE_OVER_MS).length > 0) return [];
    if (wasBlind(history, beginsNs, resetNs)) return [];
    const first = arrivals.find(({ atNs, status }) => status === 429 && atNs >= beginsNs && atNs <= resetNs);
    if (!first) return [];
    const from = first.atNs + WORD_SPREADS_MS * NS_PER_MS;
    const rushed = arrivals.filter(({ atNs }) => atNs > from && atNs < resetNs - CLOCK_MARGIN_MS * NS_PER_MS);
    return rushed.length > 0 ? [`${rushed.length} calls between a 429 and the reset that it named`] : [];
  });
}

function leaks({ answers, redisLeaked }: History): string[] {
  const inAnswers = answers.filter(({ leaked }) => leaked).length;
  return [
    ...(inAnswers > 0 ? [`the key is in ${inAnswers} answers`] : []),
    ...(redisLeaked ? ['the key is in Redis'] : []),
  ];
}

function idle(history: History): string[] {
  const used = shareUsedInCalm(history);
  return used < MIN_USED ? [`${(used * 100).toFixed(0)}% of the allowed calls used in the last window`] : [];
}

function wrongAge(history: History): string[] {
  return history.answers.flatMap((answer) => {
    const { instance, life, sourceId, ageSeconds, requestedAtMs, seenAtMs, askedAtNs, answeredAtNs } = answer;
    if (ageSeconds === undefined || requestedAtMs === undefined || seenAtMs === undefined) return [];
    // If a clock was wrong, no instance can tell whether a stored time comes from that clock.
    if (history.events.some(({ degradedReason }) => degradedReason.kind === 'clock')) return [];
    const tookMs = (answeredAtNs - askedAtNs) / NS_PER_MS;
    const offMs = seenAtMs - requestedAtMs - ageSeconds * 1_000;
    const isOff = offMs < -CLOCK_MARGIN_MS || offMs > CLOCK_MARGIN_MS + tookMs;
    return isOff ? [`${sourceId} at instance ${instance}, life ${life}: Age is off by ${offMs} ms`] : [];
  });
}

function inOrder(answers: readonly VisitorAnswer[]): VisitorAnswer[] {
  return answers.toSorted((a, b) => a.answeredAtNs - b.answeredAtNs);
}

/**
 * Returns whether a failure ends, freezes, or cuts off an instance or Redis. Other instances then make calls without
 * coordination.
 */
function losesSight({ degradedReason }: Event): boolean {
  return degradedReason.kind !== 'upstream' && degradedReason.kind !== 'clock' && degradedReason.kind !== 'disk-full';
}

/** Returns whether the key belongs to a different account around this time. The cache is then cleared, and no source is known for a while. */
function isAccountChanging(history: History, fromNs: number, toNs: number): boolean {
  const isChange = ({ degradedReason }: Event): boolean =>
    degradedReason.kind === 'upstream' && degradedReason.fault.kind === 'other-account';
  const marginMs = HOST_REST_MS + history.windowMs;
  return degradationsBetween(history, [fromNs, toNs], isChange, marginMs).length > 0;
}

/** Returns whether an instance couldn't see the others at about that time, for any reason. */
function wasBlind({ blindAtNs }: History, fromNs: number, toNs = fromNs): boolean {
  const marginNs = TAKE_OVER_MS * NS_PER_MS;
  return blindAtNs.some((atNs) => atNs > fromNs - marginNs && atNs < toNs + marginNs);
}
