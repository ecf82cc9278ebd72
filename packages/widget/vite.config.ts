import { defineConfig } from 'vite';
import { languageFiles } from './build/language-files.ts';
import { lazyFiles } from './build/lazy-files.ts';
import { minifyStyles, minifyTemplates } from './build/minify-literals.ts';
import { AFTER, guardOf, LICENSES } from './build/page-guard.ts';
import { safeDocument } from './build/safe-document.ts';
import { MINIFY, OPTIMIZATION } from './build/short-names.ts';
import { styleFile } from './build/style-file.ts';

/**
 * Builds the files that pages load: the card as one file, the languages, and the style sheet.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [minifyStyles(), minifyTemplates(), safeDocument(), lazyFiles(), languageFiles(), styleFile()],
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    // Other builds write to the same folder.
    emptyOutDir: false,
    license: { fileName: 'licenses/pulse-card.json' },
    modulePreload: false,
    rolldownOptions: {
      optimization: OPTIMIZATION,
      input: { 'pulse-card': 'src/cdn.ts' },
      output: {
        format: 'es',
        minify: MINIFY,
        // The minifier inlines constants only if they stay `const`.
        topLevelVar: false,
        entryFileNames: '[name].js',
        banner: guardOf('pulse-card'),
        footer: AFTER,
        postBanner: LICENSES,
      },
    },
  },
});
