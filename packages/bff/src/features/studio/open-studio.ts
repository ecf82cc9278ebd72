import { safeUrl } from '@pulse-card/contract';
import type { Core, Feature, FeatureDefinition } from '../../feature.ts';
import { DIRECT } from '../../http/public-fields.ts';
import { doctorSettings, pageChecker } from './check-page.ts';
import { createStudioRouter } from './studio.ts';

/** The status page (`/`) and the Studio (`/studio/`), for operators. They show every source. */
export const studioFeature: FeatureDefinition = {
  open(core) {
    const { config, handleOperator: bff, onFault, clock, features } = core;
    const widget = core.widget();
    const charts = features.find(({ chartUrls }) => chartUrls)?.chartUrls ?? DIRECT;
    const settings = () => ({
      ...doctorSettings(config, charts, widget),
      ...knownSources(core.cache),
      tokenKeys: features.find(({ tokenKeySet }) => tokenKeySet)?.tokenKeySet?.(),
      now: clock.wallNow(),
    });
    const checkPage = pageChecker(settings);
    const statusJson = () => documentAt(core.features, '/status');
    return {
      name: 'studio',
      operatorPages: createStudioRouter({ config, charts, widget, bff, statusJson, onFault, checkPage }),
    };
  },
};

/**
 * The known ids and the addresses of charts, for the doctor. The ids are undefined until the list has arrived. Ids of
 * sources with a chart come first.
 */
function knownSources(cache: Core['cache']) {
  const sources = cache.sourceIds.map((sourceId) => ({ sourceId, pulse: cache.peek(sourceId)?.value.pulse }));
  const withPulse = sources.filter(({ pulse }) => pulse);
  const chartUrls = withPulse.flatMap(({ sourceId, pulse }) =>
    pulse?.imageUrl && safeUrl(pulse.imageUrl) ? [[sourceId, pulse.imageUrl]] : [],
  );
  const knownIds = [...withPulse, ...sources.filter(({ pulse }) => !pulse)].map(({ sourceId }) => sourceId);
  return {
    knownIds: cache.parts.entries.list && knownIds,
    chartUrls: Object.fromEntries(chartUrls) as Record<string, string>,
  };
}

/** The document that a feature serves to programs at `path`; an empty object if no feature serves one. */
function documentAt(features: readonly Feature[], path: string): string | Promise<string> {
  return features.find(({ documents }) => documents?.[path])?.documents?.[path]?.text() ?? '{}';
}
