import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const METHODS = fileURLToPath(new URL('document-methods.ts', import.meta.url));

/**
 * Gives Lit a `document` whose methods no element can hide, such as `<img name="createComment">` (DOM clobbering).
 * The import takes precedence over the global.
 */
export function safeDocument(): Plugin {
  return {
    name: 'safe-document',
    transform: {
      filter: { id: /\/lit-html\/lit-html\.js$/ },
      handler: (code) => `import { documentMethods as document } from ${JSON.stringify(METHODS)};\n${code}`,
    },
  };
}
