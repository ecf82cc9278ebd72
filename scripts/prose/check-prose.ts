// Checks all prose, and lists the lines that match a pattern of patterns.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { findProse } from './find-prose.ts';

/**
 * A group of files, and the number of their lines that may match. Lower the number when lines are rewritten. Never
 * raise it.
 */
interface Group {
  readonly name: string;
  readonly files: readonly string[];
  readonly isCode: boolean;
  readonly maxLines: number;
}

const GROUPS: readonly Group[] = [
  {
    name: 'documents',
    files: ['*.md', '.github/*.md', 'docs/**/*.md', 'packages/*/*.md', '{bench,deploy,demo,examples}/**/*.md'],
    isCode: false,
    maxLines: 0,
  },
  {
    name: 'code',
    files: ['{packages,demo,e2e,bench,scripts,examples}/**/*.{ts,tsx}'],
    isCode: true,
    maxLines: 20,
  },
];

const EXCLUDED = [
  '**/node_modules/**',
  '**/dist/**',
  'scripts/prose/**',
  '**/*.d.ts',
  '**/i18n/lang/**',
  'bench/results/**',
];

for (const { name, files, isCode, maxLines } of GROUPS) {
  const hits = globSync(files, { cwd: ROOT, exclude: EXCLUDED })
    .toSorted()
    .flatMap((file) => findProse(readFileSync(join(ROOT, file), 'utf8'), { isCode }).map((hit) => ({ file, ...hit })));
  console.log(`${name}: ${hits.length} lines match a pattern, ${maxLines} are allowed`);
  if (hits.length <= maxLines && !process.argv.includes('--list')) continue;
  for (const { file, line, found, write, text } of hits)
    console.error(`${file}:${line} "${found}": write ${write}\n    ${text}`);
  if (hits.length > maxLines) process.exitCode = 1;
}
