import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/**
 * Copies to a new folder all files that git tracks or would add, so that the work tree stays unchanged. Returns the
 * folder.
 */
export function copyWorkTree(): string {
  // Some build tools give `$` in a path a meaning.
  const folder = mkdtempSync(join(tmpdir(), 'pulse-$copy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = listed.toString().split('\0').filter(Boolean);
  for (const file of files) if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(folder, file));
  return folder;
}
