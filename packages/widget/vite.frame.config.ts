import { defineConfig } from 'vite';

/** Builds the scripts for iframes. This is a separate build, because the card's build can have only one script. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  publicDir: false,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    modulePreload: false,
    rolldownOptions: {
      input: { 'pulse-frame': 'src/frame/frame-parent.ts', 'pulse-frame-page': 'src/frame/frame-page.ts' },
      output: { format: 'es', topLevelVar: false, entryFileNames: '[name].js' },
    },
  },
});
