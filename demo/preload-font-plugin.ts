import type { Plugin } from 'vite';

/** The font file with the basic Latin letters. Files for other scripts are loaded when a page needs them. */
const FONT = /inter-latin-wght-normal.*\.woff2$/;

/** Preloads the pages' font, so that text doesn't change width after it's drawn. */
export function preloadFontPlugin(): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {}, path }) {
        const font = Object.keys(bundle).find((name) => FONT.test(name));
        if (font === undefined) return [];
        const href = '../'.repeat(path.split('/').length - 2) + font;
        const attrs = { rel: 'preload', href, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}
