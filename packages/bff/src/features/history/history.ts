import { integer } from '../../config/schemas.ts';
import type { FeatureDefinition } from '../../feature.ts';
import type { Problem } from '../../observability/problem.ts';
import { feedLink, feedRoute } from './feed-route.ts';
import { HistoryStore } from './history-store.ts';
import { pulseOf, runsRoute } from './runs-route.ts';

const variables = {
  PULSE_HISTORY: integer(0, 30, 0).describe(
    'How many earlier runs of each source to keep and serve, from 0 (none) to 30',
  ),
};

/** Determines the rhythm of each source. With `PULSE_HISTORY`, also keeps the source's earlier runs. */
export const historyFeature: FeatureDefinition<typeof variables> = {
  variables,
  open({ config, clock, cache, isMounted, accountName, keptText, warn }, { PULSE_HISTORY: maxRuns }) {
    const { access, cacheScope } = config;
    const store = new HistoryStore({ clock, maxRuns, accountName, keptText, warn });
    const hasFeed = access === 'public' && cacheScope === 'public' && !isMounted;
    const nameOf = (sourceId: string) => cache.peek(sourceId)?.value.pulse?.sourceName ?? sourceId;
    return {
      name: 'history',
      onStored: (snapshot) => store.add(snapshot),
      onPurge: () => store.clear(),
      amend: (answer) => {
        const rhythm = store.rhythmOf(answer.pulse.sourceId);
        return { ...answer, source: { ...answer.source, rhythm } };
      },
      revision: () => store.revision,
      restored: () => store.loaded(),
      problems: () => store.overdue().map((sourceId) => overdueProblem(sourceId, nameOf(sourceId))),
      close: () => store.settled(),
      ...(maxRuns > 0 && {
        routes: [runsRoute(store), ...(hasFeed ? [feedRoute(store)] : [])],
        pulseOfRun: (snapshot, run) => {
          const kept = store.get(snapshot.sourceId)?.runs.find(({ jobRunId }) => jobRunId === run);
          return kept && pulseOf(kept, snapshot);
        },
        ...(hasFeed && { headLinks: (sourceId, pulse) => [feedLink(config.publicUrl, sourceId, pulse)] }),
      }),
    };
  },
};

function overdueProblem(sourceId: string, name: string): Problem {
  return {
    code: 'source_overdue',
    level: 'notice',
    headline: `The source "${Array.from(name).slice(0, 80).join('')}" is overdue: it usually has a new chart by now.`,
    advice: 'Look at the source in the dashboard. Readers see the last chart, marked as overdue.',
    sourceId,
  };
}
