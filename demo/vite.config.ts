import { defineConfig, type InlineConfig } from 'vite';
import { answersPlugin } from './answers/answers-plugin.ts';
import { PAGES, shellPlugin } from './build/shell-plugin.ts';

/** Where the BFF is while developing, unless the environment says otherwise. */
const DEFAULT_BFF_URL = 'http://localhost:4020';

/** The set-up of the demo's pages, for a BFF at that address. */
export function demoConfig(bffUrl: string): InlineConfig {
  return {
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    appType: 'mpa',
    plugins: [shellPlugin(bffUrl), answersPlugin(bffUrl)],
    resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
    build: {
      target: 'es2022',
      rolldownOptions: { input: PAGES.map(({ file }) => `${import.meta.dirname}/${file}`) },
    },
  };
}

const { configFile: _, ...config } = demoConfig(process.env['VITE_PULSE_BFF_URL'] ?? DEFAULT_BFF_URL);

export default defineConfig({ ...config, server: { port: 4030, strictPort: true } });
