import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../../scripts/run.ts';
import type { Mutation, Source } from './mutation.ts';

const TESTS = /\.(test|browser)\.ts$/;

/** Every source file of the packages, tests left out. */
export function packageSources(): Source[] {
  const files = globSync('packages/*/{src,build}/**/*.{ts,lua}', { cwd: ROOT });
  return files
    .filter((file) => !TESTS.test(file) && !file.includes('/testing/'))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

/** Test files that may turn red when a defence in `file` is gone: those beside it, its own first, and those of its threats. */
export function testsOf({ threats }: Mutation, file: string): string[] {
  const own = basename(file, '.ts');
  const beside = globSync(`${dirname(file)}/*.{test,browser}.ts`, { cwd: ROOT }).toSorted(
    (a, b) => Number(basename(b).startsWith(own)) - Number(basename(a).startsWith(own)),
  );
  return [...new Set([...beside, ...threats.flatMap((threat) => testsOfThreats().get(threat) ?? [])])];
}

let threatTests: ReadonlyMap<string, readonly string[]> | undefined;

/** The tests that name each row of docs/threats.md in a title. */
function testsOfThreats(): ReadonlyMap<string, readonly string[]> {
  if (threatTests !== undefined) return threatTests;
  const found = new Map<string, string[]>();
  for (const file of globSync('{packages,e2e,tools,deploy}/**/*.{test,browser}.ts', {
    cwd: ROOT,
    exclude: isInstalled,
  })) {
    const ids = new Set(readFileSync(join(ROOT, file), 'utf8').match(/\bT-\d\d\b/g));
    for (const id of ids) found.set(id, [...(found.get(id) ?? []), file]);
  }
  return (threatTests = found);
}

function isInstalled(path: string): boolean {
  return path.includes('node_modules') || path.includes('/dist');
}
