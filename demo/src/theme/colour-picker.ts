import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon } from '../ui/icons.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { fromHsv, hsvOf, parseColour } from './colour.ts';
import type { Contrast, Suggestion } from './tokens.ts';

/** How far an arrow key moves in the area, as a fraction of the area's size. */
const KEY_STEP = 0.02;

/** The space between the picker and the edges of the window, in pixels. */
const MARGIN = 8;

/** Chooses a color in a popover next to the button that opened it. Emits `colour-change` with `#rrggbb`, or null for the card's own color. */
export class ColourPicker extends LitElement {
  static override properties: PropertyDeclarations = {
    label: {},
    colour: {},
    selector: {},
    contrast: { attribute: false },
    error: { state: true },
    hsv: { state: true },
  };
  declare label: string;
  declare colour: string;
  /** The selector of the part that was picked and copied, or an empty string for a swatch. */
  declare selector: string;
  declare contrast: Contrast | undefined;
  declare error: string | undefined;
  /**
   * The hue, saturation, and value of the color. The three values are kept in addition to the color, because a gray
   * color has no hue, and black also has no saturation.
   */
  declare hsv: { readonly h: number; readonly s: number; readonly v: number };

  constructor() {
    super();
    this.label = '';
    this.colour = '#000000';
    this.selector = '';
    this.contrast = undefined;
    this.error = undefined;
    this.hsv = { h: 0, s: 0, v: 0 };
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
  #isDragging = false;

  /** Opens next to `anchor` and takes the focus. */
  async openBeside(anchor: HTMLElement): Promise<void> {
    this.error = undefined;
    this.hsv = hsvOf(this.colour);
    await this.updateComplete;
    this.showPopover();
    this.#anchor = anchor;
    this.#place();
    this.querySelector<HTMLElement>('.area')?.focus();
  }

  /** The picker is placed again, because the text about the color changes the picker's height. */
  protected override updated(): void {
    if (!this.#isDragging) this.#place();
  }

  /** Places the picker next to the button, or as near to the button as the window allows. */
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
    const { h, s, v } = this.hsv;
    const { contrast } = this;
    return html`<h3>${this.label}</h3>
      ${this.selector === '' ? nothing : html`<p class="help selector" role="status"><code>${this.selector}</code> copied</p>`}
      <div
        class="area"
        role="slider"
        tabindex="0"
        aria-label="Brightness and saturation"
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${Math.round(v * 100)}
        aria-valuetext="brightness ${Math.round(v * 100)}%, saturation ${Math.round(s * 100)}%"
        @pointerdown=${this.#onAreaPress}
        @pointermove=${this.#onAreaMove}
        @lostpointercapture=${this.#onAreaRelease}
        @keydown=${this.#onAreaKey}
        ${styleProperties([['--hue', fromHsv(h, 1, 1)]])}
      >
        <i
          ${styleProperties([
            ['left', `${s * 100}%`],
            ['top', `${(1 - v) * 100}%`],
            ['background', this.colour],
          ])}
        ></i>
      </div>
      <input
        class="hue"
        type="range"
        min="0"
        max="360"
        aria-label="Hue"
        .value=${String(Math.round(h))}
        @input=${(event: Event) => this.#setHsv(Number((event.target as HTMLInputElement).value), s, v)}
      />
      <input
        type="text"
        aria-label="Color value"
        spellcheck="false"
        autocomplete="off"
        .value=${this.colour.toUpperCase()}
        aria-invalid=${this.error === undefined ? nothing : 'true'}
        aria-describedby="picker-words"
        @change=${this.#onText}
      />
      <div id="picker-words" aria-live="polite">
        ${this.error === undefined ? nothing : html`<p class="help error">${this.error}</p>`}
        ${contrast === undefined ? nothing : html`<p class="verdict ${contrast.passes ? 'good' : 'warning'}">${icon(contrast.passes ? 'check' : 'warning')}<span>${contrast.words}</span></p>`}
      </div>
      ${contrast?.suggestion === undefined ? nothing : this.#suggestion(contrast.suggestion)}
      <button type="button" class="button plain" @click=${() => this.#emit(null)}>Use the default</button>`;
  }

  #suggestion({ colour, words }: Suggestion): TemplateResult {
    return html`<button type="button" class="button" @click=${() => this.#use(colour)}>
      <span class="chip" ${styleProperties([['background', colour]])}></span>Use
      ${colour.toUpperCase()}${words === '' ? '' : `, ${words}`}
    </button>`;
  }

  #use(colour: string): void {
    this.hsv = hsvOf(colour);
    this.#emit(colour);
  }

  #setHsv(h: number, s: number, v: number): void {
    const between = (value: number) => Math.min(1, Math.max(0, value));
    this.hsv = { h, s: between(s), v: between(v) };
    this.#emit(fromHsv(h, this.hsv.s, this.hsv.v));
  }

  #emit(colour: string | null): void {
    this.error = undefined;
    this.dispatchEvent(new CustomEvent('colour-change', { detail: colour }));
  }

  readonly #onText = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    const colour = parseColour(text);
    if (colour === undefined) {
      this.error = 'Not an opaque color. Enter one such as #3D40D4 or teal.';
      return;
    }
    this.#use(colour);
  };

  readonly #onAreaPress = (event: PointerEvent): void => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    // The picker isn't placed again during a drag, so that the area stays under the pointer.
    this.#isDragging = true;
    this.#pick(event);
  };

  readonly #onAreaRelease = (): void => {
    this.#isDragging = false;
    this.#place();
  };

  readonly #onAreaMove = (event: PointerEvent): void => {
    if ((event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) this.#pick(event);
  };

  #pick(event: PointerEvent): void {
    const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    this.#setHsv(this.hsv.h, (event.clientX - left) / width, 1 - (event.clientY - top) / height);
  }

  readonly #onAreaKey = (event: KeyboardEvent): void => {
    const { h, s, v } = this.hsv;
    const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (x === 0 && y === 0) return;
    event.preventDefault();
    this.#setHsv(h, s + Number(x) * KEY_STEP, v + Number(y) * KEY_STEP);
  };
}

customElements.define('colour-picker', ColourPicker);

declare global {
  interface HTMLElementTagNameMap {
    'colour-picker': ColourPicker;
  }
}
