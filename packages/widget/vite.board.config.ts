import { defineConfig } from 'vite';
import { lazyFiles } from './build/lazy-files.ts';
import { minifyStyles, minifyTemplates } from './build/minify-literals.ts';
import { AFTER, guardOf, LICENSES } from './build/page-guard.ts';
import { safeDocument } from './build/safe-document.ts';
import { MINIFY, OPTIMIZATION } from './build/short-names.ts';

/**
 * Builds the board and the card as one file. This is a separate build, because two entries in one build would share
 * chunks.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  publicDir: false,
  plugins: [minifyStyles(), minifyTemplates(), safeDocument(), lazyFiles({ emits: false })],
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    license: { fileName: 'licenses/pulse-board.json' },
    modulePreload: false,
    rolldownOptions: {
      optimization: OPTIMIZATION,
      input: { 'pulse-board': 'src/cdn-board.ts' },
      output: {
        format: 'es',
        minify: MINIFY,
        topLevelVar: false,
        entryFileNames: '[name].js',
        banner: guardOf('pulse-board'),
        footer: AFTER,
        postBanner: LICENSES,
      },
    },
  },
});
