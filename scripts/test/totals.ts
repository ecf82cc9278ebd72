import type { Counts } from './outcome.ts';

/** A row in the table of totals. */
export interface Row extends Counts {
  readonly step: string;
  /** The files that failed at first and ran once more. */
  readonly retriedFiles: readonly string[];
  readonly seconds: number;
}

const COLUMNS = ['step', 'tests', 'passed', 'failed', 'skipped', 'seconds'] as const;

/**
 * The table of totals, with one row for each step and one row for all steps. In the last row, the seconds are the
 * elapsed time and not a sum, because steps overlap.
 */
export function totalsTable(rows: readonly Row[], seconds: number): string {
  const sum = (key: 'passed' | 'failed' | 'skipped') => rows.reduce((total, row) => total + row[key], 0);
  const all = { step: 'all', passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), seconds };
  const cells = [COLUMNS.map(String), ...[...rows, all].map(cellsOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, column) => pad(cell, column, widths[column] ?? 0)).join('  ')).join('\n');
}

function cellsOf({ step, passed, failed, skipped, seconds }: Omit<Row, 'retriedFiles'>): string[] {
  return [step, ...[passed + failed + skipped, passed, failed, skipped, Math.round(seconds)].map(String)];
}

function pad(cell: string, column: number, width: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
