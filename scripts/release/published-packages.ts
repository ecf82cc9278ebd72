import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** The folders in `packages/` that are published to npm: all except those for private packages. */
export function publishedPackages(): string[] {
  return readdirSync(join(ROOT, 'packages')).filter((name) => manifestOf(name).private !== true);
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The fields of `package.json` that scripts read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly engines: { readonly node: string };
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports: Exports;
  readonly publishConfig: { readonly exports: Exports };
}

/** The `package.json` in a folder in `packages/`. */
export function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

/** The name of the file that pnpm packs a folder in `packages/` into. */
export function tarballOf(name: string): string {
  return `pulse-card-${name}-${manifestOf(name).version}.tgz`;
}
