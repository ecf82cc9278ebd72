// Writes THIRD-PARTY-NOTICES.txt for what a build has bundled, according to Vite. A build calls it as
//   node --conditions=source scripts/notices.ts packages       the packages, and the Studio in demo/dist
//   node --conditions=source scripts/notices.ts preview        the Studio in demo/dist-preview
//   node --conditions=source scripts/notices.ts image FOLDER   the installed packages in FOLDER, which becomes an image
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';
import { runMain, UsageError } from './usage.ts';

/** A third-party package whose code we ship. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** Its SPDX identifier. */
  readonly identifier: string;
  /** The copyright holder, if the package has no license file. */
  readonly author?: string | undefined;
  /** Its license file, if it has one. */
  readonly text?: string | null | undefined;
}

const INTER = join(ROOT, 'demo/node_modules/@fontsource-variable/inter');

if (process.argv[1] === import.meta.filename)
  await runMain(() => {
    const [what, folder] = process.argv.slice(2);
    if (what === 'packages') writeForPackages();
    else if (what === 'preview') writeForStudio(join(ROOT, 'demo/dist-preview'));
    else if (what === 'image' && folder !== undefined) write(folder, 'This image', installedIn(folder));
    else throw new UsageError('Usage: notices.ts packages | preview | image FOLDER');
  });

function writeForPackages(): void {
  const distOf = (name: string) => join(ROOT, 'packages', name, 'dist');
  for (const name of ['contract', 'token', 'doctor', 'service']) write(distOf(name), `@pulse-card/${name}`, []);
  for (const name of ['widget', 'mcp']) write(distOf(name), `@pulse-card/${name}`, takeBundled(distOf(name)));
  write(distOf('bff'), '@pulse-card/bff', writeForStudio(join(ROOT, 'demo/dist')));
}

/** Writes the Studio's notices, with its font's license next to the font's files. Returns what the Studio contains. */
function writeForStudio(folder: string): ThirdParty[] {
  const packages = [...takeBundled(folder), packageAt(INTER)];
  write(folder, 'The Studio', packages);
  cpSync(join(INTER, 'LICENSE'), join(folder, 'studio/assets/inter-LICENSE.txt'));
  return packages;
}

function write(folder: string, what: string, packages: readonly ThirdParty[]): void {
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesText(what, packages));
}

/** Reads the bundled packages from the files of Vite's `build.license` and removes these files from the build. */
function takeBundled(folder: string): ThirdParty[] {
  const licenses = join(folder, 'licenses');
  const files = globSync('*.json', { cwd: licenses }).map((file) => readFileSync(join(licenses, file), 'utf8'));
  rmSync(licenses, { recursive: true });
  return files.flatMap((file) => JSON.parse(file) as ThirdParty[]);
}

/** The packages under a `node_modules` folder of pnpm. */
function installedIn(folder: string): ThirdParty[] {
  const manifests = globSync('node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json', { cwd: folder });
  const packages = manifests.map((file) => packageAt(join(folder, file, '..')));
  return packages.filter(({ name }) => !name.startsWith('@pulse-card/'));
}

function packageAt(folder: string): ThirdParty {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e,COPYING}*', { cwd: folder });
  return {
    name,
    version,
    identifier: typeof license === 'string' ? license : (license?.type ?? 'unknown'),
    author: typeof author === 'string' ? author : author?.name,
    text: file && readFileSync(join(folder, file), 'utf8'),
  };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
}

/** The text of `THIRD-PARTY-NOTICES.txt` for a build that contains these packages. A package can appear twice. */
export function noticesText(what: string, packages: readonly ThirdParty[]): string {
  if (packages.length === 0)
    return `${what} contains no third-party code. Its dependencies are separate packages with their own licenses.\n`;
  const notices = new Set(packages.map((one) => noticeOf(one, packages)));
  const intro = `${what} contains code of the following packages.`;
  return `${[intro, ...[...notices].toSorted()].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function noticeOf(one: ThirdParty, all: readonly ThirdParty[]): string {
  return `${one.name} ${one.version} (${one.identifier})\n\n${(one.text || standardText(one, all)).trim()}`;
}

/**
 * The license text of a package without a license file: the text from another package, but with this package's
 * copyright line.
 */
function standardText({ name, identifier, author }: ThirdParty, all: readonly ThirdParty[]): string {
  const text = all.find((one) => one.identifier === identifier && one.text)?.text;
  if (!text)
    throw new Error(`Cannot find the license text of ${name}: it declares ${identifier}, but has no license file`);
  const terms = text.split('\n').filter((line) => !/^\s*copyright\b/i.test(line));
  return [`Copyright (c) ${author ?? `the authors of ${name}`}`, ...terms].join('\n');
}
