import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The card's languages, written by the card's own build. */
const LANGUAGES = join(dirname(fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js'))), 'lang');

/** The messages in each language, by the tag in the file's name: `de-0.1.0.json`. */
function translations(): Record<string, unknown> {
  const files = readdirSync(LANGUAGES).map((name) => [
    name.replace(/-\d.*$/, ''),
    JSON.parse(readFileSync(join(LANGUAGES, name), 'utf8')) as unknown,
  ]);
  return Object.fromEntries(files) as Record<string, unknown>;
}

/**
 * The MCP App's script: one file with the card, the code that runs only after a button is pressed, and all languages.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  publicDir: false,
  define: { TRANSLATIONS: JSON.stringify(translations()) },
  build: {
    target: 'es2022',
    // The compiler writes to the same folder.
    emptyOutDir: false,
    license: { fileName: 'licenses/pulse-card-app.json' },
    modulePreload: false,
    rolldownOptions: {
      input: { 'pulse-card-app': 'src/app/main.ts' },
      output: {
        format: 'es',
        codeSplitting: false,
        entryFileNames: '[name].js',
        postBanner: '/*! Contains Lit (BSD-3-Clause): THIRD-PARTY-NOTICES.txt */',
      },
    },
  },
});
