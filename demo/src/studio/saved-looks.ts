import { html, LitElement, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import {
  MAX_LOOK_NAME,
  type NamedLook,
  withNamedLook,
  withoutNamedLook,
  withRenamedLook,
} from '../theme/named-looks.ts';
import { selectField } from '../ui/fields.ts';

/** The value of the "no saved look" option. */
const UNSAVED = '';

/**
 * Saves the current look under a name and lets the user choose, rename, and delete saved looks. Emits `look-choose`
 * with a query and `looks-change`.
 */
export class SavedLooks extends LitElement {
  static override properties: PropertyDeclarations = {
    looks: { attribute: false },
    current: { attribute: false },
    name: { state: true },
  };
  declare looks: readonly NamedLook[];
  /** The look that is shown, as a query. */
  declare current: string;
  /** The name in the field. */
  declare name: string;

  constructor() {
    super();
    this.looks = [];
    this.current = '';
    this.name = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /**
   * The field contains the current look's name. The name stays when the look changes, so that Save replaces that look.
   */
  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('current') || changed.has('looks')) this.name = this.#shown?.name ?? this.name;
  }

  get #shown(): NamedLook | undefined {
    return this.looks.find(({ query }) => query === this.current);
  }

  protected override render(): TemplateResult {
    const shown = this.#shown;
    const name = this.name.trim();
    const isNew = name !== '' && name !== shown?.name;
    return html`${
        this.looks.length === 0
          ? nothing
          : selectField({
              id: 'saved-look',
              label: 'Look',
              options: [
                ...(shown ? [] : [{ value: UNSAVED, label: 'Not saved' }]),
                ...this.looks.map((look) => ({ value: look.name, label: look.name })),
              ],
              value: shown?.name ?? UNSAVED,
              onChange: this.#choose,
            })
      }
      <div class="field">
        <label for="look-name">Name</label>
        <input
          id="look-name"
          type="text"
          maxlength=${MAX_LOOK_NAME}
          autocomplete="off"
          placeholder="My brand"
          .value=${this.name}
          @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)}
          @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && isNew && this.#save()}
        />
      </div>
      <div class="look-buttons">
        <button
          type="button"
          class="button"
          ?disabled=${name === '' || (shown !== undefined && !isNew)}
          @click=${this.#save}
        >
          Save
        </button>
        ${
          shown === undefined
            ? nothing
            : html`<button
                  type="button"
                  class="button"
                  ?disabled=${!isNew}
                  @click=${() => this.#emit(withRenamedLook(this.looks, shown.name, name))}
                >
                  Rename
                </button>
                <button
                  type="button"
                  class="button"
                  @click=${() => this.#emit(withoutNamedLook(this.looks, shown.name))}
                >
                  Delete
                </button>`
        }
      </div>`;
  }

  readonly #choose = (name: string): void => {
    const look = this.looks.find((saved) => saved.name === name);
    if (look) this.dispatchEvent(new CustomEvent('look-choose', { detail: look.query }));
  };

  readonly #save = (): void => this.#emit(withNamedLook(this.looks, { name: this.name.trim(), query: this.current }));

  #emit(looks: readonly NamedLook[]): void {
    this.dispatchEvent(new CustomEvent('looks-change', { detail: looks }));
  }
}

customElements.define('saved-looks', SavedLooks);
