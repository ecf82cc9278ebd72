// This module has no dependencies, so that the card can contain it.

/** The maximum length of the text that a client keeps in a field, in UTF-16 code units. The rest is cut off. */
export const TEXT_LIMITS = { name: 1_000, summaryShort: 4_000, summaryLong: 60_000, url: 2_048 } as const;

/** Everything that ends a line in some program, including `CRLF`. */
const LINE_END = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

/** Tabs that indent a line. They are as wide as four spaces, as in Markdown. */
const INDENT = /^\t+/gm;

/** Tabs and the separators of records and fields. */
// oxlint-disable-next-line no-control-regex -- it replaces control characters
const GAP = /[\t\x1c-\x1f]/g;

/**
 * Invisible characters that change how text is read: controls, bidi marks and overrides, zero-width spaces, tags, and
 * blank letters. These characters stay because scripts and emoji need them:
 * - the joiners U+200C and U+200D, and variation selectors, but only after a visible character
 * - number signs of Arabic, Syriac, and Kaithi, which are visible
 * - bidi marks directly before a number or its sign, because without them, the sign moves in Hebrew and Arabic
 * - tags within the flag of a region, such as Scotland (Unicode TS 51, ED-14a). The regular expression's only group
 *   matches the flag.
 */
const INVISIBLE =
  /(\u{1f3f4}[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,3}\u{e007f})|(?<=[\p{Cc}\p{Cf}])[\u200c\u200d]|(?<=[\p{Cc}\p{DI}])\p{VS}|(?![\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\p{VS}\u200c\u200d]|[\u061c\u200e\u200f][\p{Pd}\p{S}\p{N}])[\p{Cc}\p{Cf}\p{DI}]/gu;

/**
 * Empty lines at the start, and spaces before a single line. If there are several lines, their relative indentation is
 * kept.
 */
const START = /^\s*\n|^\s+(?=[^\n]*$)/;

/**
 * Returns `text` in a form that can be shown to people or a model: without invisible characters, with `\n` as the only
 * line break, and cut to `limit` code units.
 */
export function cleanText(text: string, limit: number): string {
  const lines = text.toWellFormed().replace(LINE_END, '\n').replace(INDENT, '$&$&$&$&');
  const visible = lines.replace(GAP, ' ').replace(INVISIBLE, '$1');
  return cutText(visible.trimEnd().replace(START, ''), limit);
}

/** Returns `text` as one line of clean text, for names and titles. */
export function cleanLine(text: string, limit: number): string {
  return cutText(cleanText(text, Infinity).replace(/\s+/g, ' ').trim(), limit);
}

/**
 * Cuts `text` to `limit` code units between two characters, as readers count them, and marks the cut with an ellipsis.
 * Emoji, flags, and accented letters stay whole, unless one of them is longer than `limit`.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const { index } = new Intl.Segmenter().segment(text).containing(end) as Intl.SegmentData;
  return `${text.slice(0, index || end).replace(/[\ud800-\udbff]$/, '')}…`;
}
