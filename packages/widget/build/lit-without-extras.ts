import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** The hooks for polyfills and hydration, and the list of loaded versions, that Lit leaves on `globalThis`. */
const HOOK = /\b\w+\.(?:lit|reactive)\w+(?:PolyfillSupport|HydrateSupport)\b/g;
const VERSIONS = /\(\w+\.(?:lit|reactive)\w+Versions\?\?=\[\]\)\.push\("[^"]+"\)/;

const CSS_TAG = fileURLToPath(new URL('css-tag.ts', import.meta.url));

/** Leaves out what Lit has for browsers that the elements don't support. */
export function litForNewBrowsers(): Plugin {
  return {
    name: 'lit-for-new-browsers',
    config: () => ({
      resolve: { alias: [{ find: /^(\.|@lit\/reactive-element)\/css-tag\.js$/, replacement: CSS_TAG }] },
    }),
    transform: {
      filter: { id: /\/(lit-html|reactive-element|lit-element)\.js$/ },
      handler(code, id) {
        if (code.search(HOOK) < 0 || code.search(VERSIONS) < 0)
          throw new Error(`Cannot find the hooks of ${id}; fix build/lit-for-new-browsers.ts`);
        return code.replaceAll(HOOK, 'undefined').replace(VERSIONS, '0');
      },
    },
  };
}
