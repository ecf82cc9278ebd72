import { type CSSResult, unsafeCSS } from 'lit';
import { warnOnce } from '../diagnostics/warn-once.ts';
import { type AfterPaint, type Extras, importAfterPaint, importExtras } from './imports.ts';

/** Code that is loaded when it is first needed. */
export class LazyModule<Code extends { readonly styles: string }> {
  /** The code, once it has loaded. */
  code: Code | undefined;
  #styles: CSSResult | undefined;
  readonly #import: (attempt: number) => Promise<Code>;
  #attempt = 0;
  /** In milliseconds since the Unix epoch. */
  #failedAt = -Infinity;
  #loading: Promise<Code | undefined> | undefined;

  /** `importCode` receives the number of failed attempts. */
  constructor(importCode: (attempt: number) => Promise<Code>) {
    this.#import = importCode;
  }

  /**
   * Loads the code. If that fails, resolves to undefined. The next call tries again, unless the failure was less than
   * `waitMs` ago.
   */
  load(waitMs = 0): Promise<Code | undefined> {
    if (Date.now() < this.#failedAt + waitMs) return Promise.resolve(undefined);
    return (this.#loading ??= this.#import(this.#attempt).then(
      (code) => {
        this.#styles = unsafeCSS(code.styles);
        return (this.code = code);
      },
      ({ message }: Error) => {
        this.#attempt++;
        this.#loading = undefined;
        this.#failedAt = Date.now();
        warnOnce(message);
        return undefined;
      },
    ));
  }

  /** Adds the styles of the loaded code to a shadow root, once. All shadow roots share one style sheet. */
  style({ adoptedStyleSheets, ownerDocument }: ShadowRoot): void {
    const sheet = this.#styles?.styleSheet;
    // If the card was moved to another window, that window's document doesn't accept the style sheet.
    if (sheet && ownerDocument === document && !adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  }
}

/** The code that isn't needed until the first card is shown or has failed, such as Markdown blocks. */
export const afterPaint: LazyModule<AfterPaint> = new LazyModule(importAfterPaint);

/** The code that only a button or an attribute needs, such as the enlarged view. */
export const extras: LazyModule<Extras> = new LazyModule(importExtras);
