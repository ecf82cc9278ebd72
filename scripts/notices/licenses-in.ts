import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledFile } from './bundles.ts';
import { digestOf } from './bundles.ts';

/**
 * Our own packages, whose bundled files are identified by their content. Other packages are identified by their
 * manifests.
 */
const OWN = ['', 'node_modules/.pnpm/@pulse-card+*/node_modules/@pulse-card/*/'];

/** The third-party packages in a folder, each as `name version`. */
export interface LicenseReport {
  /** Packages whose code is part of a bundle. */
  readonly bundled: readonly string[];
  /** Packages that are installed unchanged. */
  readonly installed: readonly string[];
  /** Packages that no notice file lists. */
  readonly missing: readonly string[];
}

/** Finds the packages inside an unpacked tarball or an image's folder, and the packages that its notice files leave out. */
export function licensesIn(folder: string, bundles: readonly BundledFile[]): LicenseReport {
  const byDigest = new Map(bundles.map((file) => [file.digest, file]));
  const files = ownFiles(folder, '*.{js,css,woff2}');
  const found = files.flatMap((file) => byDigest.get(digestOf(readFileSync(join(folder, file))))?.packages ?? []);
  const unknown = files.filter((file) => isBundle(file) && !byDigest.has(digestOf(readFileSync(join(folder, file)))));
  if (unknown.length > 0) throw new Error(`Cannot identify the packages in ${unknown.join(', ')}: run the build again`);
  const bundled = [...new Set(found)].toSorted();
  const installed = installedIn(folder);
  const named = namedIn(folder);
  return { bundled, installed, missing: [...bundled, ...installed].filter((name) => !named.has(name)) };
}

function ownFiles(folder: string, name: string): string[] {
  return globSync(
    OWN.map((own) => `${own}dist/**/${name}`),
    { cwd: folder },
  );
}

/** Whether a file comes from a bundler, so that its path doesn't show which packages it contains. */
function isBundle(file: string): boolean {
  return /(^|\/)dist\/(studio\/.*\.js|pulse-[\w-]+\.js|server\.js)$/.test(file);
}

function installedIn(folder: string): string[] {
  const manifests = globSync('node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json', { cwd: folder });
  const packages = manifests
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { name: string; version: string })
    .filter(({ name }) => !name.startsWith('@pulse-card/'));
  return [...new Set(packages.map(({ name, version }) => `${name} ${version}`))].toSorted();
}

function namedIn(folder: string): Set<string> {
  const notices = [
    ...globSync('THIRD-PARTY-NOTICES.txt', { cwd: folder }),
    ...ownFiles(folder, 'THIRD-PARTY-NOTICES.txt'),
  ];
  const text = notices.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return new Set(Array.from(text.matchAll(/^(\S+ \d\S*) \(.+\)$/gm), ([, name = '']) => name));
}
