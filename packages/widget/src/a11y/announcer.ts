/**
 * Screen readers only notice changes in a live region that already exists. Cards that are updated together are drawn
 * one after the other.
 */
const NOTICE_MS = 500;

/** Screen readers need less time to notice a change. */
const REMOVE_AFTER_MS = 3_000;

/** Text and its language, as a BCP 47 tag. */
export interface SpokenText {
  readonly text: string;
  readonly lang: string;
}

/** The text that screen readers announce for one element. */
export interface Announcement {
  /** If several elements announce the same key at the same time, readers hear one announcement. */
  readonly key: string;
  /** Screen readers speak the texts one after the other. */
  readonly texts: readonly SpokenText[];
  /** Replaces the texts if several elements announce at the same time. `{count}` becomes the number of elements. */
  readonly ofSeveral?: SpokenText;
}

interface Waiting extends Announcement {
  readonly speaker: Element;
}

let region: HTMLElement | undefined;
let waiting: Waiting[] = [];

/**
 * Announces a message to screen readers on behalf of `speaker`, if that element is still on the page. The page has at
 * most one live region, which is removed afterwards.
 */
export function announce(announcement: Announcement, speaker: Element): void {
  if (!speaker.isConnected) return;
  if (waiting.length === 0) openRegion(speaker.ownerDocument);
  waiting.push({ ...announcement, speaker });
}

/** Removes the current announcement. */
export function silence(): void {
  waiting = [];
  region?.remove();
}

function openRegion(page: Document): void {
  region?.remove();
  const element = Document.prototype.createElement.call(page, 'div');
  element.role = 'status';
  // The region is invisible, but in the accessibility tree. No policy forbids styles that are set this way.
  element.style.cssText = 'position:fixed;clip-path:inset(50%)';
  // Screen readers ignore everything behind a modal dialog on the page.
  const dialogs = Document.prototype.querySelectorAll.call(page, 'dialog:modal');
  ([...dialogs].at(-1) ?? (Reflect.get(Document.prototype, 'body', page) as Element)).append(element);
  setTimeout(() => region === element && speakIn(element), NOTICE_MS);
  setTimeout(() => element.remove(), REMOVE_AFTER_MS);
  region = element;
}

/** If the announcements differ, readers hear the last one. */
function speakIn(element: HTMLElement): void {
  const distinct = new Map<string, Announcement>();
  for (const { speaker, ...announcement } of waiting)
    if (speaker.isConnected) distinct.set(announcement.key, announcement);
  waiting = [];
  const { texts = [], ofSeveral }: Partial<Announcement> = [...distinct.values()].at(-1) ?? {};
  const count = String(distinct.size);
  const spoken =
    ofSeveral && distinct.size > 1 ? [{ ...ofSeveral, text: ofSeveral.text.replace('{count}', count) }] : texts;
  element.lang = spoken[0]?.lang ?? '';
  for (const { text, lang } of spoken) element.append(nodeOf(text, lang, element), ' ');
  element.lastChild?.remove();
}

function nodeOf(text: string, lang: string, parent: HTMLElement): Node | string {
  if (lang === parent.lang) return text;
  const span = Document.prototype.createElement.call(parent.ownerDocument, 'span');
  span.lang = lang;
  span.textContent = text;
  return span;
}
