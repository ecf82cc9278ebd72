import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const METHODS = fileURLToPath(new URL('document-methods.ts', import.meta.url));

/** Matches Lit's files that use the global object. */
const LIT_FILE =
  /\/(?:lit-html\/lit-html|lit-element\/lit-element|reactive-element\/(?:reactive-element|css-tag))\.js$/;

/**
 * Gives Lit a `document` and a `globalThis` whose members can't be shadowed or added by elements such as `<img
 * name="createComment">` and `<img name="litHtmlVersions">` (DOM clobbering). Imports take precedence over globals.
 */
export function safeDocument(): Plugin {
  return {
    name: 'safe-document',
    transform: {
      filter: { id: LIT_FILE },
      handler: (code, id) => {
        const names = ['litGlobals as globalThis'];
        if (id.endsWith('/lit-html.js')) names.push('documentMethods as document');
        if (id.endsWith('/reactive-element.js')) names.push('litPropertyMetadata');
        return `import { ${names.join()} } from ${JSON.stringify(METHODS)};\n${code}`;
      },
    },
  };
}
