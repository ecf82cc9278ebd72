/** Matches a number with its sign, its separators, and a percent sign. */
const NUMBER = /([-+−]?\p{Nd}(?:[\p{Nd}.,’\u00a0\u202f]*\p{Nd})?(?:\s?[%٪])?)/u;

/** A piece of text, and whether it is a number that doesn't appear in the previous text. */
export type TextPart = readonly [text: string, isChanged: boolean];

/**
 * The parts of `text`, in order. Each number is compared with the numbers in `previous`. Without `previous`, no number
 * counts as changed.
 */
export function changedNumbers(text: string, previous: string | undefined): TextPart[] {
  const known = previous ? previous.split(NUMBER) : undefined;
  return text.split(NUMBER).map((part, index) => {
    const at = known?.indexOf(part) ?? 0;
    // Each number in the previous text matches at most one number in the new text.
    if (at >= 0) known?.splice(at, 1);
    return [part, index % 2 > 0 && at < 0];
  });
}
