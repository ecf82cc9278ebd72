import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import { guidesPlugin } from './guides-plugin.ts';

/** Where the BFF's private port is while these pages are worked on. */
const ADMIN_URL = process.env['VITE_PULSE_ADMIN_URL'] ?? 'http://localhost:4021';

const config: UserConfig = {
  root: import.meta.dirname,
  // Every address is relative, so that the pages work under any mount path.
  base: './',
  appType: 'mpa',
  plugins: [guidesPlugin()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // The oldest browsers with light-dark(): lowered, it would follow the page's scheme and not that of a pane.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // All but the status page lies below studio/.
    assetsDir: 'studio/assets',
    // The policy of these pages allows no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: globSync(['index.html', 'studio/**/*.html'], { cwd: import.meta.dirname }).map((file) =>
        join(import.meta.dirname, file),
      ),
    },
  },
  server: { port: 4030, strictPort: true, proxy: { '/studio/api': ADMIN_URL, '/studio/frames': ADMIN_URL } },
};

export default defineConfig(config);
