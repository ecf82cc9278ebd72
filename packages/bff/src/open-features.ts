import type { Core, Feature, OpenFeature } from './feature.ts';
import type { Additions } from './http/route.ts';

/** The features that are on, as one. */
export interface OpenFeatures {
  readonly list: readonly Feature[];
  readonly additions: Additions;
  close(): Promise<void>;
}

/** Opens the features that the configuration turns on. If one can't be opened, closes those before it and rejects. */
export async function openFeatures(features: readonly OpenFeature[], core: Core): Promise<OpenFeatures> {
  const list: Feature[] = [];
  const close = async (): Promise<void> => {
    for (const feature of list.toReversed()) await feature.close?.();
  };
  try {
    for (const open of features) {
      const feature = await open(core);
      if (feature !== undefined) list.push(feature);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { list, additions: additionsOf(list), close };
}

function additionsOf(list: readonly Feature[]): Additions {
  const amendments = list.flatMap(({ amend }) => amend ?? []);
  const revisions = list.flatMap(({ revision }) => revision ?? []);
  return {
    amend: (answer) => amendments.reduce((amended, amend) => amend(amended), answer),
    revision: () => revisions.map((revision) => revision()).join(),
    ...(list.some(({ pulseOfRun }) => pulseOfRun) && {
      pulseOfRun: (snapshot, run) => firstOf(list, ({ pulseOfRun }) => pulseOfRun?.(snapshot, run)),
    }),
    headLinks: (sourceId, pulse) => list.flatMap(({ headLinks }) => headLinks?.(sourceId, pulse) ?? []),
    chartSizeOf: (pulse) => firstOf(list, ({ chartSizeOf }) => chartSizeOf?.(pulse)),
  };
}

function firstOf<Value>(list: readonly Feature[], read: (feature: Feature) => Value | undefined): Value | undefined {
  for (const feature of list) {
    const value = read(feature);
    if (value !== undefined) return value;
  }
  return undefined;
}
