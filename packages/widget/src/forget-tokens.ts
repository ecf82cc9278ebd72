import { forgetTokens as forgetOwnTokens } from './data/client.ts';
import type { PulseCard } from './elements/pulse-card/element.ts';

/**
 * Forgets the tokens of all elements of the page, and what was shown with them; for the handler of a logout. A script tag
 * may have defined the elements before this module did.
 */
export function forgetTokens(): void {
  const defined = globalThis.customElements?.get('pulse-card') as Partial<typeof PulseCard> | undefined;
  for (const forget of new Set([forgetOwnTokens, defined?.forgetTokens])) forget?.();
}
