import { defineConfig } from 'vite';
import { checkTemplates } from './build/check-templates.ts';
import { languageFiles } from './build/language-files.ts';
import { servedFiles } from './build/served-files.ts';
import { squeezeTemplates } from './build/squeeze-templates.ts';

/** Members that are known in the file alone, beside those that begin with _$: in no page, answer, language file or shared store. */
const KNOWN_HERE_ALONE = 'modelChanged|subject|textOf|restart|chosen|unfolded|tries|controller|defaultBaseUrl';

/** The widget as one file that needs nothing else, with its languages beside it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [squeezeTemplates(), checkTemplates(), languageFiles(), servedFiles()],
  resolve: {
    alias: { 'lit/html.js': `${import.meta.dirname}/src/lit-subset.ts` },
    conditions: ['source', 'module', 'browser', 'production'],
  },
  build: {
    target: 'es2022',
    // tsc writes its modules to the same folder.
    emptyOutDir: false,
    modulePreload: false,
    // Terser leaves 0.2 kB less than Oxc does.
    minify: 'terser',
    terserOptions: {
      module: true,
      ecma: 2020,
      compress: { passes: 6, pure_getters: true, unsafe_arrows: true, unsafe_methods: true },
      mangle: { properties: { regex: new RegExp(`^(_\\$.*|${KNOWN_HERE_ALONE})$`) } },
      format: { comments: false },
    },
    rolldownOptions: {
      input: 'src/bundle.ts',
      output: { format: 'es', entryFileNames: 'pulse-card.js' },
    },
  },
});
