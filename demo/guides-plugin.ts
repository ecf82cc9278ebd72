import { lexer } from 'marked';
import type { Plugin } from 'vite';

/** Reads the Markdown of docs/ while the Studio is built: `import guide from '…/embed.md'` is its tokens, as `marked` has them. */
export function guidesPlugin(): Plugin {
  return {
    name: 'guides',
    transform: {
      filter: { id: /\.md$/ },
      handler: (text) => ({ code: `export default ${JSON.stringify(lexer(text))};`, map: null }),
    },
  };
}
