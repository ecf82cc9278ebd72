import { create, findAll, propertyOf } from '../dom.ts';

/**
 * Screen readers notice changes only in a live region that already exists. Also, cards that update together render one
 * after another.
 */
const NOTICE_MS = 500;

/** Screen readers need less time than this to notice a change. */
const REMOVE_AFTER_MS = 3_000;

/** Text and its language, as a BCP 47 tag. */
export interface SpokenText {
  readonly text: string;
  readonly lang: string;
}

/** The text that screen readers announce for one element. */
export interface Announcement {
  /** If several elements announce the same key at the same time, readers hear only one announcement. */
  readonly key: string;
  /** Screen readers read the messages one after another. */
  readonly texts: readonly SpokenText[];
  /**
   * Replaces the messages if several elements make announcements at the same time. `{count}` becomes the number of
   * elements.
   */
  readonly ofSeveral?: SpokenText;
}

/** Announces a message to screen readers on behalf of `speaker`, if that element is still on the page. */
export type Announce = (announcement: Announcement, speaker: Element) => Promise<void>;

let region: HTMLElement | undefined;

/**
 * Adds a live region to `page`, calls `speakIn` with it once screen readers have noticed it, and removes it afterward.
 * A page never has more than one live region.
 */
export function openRegion(page: Document, speakIn: (region: HTMLElement) => void): void {
  closeRegion();
  const element = create('div', page);
  element.role = 'status';
  // The region is invisible but in the accessibility tree. No CSP forbids styles set this way.
  element.style.cssText = 'position:fixed;clip-path:inset(50%)';
  (modalDialogIn(page) ?? propertyOf('body', page)).append(element);
  setTimeout(() => region === element && speakIn(element), NOTICE_MS);
  setTimeout(() => element.remove(), REMOVE_AFTER_MS);
  region = element;
}

/** Screen readers ignore everything behind a modal dialog. If a dialog in a shadow root is open, focus is inside it. */
function modalDialogIn(page: Document): Element | undefined {
  let dialog = findAll<Element>('dialog:modal', page).at(-1);
  let active = propertyOf('activeElement', page) as Element | null | undefined;
  while (active) {
    dialog = active.closest('dialog:modal') ?? dialog;
    active = active.shadowRoot?.activeElement;
  }
  return dialog;
}

/** Removes the live region. */
export function closeRegion(): void {
  region?.remove();
  region = undefined;
}
