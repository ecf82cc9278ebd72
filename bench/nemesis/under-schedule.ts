import { setTimeout as pause } from 'node:timers/promises';
import { nowNs } from '@pulse-card/testkit/service/fake-service';
import { SERVICE_KEY } from '@pulse-card/testkit/service/fake-service';
import { type Cluster, DEADLINE_MS, FRESH_MS, startCluster } from './cluster.ts';
import type { History } from './history.ts';
import { playSchedule } from './play.ts';
import { scheduleOf } from './schedule.ts';
import { untilAllJoined, watchSight } from './sight.ts';
import { sendVisitors } from './visitors.ts';
import { watchedIds, watchSources } from './watchers.ts';

/** The phases of a schedule, in ms. */
export interface Span {
  /** Nothing fails. */
  readonly calmBeforeMs: number;
  /** Failures begin and end. */
  readonly chaosMs: number;
  /** Nothing fails anymore. This phase is long enough to measure the use of the budget. */
  readonly calmAfterMs: number;
}

/** The account has a low limit, so that its window is short. */
const ACCOUNT = { sources: 12, limit: 30, reserve: 6, windowMs: 8_000 } as const;

/**
 * One schedule in `ALONE_EVERY` has a single process without Redis. One in `BROKEN_EVERY` has a source that is
 * permanently broken.
 */
const ALONE_EVERY = 4;
const BROKEN_EVERY = 3;

/** Runs a seed's schedule with real processes, and records what happens. */
export async function liveThrough(seed: number, max: number, span: Span): Promise<History> {
  const hasRedis = seed % ALONE_EVERY !== 0;
  const instances = hasRedis ? max : 1;
  const setting = { instances, hasRedis, hasBrokenSource: seed % BROKEN_EVERY === 0 };
  await using cluster = await startCluster({ ...ACCOUNT, ...setting, seed });
  if (hasRedis) await untilAllJoined(cluster.instances);
  const leaving = new AbortController();
  const watching = hasRedis ? watchSight(cluster, leaving.signal) : [];
  const visiting = sendVisitors(cluster, seed, leaving.signal);
  const streaming = watchSources(cluster, leaving.signal);
  await pause(span.calmBeforeMs);
  const events = scheduleOf(seed, { instances, hasRedis, chaosMs: span.chaosMs });
  const fromNs = nowNs();
  const stops = await playSchedule(cluster, events);
  const calmFromNs = nowNs();
  await pause(span.calmAfterMs);
  const toNs = nowNs();
  leaving.abort();
  const [answers, blindAtNs] = await Promise.all([visiting, watching, streaming]);
  const { limit, reserve, windowMs } = ACCOUNT;
  return {
    seed,
    instances,
    hasRedis,
    watched: watchedIds(cluster.upstream.ids, instances),
    brokenSource: setting.hasBrokenSource ? cluster.upstream.ids[0] : undefined,
    limit,
    reserve,
    windowMs,
    freshMs: FRESH_MS,
    deadlineMs: DEADLINE_MS,
    fromNs,
    calmFromNs,
    toNs,
    events,
    arrivals: (await cluster.upstream.arrivals()).filter(({ atNs }) => atNs <= toNs),
    answers,
    stops,
    blindAtNs,
    redisLeaked: await holdsKey(cluster),
  };
}

/** Returns whether any value in Redis contains the key. */
async function holdsKey({ redis }: Cluster): Promise<boolean> {
  const names = (await redis.command('KEYS', '*')).split('\r\n').filter((line) => line !== '' && !/^[*$]/.test(line));
  for (const name of names) {
    const dump = await redis.command('DUMP', name);
    if (dump.includes(SERVICE_KEY) || name.includes(SERVICE_KEY)) return true;
  }
  return false;
}
