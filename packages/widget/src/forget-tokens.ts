import { forgetTokens as forgetOwnTokens } from './data/reader-session.ts';
import type { PulseCard } from './elements/pulse-card/element.ts';

/**
 * Removes the tokens of all elements on the page and the content that was loaded with them. Call it in your sign-out
 * handler. Also works if a script tag defined the elements before this module loaded.
 */
export function forgetTokens(): void {
  const defined = globalThis.customElements?.get('pulse-card') as Partial<typeof PulseCard> | undefined;
  for (const forget of new Set([forgetOwnTokens, defined?.forgetTokens])) forget?.();
}
