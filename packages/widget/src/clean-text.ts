/**
 * Characters that change how other text reads without showing themselves: controls, bidi marks and overrides, zero
 * width spaces. The joiners U+200C and U+200D stay: Hindi, Persian and emoji are spelled with them.
 */
const UNSEEN = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` without unseen characters, cut to `limit` code units with the cut marked. */
export function cleanText(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replaceAll('\t', ' ').replace(UNSEEN, '').trim();
}
