/** The plan of a world. A world is generated from a plan and a seed. */
export interface WorldPlan {
  name: string;
  sources: number;
  /** The mean number of views per second, for all sources together. */
  viewsPerSecond: number;
  hours: number;
  /** The number of calls that the key allows per minute. */
  callsPerWindow: number;
  /** The minimum age at which a copy may be refreshed, in ms. */
  minAgeMs: number;
  /**
   * How much the number of views varies between day and night, as a share of the mean. A day of a world lasts six
   * hours.
   */
  dayAndNight: number;
  /** The mean time between bursts of readers on one source, in ms. 0 means no bursts. */
  burstEveryMs: number;
  /** The mean time until a source begins to change faster or slower, in ms. 0 means never. */
  habitMs: number;
  latencyMs: { from: number; to: number };
  /** The share of calls that fail. */
  failures: number;
}

/** The seeds of all published figures. */
export const SEEDS = [11, 23, 37, 58, 71] as const;

const still = {
  hours: 6,
  callsPerWindow: 60,
  minAgeMs: 1_000,
  dayAndNight: 0,
  burstEveryMs: 0,
  habitMs: 0,
  latencyMs: { from: 0, to: 0 },
  failures: 0,
} as const;

const living = {
  ...still,
  dayAndNight: 0.8,
  burstEveryMs: 1_200_000,
  habitMs: 14_400_000,
  latencyMs: { from: 100, to: 800 },
  failures: 0.02,
} as const;

/**
 * The product's default settings. A quarter of the calls is left for other users of the key, and copies younger than 15
 * s aren't refreshed.
 */
const asDelivered = { ...living, callsPerWindow: 45, minAgeMs: 15_000 } as const;

/** Worlds with constant rates and an upstream that answers immediately, as the theory assumes. */
export const STILL_WORLDS: readonly WorldPlan[] = [
  { ...still, name: 'still, 10 sources, 2 views/s', sources: 10, viewsPerSecond: 2 },
  { ...still, name: 'still, 60 sources, 5 views/s', sources: 60, viewsPerSecond: 5 },
  { ...still, name: 'still, 300 sources, 10 views/s', sources: 300, viewsPerSecond: 10 },
  { ...still, name: 'still, 1000 sources, 10 views/s', sources: 1_000, viewsPerSecond: 10 },
  { ...still, name: 'still, 300 sources, 0.5 views/s', sources: 300, viewsPerSecond: 0.5 },
];

/** Worlds with day and night, bursts, changing habits, latency, and failures. */
export const LIVING_WORLDS: readonly WorldPlan[] = [
  { ...living, name: 'living, 10 sources, 2 views/s', sources: 10, viewsPerSecond: 2 },
  { ...living, name: 'living, 60 sources, 5 views/s', sources: 60, viewsPerSecond: 5 },
  { ...living, name: 'living, 60 sources, 10 views/s', sources: 60, viewsPerSecond: 10 },
  { ...living, name: 'living, 300 sources, 10 views/s', sources: 300, viewsPerSecond: 10 },
  { ...living, name: 'living, 1000 sources, 10 views/s', sources: 1_000, viewsPerSecond: 10 },
  { ...living, name: 'living, 300 sources, 0.5 views/s', sources: 300, viewsPerSecond: 0.5 },
  { ...asDelivered, name: 'as delivered, 60 sources, 5 views/s', sources: 60, viewsPerSecond: 5 },
  { ...asDelivered, name: 'as delivered, 300 sources, 10 views/s', sources: 300, viewsPerSecond: 10 },
];

/** A world of each kind and each size that the promise covers. */
const SHORT_NAMES = new Set([
  'still, 60 sources, 5 views/s',
  'living, 60 sources, 5 views/s',
  'living, 300 sources, 10 views/s',
  'living, 1000 sources, 10 views/s',
  'as delivered, 300 sources, 10 views/s',
]);

/** The worlds of the short form. Each lasts three hours. */
export const SHORT_WORLDS: readonly WorldPlan[] = [...STILL_WORLDS, ...LIVING_WORLDS]
  .filter(({ name }) => SHORT_NAMES.has(name))
  .map((plan) => ({ ...plan, hours: 3 }));

/** Returns whether the published promise covers a world. */
export function isPromised(plan: WorldPlan): boolean {
  return plan.sources >= 60 && plan.viewsPerSecond >= 5;
}
