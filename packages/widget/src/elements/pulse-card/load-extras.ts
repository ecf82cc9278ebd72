import { warnOnce } from '../../diagnostics/warn-once.ts';
import type * as extras from '../../extras/index.ts';

/** The code that is loaded only for a press or an attribute, such as the enlarged view. */
export type Extras = typeof extras;

let loading: Promise<Extras | undefined> | undefined;

/**
 * Loads the code that a press or an attribute needs. A bundler puts this code into a separate chunk. Resolves to
 * undefined if loading fails. In `pulse-card.js`, `load-extras-file.ts` replaces this module.
 */
export function loadExtras(): Promise<Extras | undefined> {
  return (loading ??= import('../../extras/index.ts').catch(() => {
    warnOnce('Cannot load the code for buttons: deploy all chunks of the bundle, and let script-src allow them');
    return undefined;
  }));
}
