/** Returns a Markdown table. Replaces line breaks in cells with spaces and escapes pipes. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.map(cellOf).join(' | ')} |`).join('\n')}\n`;
}

/** Returns `text` as inline code, or an empty string if there is no text. */
export function code(text: string | undefined): string {
  return text ? `\`${text}\`` : '';
}

function cellOf(text = ''): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
