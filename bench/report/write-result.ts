import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { circumstances } from './machine.ts';

/** Where results are kept. */
export const RESULTS = join(import.meta.dirname, '../results');

/** What a benchmark found. */
export interface Result {
  /** File name, without its ending. */
  readonly name: string;
  readonly title: string;
  /** Markdown: what was done, tables, what the figures say. */
  readonly text: string;
  /** @deprecated Not written any more. */
  readonly figures?: unknown;
}

/** Writes a result as a page, with the circumstances it was taken in, and prints the page. */
export async function writeResult({ name, title, text }: Result): Promise<void> {
  const { machine, node, date, commit, command, load } = circumstances();
  const facts = [
    `- Machine: ${machine}; Node ${node}`,
    `- Date: ${date}; commit: ${commit}`,
    `- Command: \`${command.trim()}\``,
    `- Load average: ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
  ];
  const page = `# ${title}\n\n${facts.join('\n')}\n\n${text.trim()}\n`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${name}.md`), page);
  console.log(`\n${page}`);
}
