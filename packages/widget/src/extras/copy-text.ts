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
  if (typeof ClipboardItem === 'undefined') return answerInTime(navigator.clipboard.writeText(text));
  const blobOf = (content: string, type: string): Blob => new Blob([content], { type });
  const item = new ClipboardItem({
    'text/plain': blobOf(text, 'text/plain'),
    'text/html': blobOf(html, 'text/html'),
  });
  await answerInTime(navigator.clipboard.write([item]));
}

/** The page's canonical URL if it has one, otherwise its current URL. */
function pageUrl(): string {
  const canonical = Document.prototype.querySelector.call(document, 'link[rel=canonical]') as HTMLLinkElement | null;
  return canonical?.href || location.href.replace(/#.*/, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
