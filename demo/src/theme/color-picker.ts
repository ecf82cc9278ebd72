import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon } from '../ui/icons.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { parseColor } from './color.ts';
import type { Contrast, Suggestion } from './tokens.ts';

/** The space between the picker and the window's edges, in pixels. */
const MARGIN = 8;

/** Chooses a color in a popover next to the button that opened it. Emits `color-change` with `#rrggbb`, or null for the card's own color. */
export class ColorPicker extends LitElement {
  static override properties: PropertyDeclarations = {
    label: {},
    color: {},
    selector: {},
    contrast: { attribute: false },
    error: { state: true },
  };
  declare label: string;
  declare color: string;
  /** The selector of the part that was picked and copied, or an empty string for a swatch. */
  declare selector: string;
  declare contrast: Contrast | undefined;
  declare error: string | undefined;

  constructor() {
    super();
    this.label = '';
    this.color = '#000000';
    this.selector = '';
    this.contrast = undefined;
    this.error = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.popover = 'auto';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** The button that opened the picker. */
  #anchor: HTMLElement | undefined;

  /** Opens next to `anchor` and moves focus into the picker. */
  async openBeside(anchor: HTMLElement): Promise<void> {
    this.error = undefined;
    await this.updateComplete;
    this.showPopover();
    this.#anchor = anchor;
    this.#place();
    this.querySelector<HTMLElement>('input')?.focus();
  }

  /** Repositions the picker, because the text about the color changes its height. */
  protected override updated(): void {
    this.#place();
  }

  /** Places the picker next to the button, or as close to it as the window allows. */
  #place(): void {
    if (this.#anchor === undefined || !this.matches(':popover-open')) return;
    const { right, left, top } = this.#anchor.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this;
    const fits = right + MARGIN + width <= innerWidth;
    const x = fits ? right + MARGIN : Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN));
    this.style.setProperty('left', `${x}px`);
    this.style.setProperty('top', `${Math.max(MARGIN, Math.min(top, innerHeight - height - MARGIN))}px`);
  }

  protected override render(): TemplateResult {
    const { contrast } = this;
    return html`<h3>${this.label}</h3>
      ${this.selector === '' ? nothing : html`<p class="help selector" role="status"><code>${this.selector}</code> copied</p>`}
      <div class="values">
        <input
          type="color"
          aria-label="Color"
          .value=${this.color}
          @input=${(event: Event) => this.#emit((event.target as HTMLInputElement).value)}
        />
        <input
          type="text"
          aria-label="Color value"
          spellcheck="false"
          autocomplete="off"
          .value=${this.color.toUpperCase()}
          aria-invalid=${this.error === undefined ? nothing : 'true'}
          aria-describedby="picker-words"
          @change=${this.#onText}
        />
      </div>
      <div id="picker-words" aria-live="polite">
        ${this.error === undefined ? nothing : html`<p class="help error">${this.error}</p>`}
        ${contrast === undefined ? nothing : html`<p class="verdict ${contrast.passes ? 'good' : 'warning'}">${icon(contrast.passes ? 'check' : 'warning')}<span>${contrast.words}</span></p>`}
      </div>
      ${contrast?.suggestion === undefined ? nothing : this.#suggestion(contrast.suggestion)}
      <button type="button" class="button plain" @click=${() => this.#emit(null)}>Use the default</button>`;
  }

  #suggestion({ color, words }: Suggestion): TemplateResult {
    return html`<button type="button" class="button" @click=${() => this.#emit(color)}>
      <span class="chip" ${styleProperties([['background', color]])}></span>Use
      ${color.toUpperCase()}${words === '' ? '' : `, ${words}`}
    </button>`;
  }

  #emit(color: string | null): void {
    this.error = undefined;
    this.dispatchEvent(new CustomEvent('color-change', { detail: color }));
  }

  readonly #onText = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    const color = parseColor(text);
    if (color === undefined) {
      this.error = 'This isn’t an opaque color. Enter a color such as #3D40D4 or teal.';
      return;
    }
    this.#emit(color);
  };
}

customElements.define('color-picker', ColorPicker);

declare global {
  interface HTMLElementTagNameMap {
    'color-picker': ColorPicker;
  }
}
