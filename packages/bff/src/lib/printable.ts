/** Text for a terminal or a log line: characters that would steer it are replaced by `?`. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
