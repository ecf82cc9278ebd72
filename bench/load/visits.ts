import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom } from '../simulator/random.ts';
import { nowNs } from '../upstream/arrival.ts';
import type { Ask, Reply } from './reply.ts';
import { zipfPicker } from './zipf.ts';

/** One look at one card. */
export interface Visit extends Reply {
  readonly atNs: number;
  readonly id: string;
  readonly tookMs: number;
}

/** How visitors come. */
export interface VisitsOptions {
  readonly ids: readonly string[];
  readonly perSecond: number;
  /** How unevenly they look at the sources. @default 1.1 */
  readonly skew?: number;
  /** @default 1 */
  readonly seed?: number;
}

/** Visitors that keep coming, whether or not earlier ones were answered. */
export interface Visits {
  /** All that have been answered so far. */
  readonly seen: readonly Visit[];
  /** Lets no more come, and waits for those who are there. */
  stop(): Promise<readonly Visit[]>;
}

/** Sends visitors at Poisson times over sources that are loved unevenly. */
export function sendVisitors(ask: Ask, { ids, perSecond, skew = 1.1, seed = 1 }: VisitsOptions): Visits {
  const random = randomFrom(seed);
  const pick = zipfPicker(ids, skew, random);
  const seen: Visit[] = [];
  const there = new Set<Promise<void>>();
  const ending = new AbortController();
  const visit = async (id: string) => {
    const atNs = nowNs();
    const reply = await ask(id);
    seen.push({ atNs, id, tookMs: (nowNs() - atNs) / 1e6, ...reply });
  };
  const come = async () => {
    let dueMs = performance.now();
    while (!ending.signal.aborted) {
      dueMs += random.exponential(1000 / perSecond);
      const waitMs = dueMs - performance.now();
      if (waitMs > 1) await pause(waitMs);
      if (ending.signal.aborted) return;
      const one = visit(pick()).finally(() => there.delete(one));
      there.add(one);
    }
  };
  const coming = come();
  return {
    seen,
    stop: async () => {
      ending.abort();
      await coming;
      await Promise.all(there);
      return seen;
    },
  };
}
