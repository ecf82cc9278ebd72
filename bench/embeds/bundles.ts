import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Embed } from './embed.ts';

const HERE = import.meta.dirname;

/** What a page downloads of an embed before any data. */
export interface Bundle {
  readonly script: Buffer;
  readonly style: Buffer;
}

/** A size in bytes, as it is and as it travels. */
export interface Weight {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** The embed with all its dependencies as one script and one style sheet, minified for production. */
export async function bundleOf({ entry, packageName, script }: Embed): Promise<Bundle> {
  if (script === '') return { script: Buffer.alloc(0), style: Buffer.alloc(0) };
  if (entry === undefined) {
    const path = createRequire(import.meta.url).resolve(`${packageName}/${script}`);
    return { script: await readFile(path), style: Buffer.alloc(0) };
  }
  const files = await Promise.all([outputOf(entry, 'ts'), outputOf(entry, 'css').catch(() => [])]);
  const contentsOf = (ending: string) =>
    Buffer.concat(files.flat().flatMap(({ path, contents }) => (path.endsWith(ending) ? [contents] : [])));
  return { script: contentsOf('.js'), style: contentsOf('.css') };
}

/** How heavy a file is: gzip at level 9, brotli at 11. */
export function weightOf(file: Buffer): Weight {
  const { length } = file;
  if (length === 0) return { minified: 0, gzip: 0, brotli: 0 };
  const brotli = brotliCompressSync(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  return { minified: length, gzip: gzipSync(file, { level: 9 }).length, brotli };
}

/** The version that is installed. */
export async function versionOf({ packageName }: Embed): Promise<string> {
  const path = join(HERE, '../node_modules', packageName, 'package.json');
  return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
}

async function outputOf(entry: string, ending: 'ts' | 'css') {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, 'entries', `${entry}.${ending}`)],
    outdir: join(HERE, 'bundled'),
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: ['production', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles;
}
