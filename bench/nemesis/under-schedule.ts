import { setTimeout as pause } from 'node:timers/promises';
import { nowNs } from '../upstream/arrival.ts';
import { BENCH_KEY } from '../upstream/recording-upstream.ts';
import { type Cluster, DEADLINE_MS, startCluster } from './cluster.ts';
import type { History } from './history.ts';
import { playSchedule } from './play.ts';
import { scheduleOf } from './schedule.ts';
import { untilAllJoined, watchSight } from './sight.ts';
import { sendVisitors } from './visitors.ts';

/** How a schedule is lived through, in ms. */
export interface Span {
  /** All is well. */
  readonly calmBeforeMs: number;
  /** Troubles come and go. */
  readonly chaosMs: number;
  /** All is well again: long enough for what is spent to be judged. */
  readonly calmAfterMs: number;
}

/** The account: small, so that a window is short; what is left to others is what a lost Redis is lived on. */
const ACCOUNT = { sources: 30, limit: 30, reserve: 6, windowMs: 8_000 } as const;

/** Lives through the schedule of a seed with real processes, and writes down what happened. */
export async function liveThrough(seed: number, instances: number, span: Span): Promise<History> {
  await using cluster = await startCluster({ ...ACCOUNT, instances, seed });
  await untilAllJoined(cluster.instances);
  const leaving = new AbortController();
  const watching = watchSight(cluster, leaving.signal);
  const visiting = sendVisitors(cluster, seed, leaving.signal);
  await pause(span.calmBeforeMs);
  const events = scheduleOf(seed, { instances, chaosMs: span.chaosMs });
  const fromNs = nowNs();
  await playSchedule(cluster, events);
  const calmFromNs = nowNs();
  await pause(span.calmAfterMs);
  const toNs = nowNs();
  leaving.abort();
  const [answers, blindAtNs] = await Promise.all([visiting, watching]);
  const { limit, reserve, windowMs } = ACCOUNT;
  const account = { limit, reserve, windowMs, deadlineMs: DEADLINE_MS };
  const times = { fromNs, calmFromNs, toNs };
  const arrivals = (await cluster.upstream.arrivals()).filter(({ atNs }) => atNs <= toNs);
  return {
    seed,
    instances,
    ...account,
    ...times,
    events,
    arrivals,
    answers,
    blindAtNs,
    redisLeaked: await holdsKey(cluster),
  };
}

/** Looks for the key in each value that Redis holds. */
async function holdsKey({ redis }: Cluster): Promise<boolean> {
  const names = (await redis.command('KEYS', '*')).split('\r\n').filter((line) => line !== '' && !/^[*$]/.test(line));
  for (const name of names) {
    const dump = await redis.command('DUMP', name);
    if (dump.includes(BENCH_KEY) || name.includes(BENCH_KEY)) return true;
  }
  return false;
}
