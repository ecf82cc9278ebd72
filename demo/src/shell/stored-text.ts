type StorageName = 'localStorage' | 'sessionStorage';

/** Text stored by this browser or this tab. Null if there is none, or if storage is turned off. */
export function storedText(key: string, storage: StorageName = 'localStorage'): string | null {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

/** Stores text in this browser or in this tab. Does nothing if storage is turned off or full. */
export function storeText(key: string, text: string, storage: StorageName = 'localStorage'): void {
  try {
    globalThis[storage].setItem(key, text);
  } catch {
    // Without storage, the text lasts only until the page is closed.
  }
}
