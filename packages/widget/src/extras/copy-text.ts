import type { ShownCard } from '../elements/pulse-card/shown-card.ts';
import { textsOf } from './action-card.ts';
import { answerInTime } from './answer-in-time.ts';

/** Copies the finding, label, name, date, and the page's URL to the clipboard, as text and as HTML. */
export async function copyText(card: ShownCard): Promise<void> {
  const { name, label, finding, date } = textsOf(card);
  const url = pageUrl();
  const facts = [name, label, date].filter(Boolean).join(' · ');
  const text = [facts, finding, url].filter(Boolean).join('\n');
  const html = `<p><a href="${escaped(url)}">${escaped(facts || url)}</a></p><p><b>${escaped(finding)}</b></p>`;
  const types = { 'text/plain': text, 'text/html': html };
  if (typeof ClipboardItem === 'undefined') return answerInTime(navigator.clipboard.writeText(text), 'writeText()');
  const blobs = Object.entries(types).map(([type, content]) => [type, new Blob([content], { type })] as const);
  await answerInTime(navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]), 'write()');
}

/** The page's canonical URL if it has one, otherwise its current URL. */
function pageUrl(): string {
  const canonical = Document.prototype.querySelector.call(document, 'link[rel=canonical]') as HTMLLinkElement | null;
  return canonical?.href || location.href.replace(/#.*/, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
