// What stands for Lit in a file that another one renders.

/** A template as Lit renders it, whatever copy of Lit made it. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): object {
  return { _$litType$: 1, strings, values };
}

/** Styles without expressions. */
export function css(strings: TemplateStringsArray): { readonly cssText: string } {
  return { cssText: strings[0] as string };
}
