/**
 * Styles as one style sheet that all elements share. Replaces Lit's version, which also supports browsers without
 * shared style sheets.
 */
export class CSSResult {
  readonly cssText: string;
  #sheet: CSSStyleSheet | undefined;

  constructor(cssText: string) {
    this.cssText = cssText;
  }

  get styleSheet(): CSSStyleSheet {
    if (!this.#sheet) (this.#sheet = new CSSStyleSheet()).replaceSync(this.cssText);
    return this.#sheet;
  }
}

/** Styles without expressions. */
export const css = ([cssText]: TemplateStringsArray): CSSResult => new CSSResult(cssText as string);

export const unsafeCSS = (cssText: string): CSSResult => new CSSResult(cssText);

export const getCompatibleStyle = (style: CSSResult): CSSResult => style;

export const adoptStyles = (root: ShadowRoot, styles: readonly CSSResult[]): void => {
  root.adoptedStyleSheets = styles.map(({ styleSheet }) => styleSheet);
};

export const supportsAdoptingStyleSheets = true;
