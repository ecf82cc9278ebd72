import { fileURLToPath } from 'node:url';

interface Font {
  readonly family: string;
  readonly weights: string;
  readonly file: string;
}

/** All fonts that a screenshot can use. The fonts come from npm, so that they are the same on every machine. */
const FONTS: readonly Font[] = [
  font('Inter Variable', '100 900', '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  font(
    'Noto Sans Arabic Variable',
    '100 900',
    '@fontsource-variable/noto-sans-arabic/files/noto-sans-arabic-arabic-wght-normal.woff2',
  ),
];

/** The CSS rules that declare the fonts in a page. */
export const FONT_FACES: string = FONTS.map(
  ({ family, weights }) =>
    `@font-face { font-family: '${family}'; font-weight: ${weights}; src: url('/fonts/${encodeURIComponent(family)}') format('woff2'); }`,
).join('\n');

/** The font file at a path in `FONT_FACES`. Undefined if no font has this path. */
export function fontFileOf(path: string): string | undefined {
  return FONTS.find(({ family }) => path === `/fonts/${encodeURIComponent(family)}`)?.file;
}

function font(family: string, weights: string, file: string): Font {
  return { family, weights, file: fileURLToPath(import.meta.resolve(file)) };
}
