/** Characters that control a terminal, reorder or break a line, or are invisible. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns `text` as one line for a terminal, with its hidden characters escaped as in JavaScript. */
export function printable(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const hex = character.codePointAt(0)?.toString(16) ?? '';
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}
