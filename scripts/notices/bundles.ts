import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../run.ts';

/** A file of a bundle. */
export interface BundledFile {
  readonly name: string;
  /** The SHA-256 of its content, which identifies the file in a package. */
  readonly digest: string;
  /** The packages whose code or files are in this file, as `name version`. */
  readonly packages: readonly string[];
}

/** The Vite configurations whose output is published. */
const CONFIGS = [
  ['packages/widget', 'vite.config.ts'],
  ['packages/widget', 'vite.board.config.ts'],
  ['packages/widget', 'vite.server.config.ts'],
  ['packages/mcp', 'vite.config.ts'],
  ['demo', 'vite.config.ts'],
] as const;

/** Builds all bundles again without writing them, and finds the packages in each file. */
export async function bundledFiles(): Promise<BundledFile[]> {
  const bundles: BundledFile[] = [];
  for (const [folder, config] of CONFIGS) {
    const root = join(ROOT, folder);
    // The paths in the comments of an unminified bundle are relative to this folder.
    process.chdir(root);
    const { build } = (await import(viteOf(root))) as { build: (options: object) => Promise<Bundle> };
    const { output } = await build({
      root,
      configFile: join(root, config),
      logLevel: 'silent',
      build: { write: false },
    });
    bundles.push(...output.map(bundledFile));
  }
  process.chdir(ROOT);
  return bundles;
}

/** The SHA-256 of a file's content. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

interface Bundle {
  readonly output: readonly (Chunk | Asset)[];
}

interface Chunk {
  readonly type: 'chunk';
  readonly fileName: string;
  readonly code: string;
  readonly modules: Readonly<Record<string, { readonly renderedLength: number }>>;
}

interface Asset {
  readonly type: 'asset';
  readonly fileName: string;
  readonly source: string | Uint8Array;
  readonly originalFileNames: readonly string[];
}

function bundledFile(file: Chunk | Asset): BundledFile {
  const content = file.type === 'chunk' ? file.code : file.source;
  const paths =
    file.type === 'chunk' ? renderedModules(file) : file.originalFileNames.map((path) => join(ROOT, 'demo', path));
  const packages = new Set(paths.flatMap((path) => packageOf(path) ?? []));
  return { name: file.fileName, digest: digestOf(content), packages: [...packages].toSorted() };
}

function renderedModules({ modules }: Chunk): string[] {
  return Object.entries(modules).flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path] : []));
}

/** The package of a file under `node_modules`, as `name version`. */
function packageOf(path: string): string | undefined {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
  if (folder === undefined) return undefined;
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return `${name} ${version}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

function viteOf(root: string): string {
  return pathToFileURL(createRequire(join(root, 'package.json')).resolve('vite')).href;
}
