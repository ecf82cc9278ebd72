/**
 * Characters that change how other text reads without showing themselves: controls, bidi marks and overrides, zero
 * width spaces, word joiners, tags. The joiners U+200C and U+200D stay: Hindi, Persian and emoji are spelled with them.
 */
const UNSEEN = /[^\P{Cc}\n]|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** `text` without unseen characters, in well-formed UTF-16, cut to `limit` code units with the cut marked. */
export function cleanText(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').toWellFormed().replace(UNSEEN, '').trim();
}
