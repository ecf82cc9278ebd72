import type { Core, FeatureDefinition } from '../../feature.ts';
import { JSON_TYPE } from '../../http/representation.ts';
import { repeat } from '../../lib/clock.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { ranked } from '../../observability/problem.ts';
import { type BffState, chartsLastMs, sourceRow } from './bff-state.ts';
import { cacheStateOf } from './cache-state.ts';
import { CallHistory } from './call-history.ts';
import { Counters } from './counters.ts';
import { problemsOf } from './operator-problems.ts';
import { ProblemLog } from './problem-log.ts';
import { ProxyWatch } from './proxy-watch.ts';
import { stateGauges } from './state-gauges.ts';
import { type StatusDocument, statusDocument, statusJson } from './status-document.ts';

const NAME = 'status';

/** The time between two checks for problems, in ms. */
const LOOK_EVERY_MS = 5_000;

/** Information for the operator: problems in the log and in `/status`, and metrics. */
export const statusFeature: FeatureDefinition = {
  open(core) {
    const { clock, cache, config, clusterStatus, warn } = core;
    const isReady = () => cache.health().ready;
    const isBudgetReady = () => clusterStatus() === undefined || !cache.parts.upstream.budget.starting;
    const counters = new Counters({ clock, isKnown: (sourceId) => cache.isKnown(sourceId), isReady, isBudgetReady });
    const history = new CallHistory(clock, () => cache.parts.upstream.budget.used);
    const proxies = new ProxyWatch(config.proxyTrust, warn);
    const state = stateReader(core, { counters, history, proxies });
    const problemLog = new ProblemLog(warn);
    let endLooking = (): void => {};
    return {
      name: NAME,
      documents: { '/status': { type: JSON_TYPE, text: () => statusJson(documentOf(state(), core)) } },
      onAnswer: (answer) => {
        counters.record(answer);
        proxies.look(answer.request);
      },
      problems: () => problemsOf(state()),
      gauges: () => stateGauges(state()),
      start: () => {
        endLooking = repeat(clock, LOOK_EVERY_MS, () => problemLog.update(core.problems()));
      },
      close: () => {
        endLooking();
        history.close();
      },
    };
  },
};

interface Watchers {
  readonly counters: Counters;
  readonly history: CallHistory;
  readonly proxies: ProxyWatch;
}

function stateReader(core: Core, { counters, history, proxies }: Watchers): () => BffState {
  const { config, clock, cache } = core;
  const openedAt = clock.now();
  return () => {
    const status = cacheStateOf(cache);
    return {
      ...status,
      at: new Date(clock.wallNow()).toISOString(),
      version: packageVersion(),
      uptimeMs: Math.round(clock.now() - openedAt),
      stopping: core.isStopping(),
      warnings: [...config.warnings, ...proxies.warnings],
      sources: status.sources.map((source) =>
        sourceRow(source, cache.peek(source.sourceId)?.isEarlierVersion === true),
      ),
      chartsLastMs: chartsLastMs(status, config),
      answers: counters.answers(),
      lastHour: counters.lastHour(),
      images: counters.images(),
      outcomes: counters.outcomes(),
      refusals: counters.refusals(),
      readersToday: counters.readersToday(),
      history: history.points(),
      redis: core.clusterStatus() ?? null,
    };
  };
}

/** Returns the `/status` document of a state, with the problems and the facts of all features. */
function documentOf(state: BffState, { features }: Core): StatusDocument {
  const ofOthers = features.flatMap(({ name, problems }) => (name === NAME ? [] : (problems?.() ?? [])));
  const facts = features.map((feature) => feature.facts?.() ?? {});
  return statusDocument(state, ranked([...problemsOf(state), ...ofOthers]), Object.assign({}, ...facts));
}
