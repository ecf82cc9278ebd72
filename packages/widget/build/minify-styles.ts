import { transform } from 'lightningcss';
import type { Plugin } from 'vite';

/** The content of a `css` literal that has no expressions. */
const LITERAL = /css`([^`$]+)`/g;

/**
 * Has Vite's own minifier for CSS do for `css` literals what it does for files. They are constants, so the tag, which checks
 * expressions, is left out of the bundle.
 */
export function minifyStyles(): Plugin {
  return {
    name: 'minify-styles',
    transform: {
      filter: { id: /\/elements\/.*(styles|tokens)\.ts$/ },
      handler: (code) =>
        code
          .replace(/\bcss\b(?=.* from ['"]lit['"])/, 'unsafeCSS')
          .replaceAll(LITERAL, (_, css: string) => `unsafeCSS(\`${minified(css)}\`)`),
    },
  };
}

function minified(css: string): string {
  return transform({ filename: 'styles.css', code: Buffer.from(css), minify: true }).code.toString();
}
