import { transform } from 'lightningcss';
import type { Plugin } from 'vite';

/** The content of a `css` literal that has no expressions. */
const LITERAL = /css`([^`$]+)`/g;

/** Has Vite's own minifier for CSS do for `css` literals what it does for files. */
export function minifyStyles(): Plugin {
  return {
    name: 'minify-styles',
    transform: {
      filter: { id: /\/elements\/.*(styles|tokens)\.ts$/ },
      handler: (code) => code.replaceAll(LITERAL, (_, css: string) => `css\`${minified(css)}\``),
    },
  };
}

function minified(css: string): string {
  return transform({ filename: 'styles.css', code: Buffer.from(css), minify: true }).code.toString();
}
