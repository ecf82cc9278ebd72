import { html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon } from './icons.ts';

/** How long the button confirms that the text was copied. */
const COPIED_FOR_MS = 2_000;

/** Copies `text` and shows a confirmation for two seconds. Screen readers announce it. */
export class CopyButton extends LitElement {
  static override properties: PropertyDeclarations = {
    text: {},
    label: {},
    kind: {},
    disabled: { type: Boolean },
    outcome: { state: true },
  };
  /** The text to copy. A function is called when the button is pressed. */
  declare text: string | (() => string);
  /** The button's label. */
  declare label: string;
  /** `primary`, `second`, or `icon`, which shows the label only to screen readers. */
  declare kind: 'primary' | 'second' | 'icon';
  declare disabled: boolean;
  declare outcome: 'none' | 'copied' | 'failed';

  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.text = '';
    this.label = 'Copy';
    this.kind = 'primary';
    this.disabled = false;
    this.outcome = 'none';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    const { outcome, label, kind } = this;
    const words = outcome === 'none' ? label : outcome === 'copied' ? 'Copied' : 'Select the text and copy it';
    return html`<button
        type="button"
        class="button ${kind}"
        title=${kind === 'icon' ? label : ''}
        ?disabled=${this.disabled}
        @click=${this.#copy}
      >
        ${icon(outcome === 'copied' ? 'check' : label.startsWith('Share') ? 'link' : 'copy')}<span
          class=${kind === 'icon' ? 'unseen' : ''}
          >${words}</span
        >
      </button>
      <span class="unseen" role="status">${outcome === 'copied' ? `${label}: copied` : ''}</span>`;
  }

  readonly #copy = async (): Promise<void> => {
    const text = typeof this.text === 'function' ? this.text() : this.text;
    this.outcome = (await writeToClipboard(text)) ? 'copied' : 'failed';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.outcome = 'none'), COPIED_FOR_MS);
  };
}

/**
 * Copies `text` and returns whether that succeeded. Pages loaded over plain HTTP from another machine don't have the
 * Clipboard API, but the deprecated `copy` command still works.
 */
export async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'unseen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

customElements.define('copy-button', CopyButton);

declare global {
  interface HTMLElementTagNameMap {
    'copy-button': CopyButton;
  }
}
