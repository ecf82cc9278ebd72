import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { VERSION } from '../src/version.ts';

const FOLDER = fileURLToPath(new URL('../src/i18n/lang/', import.meta.url));

/**
 * Writes each language as a small file, such as `lang/de-1.2.3.json`. The name of the file contains the version, so
 * browsers can cache the file permanently.
 */
export function languageFiles(): Plugin {
  return {
    name: 'language-files',
    generateBundle() {
      for (const file of readdirSync(FOLDER)) {
        const source = JSON.stringify(JSON.parse(readFileSync(FOLDER + file, 'utf8')));
        this.emitFile({ type: 'asset', fileName: `lang/${file.replace('.json', `-${VERSION}.json`)}`, source });
      }
    },
  };
}
