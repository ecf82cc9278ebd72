/** `text` with its percent-encoding decoded, or unchanged if it can't be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
