import { find } from '../../dom.ts';
import { DARK, matchesMedia } from '../../controllers/page.ts';

/** Whether a card is dark, which depends on its theme, or else on the page's and the reader's color schemes. */
export function isDark(card: HTMLElement & { readonly theme: string }): boolean {
  if (card.theme === 'light' || card.theme === 'dark') return card.theme === 'dark';
  const { colorScheme } = getComputedStyle(card);
  // If no style sets the scheme, a <meta> element can.
  const meta = find<HTMLMetaElement>('meta[name=color-scheme]');
  const schemes = colorScheme === 'normal' && meta ? meta.content : colorScheme;
  if (!schemes.includes('dark')) return false;
  return !schemes.includes('light') || matchesMedia(DARK);
}
