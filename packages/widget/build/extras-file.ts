import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { internalNames } from './internal-names.ts';
import { minifyStyles, minifyTemplates } from './minify-literals.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOADER = fileURLToPath(new URL('../src/elements/pulse-card/load-extras-file.ts', import.meta.url));

/** How many characters of the file's SHA-256 are in its name. */
const HASH_LENGTH = 16;

/**
 * Builds the `pulse-card-extras-<hash>.js` file, which is next to the script. The file has the code that is loaded only
 * for a press or an attribute. Defines the file's name and digest for the script. `emits` is false if another script's
 * build writes the file.
 */
export function extrasFile({ emits = true } = {}): Plugin {
  let file: { readonly name: string; readonly code: string };
  return {
    name: 'extras-file',
    async config() {
      const code = await buildExtras();
      const sha256 = createHash('sha256').update(code).digest();
      file = { name: `pulse-card-extras-${sha256.toString('hex').slice(0, HASH_LENGTH)}.js`, code };
      return {
        define: {
          EXTRAS_FILE: JSON.stringify(file.name),
          EXTRAS_INTEGRITY: JSON.stringify(`sha256-${sha256.toString('base64')}`),
        },
        resolve: { alias: [{ find: /^\.\/load-extras\.ts$/, replacement: LOADER }] },
      };
    },
    generateBundle() {
      if (emits) this.emitFile({ type: 'asset', fileName: file.name, source: file.code });
    },
    // The build doesn't empty the folder, and each version of the file has a different name.
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir))
        if (/^pulse-card-extras-\w+\.js$/.test(name) && name !== file.name) rmSync(`${dir}/${name}`);
    },
  };
}

async function buildExtras(): Promise<string> {
  const output = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [internalNames(), minifyStyles(), minifyTemplates()],
    resolve: {
      conditions: ['source', 'module', 'browser', 'production'],
      // Templates are objects. The main script has the code that renders them.
      alias: [{ find: /^lit$/, replacement: fileURLToPath(new URL('lit-literals.ts', import.meta.url)) }],
    },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: 'src/extras/index.ts',
        preserveEntrySignatures: 'strict',
        output: { format: 'es', topLevelVar: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return output.output[0].code;
}
