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

/** Drops the announcements that haven't been spoken yet. */
export function silence(): void {
  waiting = [];
}

/** If the announcements differ, readers hear only the last one. */
function speakIn(element: HTMLElement): void {
  const heard = waiting.filter(({ speaker }) => speaker.isConnected);
  waiting = [];
  const { texts = [], ofSeveral } = heard.at(-1) ?? {};
  const { size } = new Set(heard.map(({ key }) => key));
  const spoken = ofSeveral && size > 1 ? [{ ...ofSeveral, text: ofSeveral.text.replace('{count}', `${size}`) }] : texts;
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
