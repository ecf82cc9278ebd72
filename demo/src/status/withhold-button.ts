import { html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { STUDIO_URL } from '../shell/studio-url.ts';
import { icon } from '../ui/icons.ts';

/**
 * Withholds or restores a run's AI-generated text. Fires `withheld-change`, which bubbles, once the server has applied
 * the change.
 */
export class WithholdButton extends LitElement {
  static override properties: PropertyDeclarations = {
    run: { attribute: false },
    name: { attribute: false },
    isWithheld: { attribute: false },
    isBusy: { state: true },
    problem: { state: true },
  };
  declare run: string;
  /** The name of the run's source, for screen readers. */
  declare name: string;
  declare isWithheld: boolean;
  declare isBusy: boolean;
  declare problem: string;

  constructor() {
    super();
    this.isBusy = false;
    this.problem = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    const words = this.isWithheld ? 'Restore' : 'Withhold';
    return html`<button
        type="button"
        class="button plain"
        title="${words} the AI text of ${this.run}"
        aria-disabled=${this.isBusy}
        @click=${this.#press}
      >
        ${icon(this.isWithheld ? 'eye' : 'hide')}${words}<span class="unseen"> the AI text of ${this.name}</span>
      </button>
      <span class="danger" role="alert">${this.problem}</span>`;
  }

  readonly #press = async (): Promise<void> => {
    if (this.isBusy) return;
    this.isBusy = true;
    this.problem = await setWithheld(this.run, !this.isWithheld);
    this.isBusy = false;
    if (this.problem === '') this.dispatchEvent(new Event('withheld-change', { bubbles: true }));
  };
}

/** Returns why the change failed, or an empty string if it succeeded. */
async function setWithheld(run: string, withheld: boolean): Promise<string> {
  const response = await fetch(new URL('api/withheld', STUDIO_URL), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ run, withheld }),
  }).catch(() => undefined);
  if (response?.ok) return '';
  const body = (await response?.json().catch(() => undefined)) as { readonly error?: string } | undefined;
  return body?.error ?? 'This server isn’t responding.';
}

customElements.define('withhold-button', WithholdButton);
