import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import '@pulse-card/widget';
import { barTemplate } from '../shell/bar.ts';
import { bestSource, fetchSources, type ListedSource } from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { BFF_URL } from '../shell/studio-url.ts';
import { baseUrlFor, installStandIn } from '../states/install-stand-in.ts';
import { SAMPLE_ANSWER } from '../states/sample-pulse.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { BOARD_MANIFEST, CARD_MANIFEST } from './card-manifest.ts';
import { type ControlKind, controlKind, type Described, type ElementManifest, type Setting } from './manifest.ts';
import { codeIn } from './code-in.ts';
import { type Guide, GUIDES } from 'virtual:guides';
import { guideTemplate } from './guide.ts';
import './docs.css';

const ELEMENTS = { 'pulse-card': CARD_MANIFEST, 'pulse-board': BOARD_MANIFEST } as const;

type TagName = keyof typeof ELEMENTS;

const TAG_NAMES: readonly TagName[] = ['pulse-card', 'pulse-board'];

/**
 * Shows the guides, and lists the elements' attributes, properties, events, slots, and parts, each with a control to
 * try it.
 */
export class DocsPage extends PageElement {
  static override properties: PropertyDeclarations = {
    guide: { state: true },
    element: { state: true },
    sources: { state: true },
    chosen: { state: true },
    values: { state: true },
    refused: { state: true },
    shownPart: { state: true },
    filledSlots: { state: true },
    seen: { state: true },
  };
  /** The open guide; undefined if the reference is open. */
  declare guide: Guide | undefined;
  declare element: TagName;
  /** Undefined until the BFF has answered. */
  declare sources: readonly ListedSource[] | undefined;
  /** The attributes that were set on this page. */
  declare chosen: Readonly<Record<string, string>>;
  /** The custom properties that were set on this page. */
  declare values: Readonly<Record<string, string>>;
  declare refused: string;
  declare shownPart: string;
  declare filledSlots: readonly string[];
  /** How often each event was fired, with the detail of its last occurrence. */
  declare seen: Readonly<Record<string, { readonly times: number; readonly detail: string }>>;

  readonly #partStyles = new CSSStyleSheet();

  constructor() {
    super();
    const query = new URLSearchParams(location.search);
    this.guide = GUIDES.find(({ id }) => id === query.get('guide'));
    this.element = query.get('element') === 'pulse-board' ? 'pulse-board' : 'pulse-card';
    this.sources = undefined;
    installStandIn();
    this.#forget();
    document.adoptedStyleSheets.push(this.#partStyles);
    for (const { events } of Object.values(ELEMENTS))
      for (const { name } of events) this.addEventListener(name, this.#onEvent);
    void fetchSources().then(
      (sources) => (this.sources = sources),
      () => (this.sources = []),
    );
  }

  protected override updated(): void {
    const rule = `${this.element}::part(${this.shownPart || 'none'}) { outline: 2px solid var(--accent); outline-offset: -2px; }`;
    this.#partStyles.replaceSync(this.shownPart === '' ? '' : rule);
  }

  protected override render(): TemplateResult {
    const { guide } = this;
    return html`${barTemplate({ page: 'docs' })}
      <main class="page docs ${guide === undefined ? '' : 'reading'}" id="main" tabindex="-1">
        ${this.#contents()}
        ${
          guide === undefined
            ? html`<div class="reference">${this.#reference(ELEMENTS[this.element])}</div>
                <aside aria-label="The element with these settings">${this.#live()}</aside>`
            : guideTemplate(guide, this.#sourceId())
        }
      </main>`;
  }

  #contents(): TemplateResult {
    const { guide, element } = this;
    return html`<nav class="contents" aria-label="Contents">
      <h2>Guides</h2>
      <ul>
        ${GUIDES.map((known) => entry(`?guide=${known.id}`, known.title, known === guide && known.headings))}
      </ul>
      <h2>Reference</h2>
      <ul>
        ${TAG_NAMES.map((tagName) =>
          entry(
            tagName === 'pulse-card' ? '?' : `?element=${tagName}`,
            html`<code>&lt;${tagName}&gt;</code>`,
            guide === undefined && tagName === element && sectionsOf(ELEMENTS[tagName]),
          ),
        )}
      </ul>
    </nav>`;
  }

  #reference(manifest: ElementManifest): TemplateResult {
    return html`<header>
        <h1>&lt;${manifest.tagName}&gt;</h1>
        <p>${codeIn(manifest.description)}</p>
        <p class="quiet">Generated from the package’s manifest. You can try each entry here.</p>
      </header>
      ${section('Attributes', mainFirst(manifest.attributes), (attribute) => this.#attributeControl(attribute))}
      ${section('Properties', manifest.fields, () => nothing)}
      ${section('Methods', manifest.methods, ({ name }) => this.#methodControl(name))}
      ${section('Events', manifest.events, ({ name }) => this.#eventControl(name))}
      ${section('Slots', manifest.slots, ({ name }) => this.#slotControl(name))}
      ${section('Parts', manifest.parts, ({ name }) => this.#partControl(name))}
      ${section('Custom properties', manifest.properties, (property) => this.#propertyControl(property))}`;
  }

  #live(): TemplateResult {
    const style = Object.entries(this.values);
    const baseUrl = this.#given('base-url') ?? BFF_URL;
    // The attributes are set by name and differ between the tags, so each tag gets a separate element.
    const content = this.filledSlots.map((slot) => html`<span slot=${slot}>Your content</span>`);
    const element =
      this.element === 'pulse-card'
        ? html`<pulse-card base-url=${baseUrl} ${styleProperties(style)}>${content}</pulse-card>`
        : html`<pulse-board base-url=${BFF_URL} ${styleProperties(style)}>${content}</pulse-board>`;
    void this.updateComplete.then(() => this.#applyAttributes());
    return html`<div class="live">${element}</div>
      ${this.refused === '' ? nothing : html`<p class="help error" role="alert">${this.refused}</p>`}
      <button type="button" class="button" @click=${() => this.#forget()}>Reset</button>`;
  }

  #applyAttributes(): void {
    const element = this.#liveElement();
    if (!element) return;
    for (const { name } of ELEMENTS[this.element].attributes) {
      if (name === 'token') continue;
      const value = this.chosen[name] ?? this.#given(name);
      if (value === undefined) element.removeAttribute(name);
      else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  }

  #sourceChoice(): ControlKind {
    return { kind: 'choice', values: this.sources?.map(({ id }) => id) ?? [] };
  }

  /** The source that guides show, or an empty string until the sources are known. */
  #sourceId(): string {
    if (this.sources === undefined) return '';
    return bestSource(this.sources)?.id ?? SAMPLE_ANSWER.sourceId;
  }

  /** An attribute's value on the live element while no value is chosen. */
  #given(attribute: string): string | undefined {
    const sourceId = bestSource(this.sources ?? [])?.id ?? SAMPLE_ANSWER.sourceId;
    if (attribute === 'base-url') return this.element === 'pulse-card' ? baseUrlFor('fresh', sourceId) : BFF_URL;
    if (attribute === 'source-id') return this.sources === undefined ? undefined : sourceId;
    return attribute === 'columns' ? '1' : undefined;
  }

  #liveElement(): (HTMLElement & Record<string, unknown>) | null {
    return this.querySelector(`.live ${this.element}`);
  }

  #attributeControl(attribute: Setting): TemplateResult {
    const { name, type } = attribute;
    const control = name === 'source-id' ? this.#sourceChoice() : controlKind(type);
    const preset = attribute.preset || (this.#given(name) ?? '');
    const value = this.chosen[name];
    if (control.kind === 'switch')
      return html`<input
        type="checkbox"
        role="switch"
        aria-label=${name}
        .checked=${value !== undefined}
        @change=${(event: Event) => this.#setAttribute(name, (event.target as HTMLInputElement).checked ? '' : undefined)}
      />`;
    if (control.kind === 'choice')
      return html`<select
        aria-label=${name}
        @change=${(event: Event) => this.#setAttribute(name, (event.target as HTMLSelectElement).value)}
      >
        ${control.values.map((option) => html`<option .selected=${option === (value ?? preset)}>${option}</option>`)}
      </select>`;
    return html`<input
      type="text"
      aria-label=${name}
      placeholder=${preset}
      .value=${value ?? ''}
      @change=${(event: Event) => this.#setAttribute(name, (event.target as HTMLInputElement).value || undefined)}
    />`;
  }

  #propertyControl({ name, preset }: Setting): TemplateResult {
    return html`<input
      type="text"
      aria-label=${name}
      spellcheck="false"
      placeholder=${preset}
      .value=${this.values[name] ?? ''}
      @change=${(event: Event) => this.#setProperty(name, preset, (event.target as HTMLInputElement).value.trim())}
    />`;
  }

  #methodControl(name: string): TemplateResult {
    return html`<button type="button" class="button" aria-label="Call ${name}()" @click=${() => this.#call(name)}>
      Call
    </button>`;
  }

  #call(name: string): void {
    const element = this.#liveElement();
    const method = element?.[name];
    if (typeof method === 'function') method.call(element);
  }

  #eventControl(name: string): TemplateResult {
    const { times, detail } = this.seen[name] ?? { times: 0, detail: '' };
    return html`<span class="quiet" title=${detail}>${times === 0 ? 'not yet' : `${times} ×`}</span
      >${detail === '' ? nothing : html`<code class="detail">${detail}</code>`}`;
  }

  #slotControl(name: string): TemplateResult | typeof nothing {
    if (name === '') return nothing;
    const isFilled = this.filledSlots.includes(name);
    return html`<input
      type="checkbox"
      role="switch"
      aria-label="Fill the slot ${name}"
      .checked=${isFilled}
      @change=${() => (this.filledSlots = isFilled ? this.filledSlots.filter((slot) => slot !== name) : [...this.filledSlots, name])}
    />`;
  }

  #partControl(name: string): TemplateResult {
    const isShown = this.shownPart === name;
    return html`<input
      type="checkbox"
      role="switch"
      aria-label="Outline the part ${name}"
      .checked=${isShown}
      @change=${() => (this.shownPart = isShown ? '' : name)}
    />`;
  }

  #setAttribute(name: string, value: string | undefined): void {
    const { [name]: _, ...rest } = this.chosen;
    this.chosen = value === undefined ? rest : { ...rest, [name]: value };
    // The attribute is set only once, because the element reads the attribute and then removes it.
    if (name === 'token') this.#liveElement()?.setAttribute(name, value ?? '');
  }

  #setProperty(name: string, preset: string, value: string): void {
    const kind = /#|light-dark/.test(preset) ? 'color' : name.endsWith('font-family') ? 'font-family' : 'padding';
    this.refused = value === '' || CSS.supports(kind, value) ? '' : `“${value}” isn’t a valid value for ${name}.`;
    if (this.refused !== '') return;
    const { [name]: _, ...rest } = this.values;
    this.values = value === '' ? rest : { ...rest, [name]: value };
  }

  readonly #onEvent = ({ type, detail }: Event & { readonly detail?: unknown }): void => {
    const { times } = this.seen[type] ?? { times: 0 };
    this.seen = { ...this.seen, [type]: { times: times + 1, detail: detailText(detail) } };
  };

  #forget(): void {
    this.#liveElement()?.setAttribute('token', '');
    this.chosen = {};
    this.values = {};
    this.refused = '';
    this.shownPart = '';
    this.filledSlots = [];
    this.seen = {};
  }
}

/** The attributes. `source-id` is first, because every card needs it. */
function mainFirst(attributes: readonly Setting[]): readonly Setting[] {
  return attributes.toSorted((a, b) => Number(b.name === 'source-id') - Number(a.name === 'source-id'));
}

/** A line in the table of contents. If its target is open, the target's headings are listed below the line. */
function entry(
  href: string,
  title: string | TemplateResult,
  parts: readonly { readonly id: string; readonly text: string }[] | false,
): TemplateResult {
  return html`<li>
    <a href=${href} aria-current=${parts === false ? nothing : 'page'}>${title}</a>
    ${
      parts === false
        ? nothing
        : html`<ul>
            ${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
          </ul>`
    }
  </li>`;
}

const SECTIONS = [
  ['Attributes', 'attributes'],
  ['Properties', 'fields'],
  ['Methods', 'methods'],
  ['Events', 'events'],
  ['Slots', 'slots'],
  ['Parts', 'parts'],
  ['Custom properties', 'properties'],
] as const;

function sectionsOf(manifest: ElementManifest): readonly { readonly id: string; readonly text: string }[] {
  return SECTIONS.filter(([, key]) => manifest[key].length > 0).map(([text]) => ({ id: sectionId(text), text }));
}

function sectionId(title: string): string {
  return `docs-${title.toLowerCase().replaceAll(' ', '-')}`;
}

function section<Entry extends Described & Partial<Setting>>(
  title: string,
  entries: readonly Entry[],
  control: (entry: Entry) => TemplateResult | typeof nothing,
): TemplateResult | typeof nothing {
  if (entries.length === 0) return nothing;
  const id = sectionId(title);
  return html`<section class="panel" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <dl>
      ${entries.map(
        (entry) =>
          html`<div>
            <dt>
              <code>${entry.name || '(default)'}</code>
              ${entry.type && entry.type !== 'string' ? html`<code class="type">${entry.type}</code>` : nothing}
              ${entry.preset ? html`<span class="preset">default <code>${entry.preset}</code></span>` : nothing}
            </dt>
            <dd>${codeIn(entry.description)}</dd>
            <dd class="try">${control(entry)}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/**
 * An event's detail as text. The pulses and sources in a detail are left out, because they would fill the page.
 */
function detailText(detail: unknown): string {
  return (
    JSON.stringify(detail, (_, value: unknown) => {
      if (Array.isArray(value)) return `${value.length} entries`;
      return typeof value === 'object' && value !== null && 'jobRunId' in value
        ? `pulse ${String(value.jobRunId)}`
        : value;
    }) ?? ''
  );
}

customElements.define('docs-page', DocsPage);
