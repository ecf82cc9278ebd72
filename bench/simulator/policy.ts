import type { BudgetSnapshot } from '../../packages/bff/src/planner/refresh-planner.ts';
import type { World } from './world.ts';

/** A reader in front of a copy. */
export interface Look {
  source: number;
  now: number;
  /** Time since the copy came, in ms; Infinity where there is none. */
  ageMs: number;
  /** Counts what is left; asked only where it matters. */
  tokens: () => BudgetSnapshot;
}

/** What a reader causes: nothing, a refresh behind the answer, or one that the reader waits for. */
export type Reaction = 'serve' | 'refresh' | 'wait';

/** A way to spend the calls of a key. Sources without a copy are waited for under every policy. */
export interface Policy {
  onView(look: Look): Reaction;
  /** The source to refresh with no reader asking; called twice a second and again until it gives none. */
  onTick?(now: number, tokens: BudgetSnapshot): number | undefined;
  onAsked?(source: number, now: number): void;
  onAnswer?(source: number, now: number, changed: boolean): void;
  onFailure?(source: number, now: number): void;
}

/** Makes a policy for a world it knows nothing of, except where its name says so. */
export type PolicyMaker = (world: World) => Policy;
