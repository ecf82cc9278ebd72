import type { Announcement, openRegion } from '../a11y/live-region.ts';
import { create } from '../dom.ts';

interface Waiting extends Announcement {
  readonly speaker: Element;
}

let waiting: Waiting[] = [];

/** Announces a message to screen readers on behalf of `speaker`, if that element is still on the page. */
export function announce(announcement: Announcement, speaker: Element, open: typeof openRegion): void {
  if (!speaker.isConnected) return;
  if (waiting.length === 0) open(speaker.ownerDocument, speakIn);
  waiting.push({ ...announcement, speaker });
}

/** Drops the announcements that weren't spoken yet. */
export function silence(): void {
  waiting = [];
}

/** If the announcements differ, readers hear the last one. */
function speakIn(element: HTMLElement): void {
  const distinct = new Map<string, Announcement>();
  for (const each of waiting) if (each.speaker.isConnected) distinct.set(each.key, each);
  waiting = [];
  const last = [...distinct.values()].at(-1);
  const { texts = [], ofSeveral } = last ?? {};
  const spoken =
    ofSeveral && distinct.size > 1
      ? [{ ...ofSeveral, text: ofSeveral.text.replace('{count}', `${distinct.size}`) }]
      : texts;
  element.lang = spoken[0]?.lang ?? '';
  spoken.forEach(({ text, lang }, index) => element.append(index ? ' ' : '', nodeOf(text, lang, element)));
}

function nodeOf(text: string, lang: string, parent: HTMLElement): Node | string {
  if (lang === parent.lang) return text;
  const span = create('span', parent.ownerDocument);
  span.lang = lang;
  span.textContent = text;
  return span;
}
