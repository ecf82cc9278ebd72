import { defineConfig } from 'vite';

/**
 * Builds server rendering as one module with its dependencies, so that users without server rendering don't have to
 * install these dependencies.
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
