import { storedText, storeText } from '../shell/stored-text.ts';
import { OWN_LOOK, withLook } from '../studio/settings.ts';

/** The storage key for the saved look, which is a query from `lookQueryOf()`. */
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

/** Saves a look for this tab only, so that a look from a link doesn't replace the person's own look. */
export function keepLookInTab(query: string): void {
  storeText(KEY, query, 'sessionStorage');
}

/** This page's URL with the card's look, even if it is the default look. */
export function shareUrl(): string {
  const url = new URL(location.href);
  url.search = withLook(url.search, keptLook() || OWN_LOOK);
  return url.href;
}
