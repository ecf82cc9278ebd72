import { defineConfig } from 'vite';

/**
 * Builds server rendering as one module with its dependencies, so that users who don't render on the server don't have
 * to install them.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  publicDir: false,
  resolve: { conditions: ['source', 'module', 'node', 'production'] },
  ssr: { noExternal: true, resolve: { conditions: ['source', 'module', 'node', 'production'] } },
  build: {
    ssr: 'src/ssr/index.ts',
    target: 'es2022',
    emptyOutDir: false,
    license: { fileName: 'licenses/server.json' },
    rolldownOptions: { output: { format: 'es', entryFileNames: 'server.js' } },
  },
});
