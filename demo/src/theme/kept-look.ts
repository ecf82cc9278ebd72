import { OWN_LOOK, withLook } from '../studio/settings.ts';

/** The key of a kept look, which is a query that `lookQueryOf()` writes. */
const KEY = 'pulse-studio-look';

/** The look that this person chose last on any page of the Studio, or an empty string if none is kept. A look of this tab has priority. */
export function keptLook(): string {
  return read(sessionStorageOf) ?? read(localStorageOf) ?? '';
}

/** The look that this person chose last in any tab, or an empty string if none is kept. */
export function ownLook(): string {
  return read(localStorageOf) ?? '';
}

/** Keeps a look that this person chose. */
export function keepLook(query: string): void {
  write(sessionStorageOf, query);
  write(localStorageOf, query);
}

/** Keeps a look only for this tab. A look from a link therefore doesn't replace the person's own. */
export function keepLookInTab(query: string): void {
  write(sessionStorageOf, query);
}

/** The address of this page with its look. It names the look even if that is the card's default. */
export function shareUrl(): string {
  const url = new URL(location.href);
  url.search = withLook(url.search, keptLook() || OWN_LOOK);
  return url.href;
}

const sessionStorageOf = (): Storage => sessionStorage;
const localStorageOf = (): Storage => localStorage;

// If storage is switched off, the look lasts as long as the page.
function read(storage: () => Storage): string | null {
  try {
    return storage().getItem(KEY);
  } catch {
    return null;
  }
}

function write(storage: () => Storage, query: string): void {
  try {
    storage().setItem(KEY, query);
  } catch {
    // Storage is switched off.
  }
}
