import { readdirSync, rmSync } from 'node:fs';
import type { Plugin } from 'vite';
import { serverStyles, STYLE_FILE } from '../src/ssr/stylesheet.ts';

/** Writes the style sheet for server-rendered cards. The name of the file contains a hash of its content. */
export function styleFile(): Plugin {
  return {
    name: 'style-file',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: STYLE_FILE, source: serverStyles });
    },
    // The build doesn't empty the folder, and each version of the style sheet has a different name.
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir)) {
        if (/^pulse-card-\w+\.css$/.test(file) && file !== STYLE_FILE) rmSync(`${dir}/${file}`);
      }
    },
  };
}
