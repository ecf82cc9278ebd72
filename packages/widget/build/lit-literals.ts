// Replaces Lit in a file whose templates another file renders.

/** A template that any copy of Lit can render. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): object {
  return { _$litType$: 1, strings, values };
}

/** The value that removes an attribute or renders nothing, in any copy of Lit. */
export const nothing: symbol = Symbol.for('lit-nothing');
