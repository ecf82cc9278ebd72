import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import { compressPlugin } from './compress-plugin.ts';
import { preloadFontPlugin } from './preload-font-plugin.ts';

/** The BFF's admin port during development. */
const ADMIN_URL = process.env['VITE_PULSE_ADMIN_URL'] ?? 'http://localhost:4021';

/** The pages about a running BFF, which the preview omits. */
const SERVED_PAGES = ['index.html', 'studio/check/index.html', 'studio/status/index.html'];

/** The pages in a build: all pages, or, in `preview` mode, only the pages that don't need a BFF. */
function pagesFor(mode: string): string[] {
  const pages = globSync(['index.html', 'studio/**/*.html'], { cwd: import.meta.dirname });
  return pages.filter((file) => mode !== 'preview' || !SERVED_PAGES.includes(file));
}

const configFor = (mode: string): UserConfig => ({
  root: import.meta.dirname,
  // Every URL is relative, so that the pages work under any mount path.
  base: './',
  appType: 'mpa',
  plugins: [preloadFontPlugin(), compressPlugin()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: mode === 'preview' ? 'dist-preview' : 'dist',
    target: 'es2022',
    license: { fileName: 'licenses/studio.json' },
    // The oldest browsers that support light-dark().
    // For older ones, it would be transpiled to the page's scheme, not the pane's.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // All pages except the status page are below studio/.
    assetsDir: 'studio/assets',
    // These pages' policy doesn't allow data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: pagesFor(mode).map((file) => join(import.meta.dirname, file)),
    },
  },
  server: { port: 4030, strictPort: true, proxy: { '/studio/api': ADMIN_URL, '/studio/frames': ADMIN_URL } },
});

export default defineConfig(({ mode }) => configFor(mode));
