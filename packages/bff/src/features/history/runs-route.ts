import type { AnswerMeta, PublicRun, PulseAnswer, ReadPulse, RunsAnswer } from '@pulse-card/contract';
import type { SourceSnapshot } from '../../cache/entries.ts';
import { publicAnswer } from '../../http/public-fields.ts';
import { JSON_TYPE } from '../../http/representation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { sendCached } from '../../http/respond.ts';
import type { Route, RouteParts } from '../../http/route.ts';
import { findCachedSource } from '../../http/routes/pulses-route.ts';
import type { HistoryStore } from './history-store.ts';
import type { KeptRun } from './source-history.ts';

const RUNS_PATH = '/v1/sources/:sourceId/runs';

/** The route of a source's runs that this BFF has seen. */
export function runsRoute(store: HistoryStore): Route {
  return { path: RUNS_PATH, access: 'data', answer: (context, parts, id) => sendRuns(context, parts, id, store) };
}

/** Responds with the stored runs, newest first. Makes no call to the service. */
function sendRuns(context: RequestContext, parts: RouteParts, sourceId: string, store: HistoryStore): void {
  const lookup = findCachedSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { config, bodies, fieldPolicy, additions } = parts;
  const { value, isEarlierVersion } = lookup;
  const history = store.get(sourceId);
  const dependencies = [value, isEarlierVersion, history, fieldPolicy.charts.period?.(), additions.revision()];
  const body = bodies.body(`${RUNS_PATH} ${sourceId}`, dependencies, JSON_TYPE, () => {
    const answers = answersOfRuns(history?.runs ?? [], value, parts);
    const meta = { ...metaOf(value, isEarlierVersion), complete: false } as const;
    return JSON.stringify({
      meta,
      runs: answers.map(({ run, answer }) => publicRun(run, answer)),
    } satisfies RunsAnswer);
  });
  sendCached(context, body, lookup, config);
}

function metaOf({ requestedAtMs }: SourceSnapshot, stale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale };
}

/** A stored run, with the response that readers would get for it. */
export interface RunAnswer {
  readonly run: KeptRun;
  readonly answer: PulseAnswer;
}

/** The stored runs as readers see them, including the changes that features make. */
export function answersOfRuns(
  runs: readonly KeptRun[],
  snapshot: SourceSnapshot,
  { additions, fieldPolicy }: RouteParts,
): RunAnswer[] {
  return runs.map((run) => {
    const pulse = pulseOf(run, snapshot);
    return { run, answer: additions.amend(publicAnswer({ ...snapshot, pulse }, false, fieldPolicy)) };
  });
}

/** A stored run in the form of a pulse from its source. Its analysis isn't stored. */
export function pulseOf(run: KeptRun, { sourceId, pulse, source }: SourceSnapshot): ReadPulse {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl } = run;
  return {
    jobRunId,
    sourceId,
    sourceName: pulse?.sourceName ?? source?.name ?? null,
    status: 'SUCCESS',
    completedAt,
    imageUrl,
    aiSummaryShort,
    aiSummaryLong: null,
    deliveryLink: null,
    organizationId: null,
    organizationName: null,
    organizationSlug: null,
  };
}

function publicRun({ firstSeenAt }: KeptRun, { pulse }: PulseAnswer): PublicRun {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl, withheld } = pulse;
  return { jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl, ...(withheld && { withheld }) };
}
