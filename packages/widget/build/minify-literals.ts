import { transform } from 'lightningcss';
import type { Plugin } from 'vite';

/** Matches the content of a `css` literal that has no expressions. */
const STYLES = /css`([^`$]+)`/g;

/** Minifies `css` literals the same way that Vite minifies CSS files, then converts them to strings. */
export function minifyStyles(): Plugin {
  return {
    name: 'minify-styles',
    transform: {
      filter: { id: /\/(elements|extras|after-paint)\/.*styles\.ts$/ },
      handler: (code) => code.replaceAll(STYLES, (_, css: string) => `\`${minified(css)}\``),
    },
  };
}

/** Removes line breaks and indentation from `html` literals. */
export function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    transform: {
      filter: { id: /\/(elements|extras|after-paint)\/.*\.ts$/, code: 'html`' },
      handler(code) {
        const literals = literalsIn(this.parse(code));
        return literals.reduceRight(
          (text, { start, end }) => text.slice(0, start) + withoutBreaks(text.slice(start, end)) + text.slice(end),
          code,
        );
      },
    },
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The static parts of the `html` literals in `node`, in order. */
function literalsIn(node: unknown): readonly Range[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, tag, quasi } = node as { type?: string; tag?: { name?: string }; quasi?: { quasis: readonly Range[] } };
  const own = type === 'TaggedTemplateExpression' && tag?.name === 'html' ? (quasi?.quasis ?? []) : [];
  return [...own, ...Object.values(node).flatMap(literalsIn)].toSorted((a, b) => a.start - b.start);
}

/** A line break becomes one space, or nothing between two tags or parts. */
function withoutBreaks(html: string): string {
  return html.replaceAll(/(?<=[>}]|^)\s*\n\s*(?=[<$]|$)/g, '').replaceAll(/\s*\n\s*/g, ' ');
}

/** Lightning CSS writes `& a` for a nested `a`, which only browsers older than `:state()` need. */
function minified(css: string): string {
  const { code } = transform({ filename: 'styles.css', code: Buffer.from(css), minify: true });
  return code.toString().replaceAll(/(?<=[{},])& /g, '');
}
