import { setTimeout as pause } from 'node:timers/promises';
import { visitorsOf } from '../load/reply.ts';
import { type VisitFigures, visitFigures } from '../load/visit-figures.ts';
import { sendVisitors, type Visits } from '../load/visits.ts';
import { BffProcess } from '../process/bff-process.ts';
import { type Arrival, nowNs } from '../upstream/arrival.ts';
import { arrivalsBetween } from '../upstream/history.ts';
import type { RecordingUpstream } from '../upstream/recording-upstream.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';

/** What one fault did: facts in words, in the order in which they are read. */
export interface FaultReport {
  readonly title: string;
  /** What was done to the service. */
  readonly done: string;
  readonly facts: readonly (readonly [what: string, figure: string | number | undefined])[];
}

/** One fault to go through. */
export type Fault = () => Promise<FaultReport>;

/** A BFF under visitors, whose sources have all been answered once. */
export interface Stage {
  readonly upstream: RecordingUpstream;
  readonly bff: BffProcess;
  readonly visits: Visits;
  /** What visitors went through in `[fromNs, toNs)`; all sources they look at were known before. */
  readonly visitsBetween: (fromNs: number, toNs: number) => VisitFigures;
  readonly arrivalsBetween: (fromNs: number, toNs: number) => Promise<Arrival[]>;
}

/** Ten sources are looked at; one more is known to the configuration alone. */
const SOURCES = 11;

/** The source that nobody looks at. */
export const UNSEEN_ID = 'src_011';

/** Visitors a second. */
const VIEWS_PER_SECOND = 20;

/** Long enough for each of ten sources to be asked for, even at the pace of a process that remembers nothing. */
const WARM_UP_MS = 30_000;

/** Plays `act` on a stage that was set up with these variables, and clears it away. */
export async function onStage<Outcome>(
  env: Readonly<Record<string, string>>,
  act: (stage: Stage) => Promise<Outcome>,
): Promise<Outcome> {
  const upstream = await spawnUpstream({ sources: SOURCES, changeEveryMs: [20_000, 300_000] });
  const variables = { PULSE_ALT_BASE_URL: upstream.urls.B, PULSE_SOURCES: upstream.ids.join(','), ...env };
  const bff = await BffProcess.start({ upstream, env: variables });
  const seenIds = upstream.ids.filter((id) => id !== UNSEEN_ID);
  const visits = sendVisitors(visitorsOf(bff.url), { ids: seenIds, perSecond: VIEWS_PER_SECOND, skew: 0.5 });
  try {
    await pause(WARM_UP_MS);
    return await act({
      upstream,
      bff,
      visits,
      visitsBetween: (fromNs, toNs) =>
        visitFigures(
          visits.seen.filter(({ atNs }) => atNs >= fromNs && atNs < toNs),
          { known: seenIds },
        ),
      arrivalsBetween: async (fromNs, toNs) => arrivalsBetween(await upstream.arrivals(), fromNs, toNs),
    });
  } finally {
    await visits.stop();
    await bff.stop();
    await upstream.close();
  }
}

/** Waits; resolves to the moments at which it began and ended. */
export async function stretch(ms: number): Promise<readonly [fromNs: number, toNs: number]> {
  const fromNs = nowNs();
  await pause(ms);
  return [fromNs, nowNs()];
}

/** Failures of any kind for sources that had been answered. */
export function failuresIn({ failedThoughKnown, refused, cut, gaveUp }: VisitFigures): number {
  return failedThoughKnown + refused + cut + gaveUp;
}

/** Failures by status and code, in words. */
export function failureWords({ failures }: VisitFigures): string {
  const words = Object.entries(failures).map(([why, count]) => `${count} × ${why}`);
  return words.length === 0 ? 'none' : words.join(', ');
}

/** From `sinceNs` to the first of some arrivals, in ms. */
export function firstAfterMs(arrivals: readonly Arrival[], sinceNs: number): number | undefined {
  const first = arrivals.find(({ atNs }) => atNs >= sinceNs);
  return first && (first.atNs - sinceNs) / 1e6;
}
