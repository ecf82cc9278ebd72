import { queryOf, type Settings } from './settings.ts';

/**
 * Safari rejects more than 100 changes to a URL in 10 seconds. A moving slider causes 100 changes in two seconds.
 */
const ADDRESS_MS = 200;

/** Writes settings into the page's URL, at most once every 200 ms. */
export class AddressWriter {
  #settings: Settings | undefined;
  #writtenAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  write(settings: Settings): void {
    this.#settings = settings;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#writtenAt + ADDRESS_MS - Date.now());
    if (waitMs > 0) this.#timer = setTimeout(() => this.#writeNow(), waitMs);
    else this.#writeNow();
  }

  #writeNow(): void {
    if (this.#settings === undefined) return;
    this.#writtenAt = Date.now();
    const query = queryOf(this.#settings);
    history.replaceState(null, '', query === '' ? location.pathname : `?${query}`);
  }
}
