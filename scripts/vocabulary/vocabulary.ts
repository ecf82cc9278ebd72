import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { findPrivateWords } from './find-private-words.ts';
import { PRIVATE_WORDS } from './words.ts';

const FILES = ['packages/bff/src/**/*.ts', 'packages/bff/README.md', 'bench/**/*.ts', 'scripts/**/*.ts'];

const hits = globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**', 'scripts/vocabulary/**'] })
  .toSorted()
  .flatMap((file) => findPrivateWords({ file, text: readFileSync(join(ROOT, file), 'utf8') }, PRIVATE_WORDS));
for (const { file, line, found, use } of hits) console.error(`${file}:${line} "${found}": use ${use}`);
if (hits.length > 0) {
  console.error(`${hits.length} private words; the words to use are in scripts/vocabulary/words.ts`);
  process.exitCode = 1;
}
