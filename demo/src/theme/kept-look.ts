import { storedText, storeText } from '../shell/stored-text.ts';
import { OWN_LOOK, withLook } from '../studio/settings.ts';

/** The storage key of the saved look. The look is saved as a query, which `lookQueryOf()` writes. */
const KEY = 'pulse-studio-look';

/**
 * The look that this person last chose on any page in the Studio, or an empty string if no look is saved. A look that
 * was saved for this tab takes precedence.
 */
export function keptLook(): string {
  return storedText(KEY, 'sessionStorage') ?? storedText(KEY) ?? '';
}

/** The look that this person last chose in any tab, or an empty string if no look is saved. */
export function ownLook(): string {
  return storedText(KEY) ?? '';
}

/** Saves a look that this person chose. */
export function keepLook(query: string): void {
  storeText(KEY, query, 'sessionStorage');
  storeText(KEY, query);
}

/** Saves a look only for this tab. A look from a link therefore doesn't replace the person's own look. */
export function keepLookInTab(query: string): void {
  storeText(KEY, query, 'sessionStorage');
}

/** The URL of this page with the look of the card. The URL contains the look even if it is the default look. */
export function shareUrl(): string {
  const url = new URL(location.href);
  url.search = withLook(url.search, keptLook() || OWN_LOOK);
  return url.href;
}
