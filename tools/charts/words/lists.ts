/** Joins paragraphs with blank lines, as Markdown requires. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.join('\n\n');
}

/** Writes a Markdown list. */
export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
