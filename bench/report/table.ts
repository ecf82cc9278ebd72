/** A table cell. */
export type Cell = string | number | undefined;

/** A Markdown table. Numbers are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumeric = head.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  const rule = isNumeric.map((numeric) => (numeric ? '---:' : '---'));
  return [head, rule, ...rows.map((row) => row.map(textOf))].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The median of the numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function textOf(cell: Cell): string {
  if (cell === undefined || Number.isNaN(cell)) return '–';
  if (typeof cell === 'string') return cell;
  const digits = Number.isInteger(cell) || Math.abs(cell) >= 100 ? 0 : Math.abs(cell) >= 10 ? 1 : 2;
  return cell.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
