import { type CSSResult, unsafeCSS } from 'lit';
import { type AfterPaint, type Extras, importAfterPaint, importExtras } from './imports.ts';
import { Lazy } from './lazy.ts';

/** Code that is loaded when it is first needed, with its styles. */
export class LazyModule<Code extends { readonly styles: string }> extends Lazy<Code> {
  #styles: CSSResult | undefined;

  /** Adds the styles of the loaded code to a shadow root, once. All shadow roots share one style sheet. */
  style({ adoptedStyleSheets, ownerDocument }: ShadowRoot): void {
    if (this.value) this.#styles ??= unsafeCSS(this.value.styles);
    const sheet = this.#styles?.styleSheet;
    // If the card was moved to another window, that window's document doesn't accept the style sheet.
    if (sheet && ownerDocument === document && !adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  }
}

/** The code that isn't needed until the first card is shown or has failed, such as Markdown blocks. */
export const afterPaint: LazyModule<AfterPaint> = new LazyModule(importAfterPaint);

/** The code that only a button or an attribute needs, such as the enlarged view. */
export const extras: LazyModule<Extras> = new LazyModule(importExtras);
