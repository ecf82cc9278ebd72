import { globSync, readFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
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

/** The tests of `file` itself, which most often turn red when a defence in it is gone. */
export function ownTestsOf(file: string): string[] {
  const { name } = parse(file);
  return globSync(`${dirname(file)}/${name}{,.*}.{test,browser}.ts`, { cwd: ROOT });
}

/** Test files that may turn red when a defence in `file` is gone: those beside it and those of its threats. */
export function testsOf({ threats }: Mutation, file: string): string[] {
  const beside = globSync(`${dirname(file)}/*.{test,browser}.ts`, { cwd: ROOT });
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
