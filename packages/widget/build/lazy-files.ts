import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { minifyStyles, minifyTemplates } from './minify-literals.ts';
import { MINIFY, OPTIMIZATION } from './short-names.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE_IMPORTS = aliasTo('../src/lazy/file-imports.ts');

/** The number of hash characters in a file name. */
const HASH_LENGTH = 16;

const FILE = /^pulse-card-(?:after-paint|extras)-\w+\.js$/;

interface LazyFile {
  readonly name: string;
  readonly code: string;
  readonly integrity: string;
}

/**
 * Builds the two files next to the script: `pulse-card-after-paint-<hash>.js`, which is loaded once the first card is
 * shown or has failed, and `pulse-card-extras-<hash>.js`, which is loaded only when a button or an attribute needs it.
 * Tells the script their names and digests. `emits` is false if another script's build writes the files.
 */
export function lazyFiles({ emits = true } = {}): Plugin {
  let files: readonly LazyFile[];
  return {
    name: 'lazy-files',
    async config() {
      const [afterPaint, extras] = await Promise.all([buildFile('after-paint'), buildFile('extras')]);
      files = [afterPaint, extras];
      return {
        define: { AFTER_PAINT: factsOf(afterPaint), EXTRAS: factsOf(extras) },
        resolve: { alias: [{ find: /^\.\/imports\.ts$/, replacement: FILE_IMPORTS }] },
      };
    },
    generateBundle() {
      if (emits) for (const { name, code } of files) this.emitFile({ type: 'asset', fileName: name, source: code });
    },
    // Deletes earlier versions, because the build doesn't empty the folder and each version has a different file name.
    writeBundle({ dir = '' }) {
      const isOld = (name: string): boolean => FILE.test(name) && files.every((file) => file.name !== name);
      for (const name of readdirSync(dir).filter(isOld)) rmSync(`${dir}/${name}`);
    },
  };
}

/** The path of a file as the replacement of an alias. In a replacement, `$` is written as `$$`. */
function aliasTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url)).replaceAll('$', '$$$$');
}

function factsOf({ name, integrity }: LazyFile): string {
  return JSON.stringify({ name, integrity });
}

async function buildFile(folder: 'after-paint' | 'extras'): Promise<LazyFile> {
  const { output } = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [minifyStyles(), minifyTemplates()],
    resolve: {
      conditions: ['source', 'module', 'browser', 'production'],
      // Templates are objects. The main script contains the code that renders them.
      alias: [{ find: /^lit$/, replacement: aliasTo('lit-literals.ts') }],
    },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        optimization: OPTIMIZATION,
        input: `src/${folder}/index.ts`,
        preserveEntrySignatures: 'strict',
        output: { format: 'es', topLevelVar: false, minify: MINIFY },
      },
    },
  })) as Rolldown.RolldownOutput;
  const { code } = output[0];
  const sha256 = createHash('sha256').update(code).digest();
  const name = `pulse-card-${folder}-${sha256.toString('hex').slice(0, HASH_LENGTH)}.js`;
  return { name, code, integrity: `sha256-${sha256.toString('base64')}` };
}
