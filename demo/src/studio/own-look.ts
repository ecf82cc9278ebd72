import { keepLook, keepLookInTab, ownLook } from '../theme/kept-look.ts';
import { hasLook, lookQueryOf, type Settings } from './settings.ts';

/** Saves this person's look. A look from a link stays in this tab until the person decides to keep it. */
export class OwnLook {
  /** The person's own look, which a look from a link replaces in this tab. Undefined if no look is replaced. */
  #before: string | undefined;

  constructor(search: string, settings: Settings) {
    const query = lookQueryOf(settings);
    const own = ownLook();
    if (!hasLook(search)) return;
    if (own !== '' && own !== query) this.#before = own;
    keepLookInTab(query);
  }

  /** Whether the look came from a link and would replace the person's own look. */
  get isShared(): boolean {
    return this.#before !== undefined;
  }

  /** Saves a changed look. */
  update(settings: Settings): void {
    const query = lookQueryOf(settings);
    if (this.isShared) keepLookInTab(query);
    else keepLook(query);
  }

  /** Saves the shared look as the person's own look. */
  keep(settings: Settings): void {
    this.#before = undefined;
    keepLook(lookQueryOf(settings));
  }

  /** Restores the person's own look and returns it as a query. */
  discard(): string {
    const own = this.#before ?? ownLook();
    this.#before = undefined;
    keepLook(own);
    return own;
  }
}
