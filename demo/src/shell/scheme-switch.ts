import { html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon } from '../ui/icons.ts';
import { segmented } from '../ui/segmented.ts';
import { storedText, storeText } from './stored-text.ts';

/** The color scheme that the reader chose for these pages. */
export type SchemeChoice = 'auto' | 'light' | 'dark';

const STORAGE_KEY = 'pulse-studio-scheme';

const OPTIONS = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light', icon: icon('sun') },
  { value: 'dark', label: 'Dark', icon: icon('moon') },
] as const;

/** Applies the scheme chosen on an earlier visit. */
export function applyStoredScheme(): void {
  document.documentElement.dataset['scheme'] = storedScheme();
}

/** Lets the reader choose a color scheme for these pages and stores the choice. */
export class SchemeSwitch extends LitElement {
  static override properties: PropertyDeclarations = { scheme: { state: true } };
  declare scheme: SchemeChoice;

  constructor() {
    super();
    this.scheme = storedScheme();
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    return html`${segmented({
      label: 'Color scheme of these pages',
      options: OPTIONS.map((option) => ({ ...option, iconOnly: option.value !== 'auto' })),
      value: this.scheme,
      onChange: (scheme) => this.#choose(scheme),
    })}`;
  }

  #choose(scheme: SchemeChoice): void {
    this.scheme = scheme;
    storeText(STORAGE_KEY, scheme);
    document.documentElement.dataset['scheme'] = scheme;
  }
}

function storedScheme(): SchemeChoice {
  const stored = storedText(STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

customElements.define('scheme-switch', SchemeSwitch);
