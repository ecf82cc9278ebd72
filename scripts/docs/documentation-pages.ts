import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** README.md, the pages in docs/, and the packages' READMEs. */
export function documentationPages(): string[] {
  const args = ['ls-files', '-co', '--exclude-standard', 'README.md', 'docs/*.md', 'packages/*/README.md'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return [...new Set(files)].filter((file) => existsSync(join(ROOT, file))).toSorted();
}
