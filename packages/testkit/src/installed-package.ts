import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './root.ts';

/** The `package.json` fields that are read here. */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * A folder with one of our packages installed, as a user would have it. It contains only the package and its
 * dependencies.
 */
export interface Consumer {
  readonly folder: string;
  /** The package's folder. */
  readonly installed: string;
  readonly facts: PackageFacts & Readonly<Record<string, unknown>>;
  close(): void;
}

/** Packs a package the way a release does and installs the tarball with its dependencies in a new folder. */
export function consumerOf(packageFolder: string, alsoInstalled: readonly string[] = []): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-consumer-'));
  const tarball = pack(join(ROOT, packageFolder), folder);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
  const facts = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as PackageFacts;
  const installed = join(folder, 'node_modules', facts.name);
  mkdirSync(dirname(installed), { recursive: true });
  execFileSync('mv', [unpacked, installed]);
  const wanted = new Set([...Object.keys({ ...facts.dependencies, ...facts.peerDependencies }), ...alsoInstalled]);
  for (const name of wanted) link(join(ROOT, packageFolder, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  return { folder, installed, facts: { ...facts }, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The examples on a docs page that `testFile` runs. A comment before each example mentions `testFile`. */
export function examplesIn(page: string, testFile: string): string[] {
  const [, ...parts] = readFileSync(join(ROOT, page), 'utf8').split(`<!-- example: run by ${testFile} -->\n\`\`\`ts\n`);
  if (parts.length === 0) throw new Error(`Can’t find an example in ${page}: no comment mentions ${testFile}`);
  return parts.map((code) => code.slice(0, code.indexOf('```')));
}

/** The compiler options of a strict project outside this repository. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  types: [],
  // Skips only TypeScript’s own libraries. The package’s types are still checked.
  skipDefaultLibCheck: true,
};

/** The compiler's errors in files in the consumer's folder. Empty if the types are correct. */
export function typeFaults(folder: string, files: readonly string[], options: object = {}): string {
  const project = join(folder, `${files.join('-')}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...options }, files }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' }).stdout;
}

function pack(packageFolder: string, destination: string): string {
  const args = [join(ROOT, 'scripts/pnpm.ts'), 'pack', '--pack-destination', destination];
  execFileSync(process.execPath, args, { cwd: packageFolder, stdio: 'pipe' });
  const tarball = readdirSync(destination).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`Can’t install ${packageFolder}: pnpm packed no file`);
  return join(destination, tarball);
}

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}
