import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ThirdParty } from './notices.ts';

/** The entries of a file that Vite writes with `build.license`. */
interface LicenseEntry {
  readonly name: string;
  readonly version: string;
  readonly identifier: string | null;
  readonly text?: string | null;
}

/** The packages that Vite bundled, each once, according to the files of `build.license` in `folder`. */
export function bundledPackages(folder: string): ThirdParty[] {
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as LicenseEntry[]);
  const byName = new Map(entries.map((entry) => [`${entry.name}@${entry.version}`, entry]));
  return [...byName.values()].map(({ name, version, identifier, text }) => ({
    name,
    version,
    identifier: identifier ?? 'unknown',
    author: `the authors of ${name}`,
    text: text ?? '',
  }));
}

/** The packages under one of pnpm's `node_modules` folders. */
export function installedPackages(modules: string): ThirdParty[] {
  const store = join(modules, '.pnpm');
  const found = readdirSync(store).flatMap((entry) => packagesIn(join(store, entry, 'node_modules')));
  const byName = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName.values()].filter(({ name }) => !name.startsWith('@pulse-card/'));
}

function packagesIn(folder: string): ThirdParty[] {
  return list(folder)
    .flatMap((name) => (name.startsWith('@') ? list(join(folder, name)).map((part) => join(name, part)) : [name]))
    .flatMap((name) => packageAt(join(folder, name)));
}

/** The package in a folder. */
export function packageAt(folder: string): ThirdParty[] {
  const manifest = readIfThere(join(folder, 'package.json'));
  if (manifest === undefined) return [];
  const { name, version, license, author } = JSON.parse(manifest) as Manifest;
  const file = list(folder).find((entry) => /^(licen[cs]e|copying)\b/i.test(entry));
  return [
    {
      name,
      version,
      identifier: typeof license === 'string' ? license : (license?.type ?? 'unknown'),
      author: (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`,
      text: file === undefined ? '' : (readIfThere(join(folder, file)) ?? ''),
    },
  ];
}

/** The folder of a package that the file `from` imports. */
export function folderOf(name: string, from: string): string {
  return dirname(createRequire(from).resolve(`${name}/package.json`));
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
