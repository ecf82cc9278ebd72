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
  /** All figures, for programs. */
  readonly figures: unknown;
}

/** Writes a result as a page and as JSON, with what it was taken on, and shows the page. */
export async function writeResult({ name, title, text, figures }: Result): Promise<void> {
  const taken = circumstances();
  const { machine, node, date, commit, command, load } = taken;
  const facts = [
    `- Machine: ${machine}; Node ${node}`,
    `- Date: ${date}; commit: ${commit}`,
    `- Command: \`${command.trim()}\``,
    `- Load average: ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
  ];
  const page = `# ${title}\n\n${facts.join('\n')}\n\n${text.trim()}\n`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${name}.md`), page);
  await writeFile(join(RESULTS, `${name}.json`), `${JSON.stringify({ title, ...taken, figures }, undefined, 2)}\n`);
  console.log(`\n${page}`);
}
