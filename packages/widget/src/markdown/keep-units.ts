/** Matches a digit, a space, and a word of at most three letters, which are usually a number and its unit. */
const NUMBER_AND_UNIT = /(\d) (?=\p{L}{1,3}(?!\p{L}))/gu;

/** `text` with a no-break space between each number and its unit. */
export function keepUnits(text: string): string {
  return text.replaceAll(NUMBER_AND_UNIT, '$1\u00a0');
}
