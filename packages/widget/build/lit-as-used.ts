import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Lit's code that reads hooks for polyfills and hydration from `globalThis`, and adds its version to a list there. */
const HOOK = /\b\w+\.(?:lit|reactive)\w+(?:PolyfillSupport|HydrateSupport)\b/g;
const VERSIONS = /\(\w+\.(?:lit|reactive)\w+Versions\?\?=\[\]\)\.push\("[^"]+"\)/;

/** The function that finds the directive in a value. Without directives, the function returns the value. */
const RESOLVE_DIRECTIVE =
  /(function \w+\(\w,(\w)),\w=\w,\w\)\{if\(\2===\w\)return \2;[^;]*;[^;]*_\$litDirective\$;return [^}]*,(?=\2\}class)/;

const CSS_TAG = fileURLToPath(new URL('css-tag.ts', import.meta.url));

/** Removes Lit's code for old browsers, which the elements don't support, and for directives, which they don't use. */
export function litAsUsed(): Plugin {
  return {
    name: 'lit-as-used',
    config: () => ({
      resolve: { alias: [{ find: /^(\.|@lit\/reactive-element)\/css-tag\.js$/, replacement: CSS_TAG }] },
    }),
    transform: {
      filter: { id: /\/(lit-html|reactive-element|lit-element|directive)\.js$/ },
      handler(code, id) {
        if (id.endsWith('/directive.js')) throw new Error('An element uses a directive; fix build/lit-as-used.ts');
        const patterns = id.endsWith('/lit-html.js') ? [HOOK, VERSIONS, RESOLVE_DIRECTIVE] : [HOOK, VERSIONS];
        if (patterns.some((pattern) => code.search(pattern) < 0))
          throw new Error(`Cannot find the code to remove from ${id}; fix build/lit-as-used.ts`);
        return code.replaceAll(HOOK, 'undefined').replace(VERSIONS, '0').replace(RESOLVE_DIRECTIVE, '$1){return ');
      },
    },
  };
}
