import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../scripts/run.ts';

/** Pictures and results, which no test of a mutation reads. */
const LEFT_OUT = /^(bench\/results|docs\/images|e2e\/pictures)\//;

/** A copy of the repository that may be broken at will. */
export interface ScratchCopy extends Disposable {
  readonly folder: string;
}

/** Copies what git knows and what is built; what is installed is linked, so that a copy takes a second. */
export function makeScratchCopy(): ScratchCopy {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-mutations-'));
  for (const file of filesOfGit()) {
    if (LEFT_OUT.test(file) || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name));
  // The tests of deploy/ take servers out of bench/.
  for (const workspace of [...packages, 'bench'])
    for (const part of ['node_modules', 'dist']) copyFolder(join(workspace, part), folder);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function filesOfGit(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
}

/** Links stay links: those between packages lead from one part of the copy to another. */
function copyFolder(path: string, folder: string): void {
  if (!existsSync(join(ROOT, path))) return;
  cpSync(join(ROOT, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
}
