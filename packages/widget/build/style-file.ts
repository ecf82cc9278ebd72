import { readdirSync, rmSync } from 'node:fs';
import type { Plugin } from 'vite';
import { serverStyles, STYLE_FILE } from '../src/ssr/stylesheet.ts';

/** Writes the style sheet of cards that a server rendered, named after its content. */
export function styleFile(): Plugin {
  return {
    name: 'style-file',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: STYLE_FILE, source: serverStyles });
    },
    // The folder is not emptied, and another style sheet has another name.
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir)) {
        if (/^pulse-card-\w+\.css$/.test(file) && file !== STYLE_FILE) rmSync(`${dir}/${file}`);
      }
    },
  };
}
