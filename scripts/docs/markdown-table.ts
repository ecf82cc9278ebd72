/** A Markdown table; line breaks in cells become spaces, and pipes are escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.map(cellOf).join(' | ')} |`).join('\n')}\n`;
}

/** `text` as inline code; nothing if there is none. */
export function code(text: string | undefined): string {
  return text ? `\`${text}\`` : '';
}

function cellOf(text = ''): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
