import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { circumstances } from './machine.ts';
import { table } from './table.ts';

/** Where results are kept. */
const RESULTS = join(import.meta.dirname, '../results');

/** What a benchmark found. */
export interface Result {
  /** File name, without its ending. */
  readonly name: string;
  readonly title: string;
  /** Markdown: what was done, tables, what the figures say. */
  readonly text: string;
  /** The figures that docs may name, as `<!-- figure NAME.KEY -->`. */
  readonly figures?: Readonly<Record<string, number | string>>;
}

/** Writes a result as a page, with the circumstances it was taken in, and prints the page. */
export async function writeResult({ name, title, text, figures = {} }: Result): Promise<void> {
  const { machine, node, date, commit, command, load } = circumstances();
  const facts = [
    `- Machine: ${machine}; Node ${node}`,
    `- Date: ${date}; commit: ${commit}`,
    `- Command: \`${command.trim()}\``,
    `- Load average: ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
  ];
  const rows = Object.entries(figures).map(([key, figure]) => [`\`${name}.${key}\``, displayed(figure)]);
  const forDocs = rows.length === 0 ? '' : `\n\n## Figures that docs name\n\n${table(['key', 'figure'], rows)}`;
  const page = `# ${title}\n\n${facts.join('\n')}\n\n${text.trim()}${forDocs}\n`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${name}.md`), page);
  console.log(`\n${page}`);
}

function displayed(figure: number | string): string {
  return typeof figure === 'number' ? figure.toLocaleString('en-US') : figure;
}
