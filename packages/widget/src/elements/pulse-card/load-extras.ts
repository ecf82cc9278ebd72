import type * as extras from '../../extras/index.ts';

/** What only a press starts: the enlarged view. */
export type Extras = typeof extras;

/**
 * Loads what only a press starts, which a bundler puts into a chunk of its own. Resolves with nothing if it can't be loaded.
 * In `pulse-card.js`, `load-extras-file.ts` replaces this module.
 */
export async function loadExtras(): Promise<Extras | undefined> {
  return import('../../extras/index.ts').catch(() => undefined);
}
