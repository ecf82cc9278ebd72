import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';
import type { Plugin } from 'vite';
import { servedStyles, STYLE_FILE } from '../src/server/served-styles.ts';
import { squeezeCss } from './squeeze-templates.ts';

const FRAME = fileURLToPath(new URL('../src/frame/', import.meta.url));

/** The scripts of frames: that of the page around, and that of the page within. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'pulse-frame.js': 'frame-parent.ts',
  'pulse-frame-page.js': 'frame-page.ts',
};

/** Writes what pages need that a server renders: the style sheet, named after its content, and the scripts of frames. */
export function servedFiles(): Plugin {
  return {
    name: 'served-files',
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: STYLE_FILE, source: squeezeCss(servedStyles) });
      for (const [fileName, source] of Object.entries(SCRIPTS)) {
        const { code = '' } = await minify(stripTypeScriptTypes(readFileSync(FRAME + source, 'utf8')), {
          module: true,
        });
        this.emitFile({ type: 'asset', fileName, source: code });
      }
    },
    // The folder is not emptied, and another style sheet has another name.
    writeBundle({ dir = '' }) {
      for (const file of readdirSync(dir)) {
        if (/^pulse-card-\w+\.css$/.test(file) && file !== STYLE_FILE) rmSync(`${dir}/${file}`);
      }
    },
  };
}
