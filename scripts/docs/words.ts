// Prints the words of README.md, docs/ and the package READMEs, page by page. A word contains a letter or a digit.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** The pages of the documentation. */
export function documentationPages(): string[] {
  const args = ['ls-files', '-co', '--exclude-standard', 'README.md', 'docs/*.md', 'packages/*/README.md'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return [...new Set(files)].filter((file) => existsSync(join(ROOT, file))).toSorted();
}

/** Counts the words of a page, including code and tables. Ignores comments and the lines below table heads. */
export function wordsOf(file: string): number {
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/<!--[^]*?-->/g, '');
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

if (process.argv[1] === import.meta.filename) {
  const counts = documentationPages().map((file) => ({ file, words: wordsOf(file) }));
  for (const { file, words } of counts) console.log(`${String(words).padStart(6)}  ${file}`);
  console.log(`${String(counts.reduce((sum, { words }) => sum + words, 0)).padStart(6)}  in all`);
}
