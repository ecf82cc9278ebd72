import { readdirSync, rmSync } from 'node:fs';
import type { Plugin } from 'vite';
import { serverStyles, STYLE_FILE } from '../src/ssr/stylesheet.ts';

/** Writes the style sheet for server-rendered cards. The file name contains a hash of the content. */
export function styleFile(): Plugin {
  return {
    name: 'style-file',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: STYLE_FILE, source: serverStyles });
    },
    // Deletes earlier versions, because the build doesn't empty the folder and each version has a different file name.
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir)) {
        if (/^pulse-card-\w+\.css$/.test(file) && file !== STYLE_FILE) rmSync(`${dir}/${file}`);
      }
    },
  };
}
