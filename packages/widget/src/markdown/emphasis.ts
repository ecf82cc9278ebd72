/** A run of `*`, `_`, or `~~`, which can end and begin elements. */
export interface Run {
  readonly char: string;
  readonly size: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** The number of characters that no pair has used so far. Any that are never used become text. */
  count: number;
}

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/**
 * Letters and digits. A mark between two of them is text, as in `4*5` and `snake_case`. Accents and keycaps can be
 * separate characters.
 */
const WORD = /[\p{sc=Latn}\p{N}\u0300-\u036f\u20e3]/u;
/** Scripts without spaces between words. Next to them, `**12%**` is bold, unlike in CommonMark. */
const UNSPACED = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/**
 * The run of marks in `text` from `start` to `end`, with CommonMark's rules for what it can open and close (section
 * 6.2).
 */
export function runIn(text: string, start: number, end: number): Run {
  const before = Array.from(text.slice(Math.max(0, start - 2), start)).at(-1) ?? ' ';
  const after = Array.from(text.slice(end, end + 2))[0] ?? ' ';
  const char = text[start] as string;
  const isInWord = WORD.test(before) && WORD.test(after);
  const canBegin = !isInWord && isNextTo(after, before);
  const canEnd = !isInWord && isNextTo(before, after);
  const isUnderscore = char === '_';
  return {
    char,
    size: end - start,
    count: end - start,
    canOpen: canBegin && (!isUnderscore || !canEnd || PUNCTUATION.test(before)),
    canClose: canEnd && (!isUnderscore || !canBegin || PUNCTUATION.test(after)),
  };
}

/** Whether marks are attached to the text on the side of `inner` (a flanking delimiter run). */
function isNextTo(inner: string, outer: string): boolean {
  if (SPACE.test(inner)) return false;
  return !PUNCTUATION.test(inner) || SPACE.test(outer) || PUNCTUATION.test(outer) || UNSPACED.test(outer);
}

/** Whether two runs can open and close an element (CommonMark, rules 9 and 10). */
export function canPair(opener: Run, closer: Run): boolean {
  if (opener.char !== closer.char) return false;
  const isAmbiguous = opener.canClose || closer.canOpen;
  return !isAmbiguous || (opener.size + closer.size) % 3 > 0 || opener.size % 3 === 0;
}
