/** Sanitizes text for a terminal or a log line by replacing control characters with `?`. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
