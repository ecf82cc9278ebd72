import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { STYLE_FILE } from '@pulse-card/widget/server';
import { build } from 'esbuild';
import type { Embed } from './contestants.ts';

const HERE = import.meta.dirname;

/** Only this benchmark needs the 70 MB package, so it isn't a dependency. */
// renovate: datasource=npm
const TABLEAU = '@tableau/embedding-api@3.16.1';

/** The folder for the other embeds. */
const OTHERS = join(HERE, '../../.cache/embeds');

/** The embed files that a page downloads before any data. */
export interface Bundle {
  readonly script: Buffer;
  readonly style: Buffer;
}

/** The embed with all its dependencies as one script, minified for production. */
export async function bundleOf({ entry, packageName, script }: Embed): Promise<Bundle> {
  if (script === '') return { script: Buffer.alloc(0), style: Buffer.alloc(0) };
  if (entry === undefined) {
    const path = createRequire(import.meta.url).resolve(`${packageName}/${script}`);
    // The style sheet of the server-rendered card is next to the script.
    return { script: await readFile(path), style: await readFile(join(path, '..', STYLE_FILE)) };
  }
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', OTHERS, TABLEAU], { stdio: 'inherit' });
  return { script: await bundled(entry), style: Buffer.alloc(0) };
}

/** A file's transfer size in bytes, with Brotli compression at level 11. */
export function brotliBytes(file: Buffer): number {
  return file.length === 0 ? 0 : brotliCompressSync(file).length;
}

/** The installed version of the embed's package. */
export async function versionOf({ packageName }: Embed): Promise<string> {
  if (packageName === '') return '';
  const folder = packageName.startsWith('@pulse-card/') ? join(HERE, '..') : OTHERS;
  const path = join(folder, 'node_modules', packageName, 'package.json');
  return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
}

async function bundled(entry: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents: `import '${entry}';`, resolveDir: OTHERS },
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
  return Buffer.from(outputFiles[0]!.contents);
}
