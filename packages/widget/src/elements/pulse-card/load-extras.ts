import type * as extras from '../../extras/index.ts';

/** The code that is loaded only for a press or an attribute, such as the enlarged view. */
export type Extras = typeof extras;

/**
 * Loads the code that a press or an attribute needs. A bundler puts this code into a separate chunk. Resolves with
 * undefined if loading fails. In `pulse-card.js`, `load-extras-file.ts` replaces this module.
 */
export async function loadExtras(): Promise<Extras | undefined> {
  return import('../../extras/index.ts').catch(() => undefined);
}
