import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { frameHeightPx } from '@pulse-card/widget/snippet';
import { icon } from '../ui/icons.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { pageColors } from '../theme/page-colors.ts';
import { cardTemplate } from './card-template.ts';
import { ALL_STATES, STAGE_STATES } from '../states/stage-states.ts';
import { partAt } from './part-at.ts';
import { DEFAULT_SETTINGS, type Settings, valueOf, variantOf, WIDTH_RANGE } from './settings.ts';
import './stage.css';

/** The widths that are compared, in pixels. */
const COMPARED = [320, 600, 1200] as const;

/** The width of each card in the grid of all states, in pixels. */
const GRID_WIDTH = 320;

/**
 * The spaces between compared cards, at the sides of a pane, and above and below the card and its caption, in pixels.
 */
const GAP = 20;
const SIDES = 20;
const ENDS = 44;

/** Two panes are shown side by side if each is at least this many pixels wide, which is enough for a narrow card. */
const BESIDE_PX = 640;

/** The smallest scale at which a card is fitted to the available height. */
const LEAST_SCALE = 0.6;

/** How far an arrow key moves the edge, in pixels. */
const KEY_STEP = 10;

/**
 * Shows the card on a light and a dark page. The card's edge can be dragged to change the card's width. Emits
 * `width-change` and `part-pick`.
 */
export class StudioStage extends LitElement {
  static override properties: PropertyDeclarations = {
    settings: { attribute: false },
    picking: { type: Boolean },
    hasSource: { type: Boolean },
    isLoading: { type: Boolean },
    paneWidth: { state: true },
    paneHeight: { state: true },
    cardHeight: { state: true },
    hint: { state: true },
  };
  declare settings: Settings;
  /** Whether the next click on a part of the card selects that part for the color picker, instead of activating it. */
  declare picking: boolean;
  /** Whether there is a source to show. */
  declare hasSource: boolean;
  /** Whether the sources are still unknown. */
  declare isLoading: boolean;
  declare paneWidth: number;
  declare paneHeight: number;
  declare cardHeight: number;
  declare hint: { readonly name: string; readonly box: DOMRect } | null;

  readonly #sizes = new ResizeObserver(() => this.#measure());
  #drag: { readonly startX: number; readonly startWidth: number } | null = null;

  constructor() {
    super();
    this.settings = DEFAULT_SETTINGS;
    this.picking = false;
    this.hasSource = true;
    this.isLoading = false;
    this.paneWidth = 600;
    this.paneHeight = 600;
    this.cardHeight = 0;
    this.hint = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** The pane is measured before the first frame, so that nothing moves afterward. */
  protected override firstUpdated(): void {
    this.#measure();
  }

  protected override updated(): void {
    for (const element of this.querySelectorAll('.pane, pulse-card')) this.#sizes.observe(element);
  }

  protected override render(): TemplateResult {
    const { view } = this.settings;
    const panes = view === 'both' ? (['light', 'dark'] as const) : [view];
    const classes = [
      ...(this.settings.width === 'compare' || this.#showsAll ? ['compare'] : []),
      ...(panes.length > 1 && this.clientWidth < BESIDE_PX ? ['stacked'] : []),
      ...(this.picking ? ['picking'] : []),
    ];
    return html`<div
        class="panes ${classes.join(' ')}"
        @pointermove=${this.#onHover}
        @pointerleave=${() => (this.hint = null)}
        @click=${{ handleEvent: this.#onPick, capture: true }}
      >
        ${panes.map((scheme) => this.#pane(scheme))}
      </div>
      ${this.#hintTemplate()}`;
  }

  #pane(scheme: 'light' | 'dark'): TemplateResult {
    const { width, direction } = this.settings;
    const size = scheme === 'light' ? 'Light page' : 'Dark page';
    const scale = this.#scale();
    const scaled = scale < 1 ? `, at ${Math.round(scale * 100)}%` : '';
    return html`<section
      class="pane"
      data-pane=${scheme}
      dir=${direction}
      aria-label=${size}
      ${styleProperties(pageColors(this.settings.look.colors))}
    >
      <p class="where">${icon(scheme === 'light' ? 'sun' : 'moon')}${size}${scaled}</p>
      ${
        !this.hasSource
          ? html`<p class="nothing">Type the ID of a source to see its card.</p>`
          : this.#showsAll
            ? this.#grid()
            : width === 'compare'
              ? html`<div class="places">
                  ${COMPARED.map(
                    (compared) =>
                      html`<figure>
                        <figcaption><bdi dir="ltr">${compared} px</bdi></figcaption>
                        ${this.#place(compared, scale)}
                      </figure>`,
                  )}
                </div>`
              : html`<div class="places">${this.#place(this.#width(), scale)}${this.#grip()}</div>
                  <p class="size"><bdi dir="ltr">${Math.round(this.#width())} × ${this.#height()} px</bdi></p>`
      }
    </section>`;
  }

  /** All states of the card. The cards have the same width so that their text can be compared. */
  #grid(): TemplateResult {
    const width = typeof this.settings.width === 'number' ? Math.min(this.settings.width, this.#room) : GRID_WIDTH;
    return html`<div class="states" ${styleProperties([['--state-width', `${width}px`]])}>
      ${STAGE_STATES.map(
        ({ value, label }) =>
          html`<figure data-state=${value}>
            <figcaption>${label}</figcaption>
            ${this.#place(width, 1, value)}
          </figure>`,
      )}
    </div>`;
  }

  #place(width: number, scale: number, state: string = this.settings.state): TemplateResult {
    return html`<div
      class="place"
      ${styleProperties([
        ['width', `${width}px`],
        ['zoom', String(scale)],
      ])}
    >
      ${cardTemplate({ ...this.settings, state }, this.isLoading)}
    </div>`;
  }

  #grip(): TemplateResult {
    const width = Math.round(this.#width());
    return html`<div
      class="grip"
      role="slider"
      tabindex="0"
      aria-label="Width of the card"
      aria-valuemin=${WIDTH_RANGE.min}
      aria-valuemax=${WIDTH_RANGE.max}
      aria-valuenow=${width}
      aria-valuetext="${width} pixels"
      @pointerdown=${this.#onGrab}
      @pointermove=${this.#onDrag}
      @pointerup=${this.#onDrop}
      @pointercancel=${this.#onDrop}
      @keydown=${this.#onKey}
    ></div>`;
  }

  #hintTemplate(): TemplateResult | typeof nothing {
    if (!this.picking || this.hint === null) return nothing;
    const { name, box } = this.hint;
    return html`<div
      class="hint"
      ${styleProperties([
        ['left', `${box.left}px`],
        ['top', `${box.top}px`],
        ['width', `${box.width}px`],
        ['height', `${box.height}px`],
      ])}
    >
      <span>::part(${name})</span>
    </div>`;
  }

  /** The space that a card can use in a pane. */
  get #room(): number {
    return Math.max(WIDTH_RANGE.min / 2, this.paneWidth - 2 * SIDES);
  }

  get #showsAll(): boolean {
    return this.settings.state === ALL_STATES.value;
  }

  #width(): number {
    const { width } = this.settings;
    return typeof width === 'number' ? width : Math.max(WIDTH_RANGE.min, this.#room);
  }

  #scale(): number {
    if (this.#showsAll) return 1;
    if (this.settings.width !== 'compare') return Math.min(1, this.#room / this.#width(), this.#heightScale());
    const together = COMPARED.reduce((sum, width) => sum + width, 0);
    return Math.min(1, (this.#room - GAP * (COMPARED.length - 1)) / together);
  }

  /** The scale at which a collapsed card fits its pane. An expanded card scrolls. */
  #heightScale(): number {
    if (valueOf(this.settings, 'open') === 'true' || this.settings.state === 'history') return 1;
    return Math.max(LEAST_SCALE, (this.paneHeight - ENDS) / this.#height());
  }

  /** The card's height. Until it has been measured, this is the height of a collapsed card. */
  #height(): number {
    const { sizeEm, extraHeightEm } = this.settings.look;
    const size = sizeEm ?? 1;
    const height = frameHeightPx(this.#width() / size, variantOf(this.settings), extraHeightEm ?? 0);
    return this.cardHeight || Math.round(size * height);
  }

  #measure(): void {
    const pane = this.querySelector('.pane');
    const card = this.querySelector('pulse-card');
    if (pane) [this.paneWidth, this.paneHeight] = [pane.clientWidth, pane.clientHeight];
    if (card) this.cardHeight = Math.round(card.offsetHeight);
    // In one column, the stage is no taller than its content.
    const panes = this.querySelectorAll('.pane').length;
    const widthScale = Math.min(1, this.#room / this.#width());
    const height = panes * (this.#height() * widthScale + ENDS + 2 * SIDES);
    this.closest<HTMLElement>('studio-page')?.style.setProperty('--shown-height', `${Math.round(height)}px`);
  }

  readonly #onGrab = (event: PointerEvent): void => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#drag = { startX: event.clientX, startWidth: this.#width() * this.#scale() };
    event.preventDefault();
    (event.currentTarget as HTMLElement).focus();
  };

  /** The card grows on both sides, so that the edge stays under the pointer. */
  readonly #onDrag = (event: PointerEvent): void => {
    if (this.#drag === null) return;
    const { startX, startWidth } = this.#drag;
    const outwards = (event.clientX - startX) * (this.settings.direction === 'rtl' ? -1 : 1);
    this.#setWidth(Math.min(this.#room, startWidth + 2 * outwards));
  };

  readonly #onDrop = (): void => {
    this.#drag = null;
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#setWidth(Math.round(this.#width()) + step * KEY_STEP * (event.shiftKey ? 5 : 1));
  };

  #setWidth(width: number): void {
    const detail = Math.round(Math.min(WIDTH_RANGE.max, Math.max(WIDTH_RANGE.min, width)));
    this.dispatchEvent(new CustomEvent('width-change', { detail }));
  }

  readonly #onHover = (event: PointerEvent): void => {
    if (this.picking) this.hint = partAt(event);
  };

  readonly #onPick = (event: Event): void => {
    const part = this.picking ? partAt(event) : null;
    if (part === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.hint = null;
    this.dispatchEvent(new CustomEvent('part-pick', { detail: part.name }));
  };
}

customElements.define('studio-stage', StudioStage);
