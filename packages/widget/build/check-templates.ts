import type { Plugin } from 'vite';

interface Syntax {
  readonly type?: string;
  readonly tag?: { readonly name?: string };
  readonly quasi?: { readonly quasis: readonly { readonly value: { readonly raw: string } }[] };
}

/** What stands for a value, as in `lit-subset.ts`. */
const MARK = '<!>';

/** Stops the build at a template that binds in a way which lit-html knows and `lit-subset.ts` does not. */
export function checkTemplates(): Plugin {
  return {
    name: 'check-templates',
    transform(code, id) {
      if (/\/lit(-html|-element)?\//.test(id))
        throw new Error(`Cannot bundle "${id}": lit-subset.ts stands in for Lit`);
      if (!/\/src\/.*\.ts$/.test(id) || !code.includes('html`')) return;
      for (const text of templatesOf(this.parse(code))) {
        const fault = faultOf(text);
        if (fault) throw new Error(`Cannot bind in ${id}: write name="\${x}", .name="\${x}" or >\${x}<, not ${fault}`);
      }
    },
  };
}

/** The first place in a template, values marked, that is no whole attribute, no property in small letters, no content. */
export function faultOf(text: string): string | undefined {
  const others = text.replace(/\s\.?[a-z-]+="<!>"/g, '').replace(/="[^"<]*"/g, '');
  return /<\/?[a-zA-Z][^>]*<!>|<(script|style|textarea|title)\b/.exec(others)?.[0];
}

function templatesOf(syntax: unknown): string[] {
  if (!syntax || typeof syntax !== 'object') return [];
  const { type, tag, quasi } = syntax as Syntax;
  const own = type === 'TaggedTemplateExpression' && tag?.name === 'html' && quasi;
  const text = own ? [own.quasis.map(({ value }) => value.raw).join(MARK)] : [];
  return [...text, ...Object.values(syntax).flatMap(templatesOf)];
}
