import { transform } from 'lightningcss';
import type { Plugin } from 'vite';

/** Matches the content of a `css` literal that has no expressions. */
const STYLES = /css`([^`$]+)`/g;

/** Matches an `html` literal up to the first literal within it. */
const TEMPLATE = /html`[^`]+/g;

/** Minifies `css` literals as Vite minifies CSS files, and turns them into strings. */
export function minifyStyles(): Plugin {
  return {
    name: 'minify-styles',
    transform: {
      filter: { id: /\/(elements|extras|after-paint)\/.*styles\.ts$/ },
      handler: (code) => code.replaceAll(STYLES, (_, css: string) => `\`${minified(css)}\``),
    },
  };
}

/**
 * Replaces line breaks and indents in `html` literals with one space, because browsers show line breaks and indents as
 * one space.
 */
export function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    transform: {
      filter: { id: /\/(elements|extras|after-paint)\/.*\.ts$/ },
      handler: (code) => code.replaceAll(TEMPLATE, (html) => html.replaceAll(/\s*\n\s*/g, ' ')),
    },
  };
}

function minified(css: string): string {
  return transform({ filename: 'styles.css', code: Buffer.from(css), minify: true }).code.toString();
}
