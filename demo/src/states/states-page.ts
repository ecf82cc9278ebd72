import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import '@pulse-card/widget';
import { barTemplate } from '../shell/bar.ts';
import { fetchSources } from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { directionOf, LANGUAGES } from '../studio/languages.ts';
import { settingsOf } from '../studio/settings.ts';
import { keptLook } from '../theme/kept-look.ts';
import { declarationsOf } from '../theme/look.ts';
import { pageColors } from '../theme/page-colors.ts';
import { searchField } from '../ui/fields.ts';
import { icon } from '../ui/icons.ts';
import { segmented } from '../ui/segmented.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { codeIn } from '../docs/code-in.ts';
import { CODES, type CodeRow } from './codes.ts';
import { baseUrlFor, installStandIn } from './install-stand-in.ts';
import { SAMPLE_ANSWER } from './sample-pulse.ts';
import { SPECIMEN_GROUPS, type SpecimenGroup, specimensFor } from './specimens.ts';
import { surroundings } from './surroundings.ts';
import './states.css';

const TABS = [
  { id: 'gallery', title: 'Gallery' },
  { id: 'codes', title: 'Codes' },
  { id: 'surroundings', title: 'Surroundings' },
] as const;

const WIDTHS = ['240', '320', '400', '600'] as const;

/** Everything that the page shows. The page's address contains all these settings. */
interface View {
  readonly tab: (typeof TABS)[number]['id'];
  readonly search: string;
  readonly group: SpecimenGroup | 'all';
  readonly scheme: 'page' | 'light' | 'dark';
  readonly language: string;
  readonly width: (typeof WIDTHS)[number];
  /** The code whose card is shown next to the table. */
  readonly code: string;
}

const DEFAULT_VIEW: View = {
  tab: 'gallery',
  search: '',
  group: 'life',
  scheme: 'page',
  language: '',
  width: '320',
  code: 'origin_forbidden',
};

/** Shows every state of the card: a gallery with a filter, a table of codes, and difficult surroundings. */
export class StatesPage extends PageElement {
  static override properties: PropertyDeclarations = { view: { state: true }, sourceId: { state: true } };
  /** The look that was chosen in the Studio. */
  readonly #settings = settingsOf(keptLook());
  declare view: View;
  declare sourceId: string;

  constructor() {
    super();
    installStandIn();
    this.view = viewOf(location.search);
    this.sourceId = '';
    void fetchSources().then(
      (sources) =>
        (this.sourceId =
          (sources.find(({ status }) => status === 'ACTIVE') ?? sources[0])?.id ?? SAMPLE_ANSWER.sourceId),
      () => (this.sourceId = SAMPLE_ANSWER.sourceId),
    );
  }

  protected override render(): TemplateResult {
    const { tab } = this.view;
    const panels = {
      gallery: () => this.#gallery(),
      codes: () => this.#codes(),
      surroundings: () => surroundings(this.sourceId),
    };
    return html`${barTemplate({ page: 'states' })}
      <main class="page states" id="main" aria-label="States" tabindex="-1">
        <header>
          <h1>States</h1>
          <p class="quiet">What readers see in each state, shown with a chart of your account.</p>
        </header>
        <nav class="tabs" aria-label="Views">
          ${TABS.map(
            ({ id, title }) =>
              html`<a href=${addressOf({ ...this.view, tab: id })} aria-current=${id === tab ? 'page' : nothing}
                >${title}</a
              >`,
          )}
        </nav>
        <div class="tab-panel">${panels[tab]()}</div>
      </main>`;
  }

  #gallery(): TemplateResult {
    const { search, group, scheme, language, width } = this.view;
    const found = specimensFor(search, search === '' ? group : 'all');
    return html`<div class="filters" role="group" aria-label="Filters">
        ${searchField({ label: 'Find a state', placeholder: 'Find a state or field', value: search, onInput: (value) => this.#change({ search: value }) })}
        ${segmented<View['group']>({
          label: 'Kind',
          options: [...SPECIMEN_GROUPS, { value: 'all', label: 'All' }],
          value: search === '' ? group : 'all',
          onChange: (chosen) => this.#change({ group: chosen, search: '' }),
        })}
        ${segmented<View['scheme']>({
          label: 'Scheme of the cards',
          options: [
            { value: 'page', label: 'Same as page' },
            { value: 'light', label: 'Light', icon: icon('sun'), iconOnly: true },
            { value: 'dark', label: 'Dark', icon: icon('moon'), iconOnly: true },
          ],
          value: scheme,
          onChange: (chosen) => this.#change({ scheme: chosen }),
        })}
        ${segmented<View['width']>({
          label: 'Width of the cards',
          options: WIDTHS.map((value) => ({ value, label: value })),
          value: width,
          onChange: (chosen) => this.#change({ width: chosen }),
        })}
        <select
          class="language"
          aria-label="Language"
          @change=${(event: Event) => this.#change({ language: (event.target as HTMLSelectElement).value })}
        >
          ${[{ value: '', label: 'Language of the page' }, ...LANGUAGES].map(({ value, label }) => html`<option value=${value} .selected=${value === language}>${label}</option>`)}
        </select>
      </div>
      <p class="unseen" role="status">${found.length} shown</p>
      <div
        class="gallery ${this.#settings.look.colors.page === undefined ? '' : 'ground'}"
        data-pane=${scheme === 'page' ? nothing : scheme}
        ${styleProperties([['--card-width', `${width}px`], ...pageColors(this.#settings.look.colors)])}
      >
        ${found.map(
          ({ state, title, cause, open }) =>
            html`<figure data-state=${state}>
              <figcaption><strong>${title}</strong> <code>${cause}</code></figcaption>
              ${this.#card(state, open)}
            </figure>`,
        )}
        ${found.length === 0 ? html`<p class="quiet">No state has this name. Codes are on a separate tab.</p>` : nothing}
      </div>`;
  }

  #codes(): TemplateResult {
    const { code } = this.view;
    return html`<div class="codes">
      <div class="table" tabindex="0" role="region" aria-label="Codes">
        <table>
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Status</th>
              <th scope="col">Readers see</th>
              <th scope="col">What to do</th>
            </tr>
          </thead>
          <tbody>
            ${CODES.map((row) => this.#codeRow(row))}
          </tbody>
        </table>
      </div>
      <aside aria-label="The card with this code" ${styleProperties([['--card-width', '320px']])}>
        <p class="quiet"><code>${code}</code></p>
        ${this.#card(code)}
      </aside>
    </div>`;
  }

  #codeRow({ code, status, words, remedy }: CodeRow): TemplateResult {
    return html`<tr aria-current=${code === this.view.code ? 'true' : nothing}>
      <th scope="row">
        <button type="button" title="Show the card" @click=${() => this.#change({ code })}><code>${code}</code></button>
      </th>
      <td>${status ?? '–'}</td>
      <td>${words}</td>
      <td>${codeIn(remedy)}</td>
    </tr>`;
  }

  #card(state: string, open = false): TemplateResult {
    const { language } = this.view;
    const { look, theme, chartTheme } = this.#settings;
    // Until the source is known, a skeleton reserves the space.
    return html`<pulse-card
      source-id=${this.sourceId}
      heading-level="2"
      base-url=${baseUrlFor(state, this.sourceId)}
      ?open=${open}
      ?history=${state === 'history'}
      lang=${language || nothing}
      dir=${language ? directionOf(language) : nothing}
      theme=${theme}
      chart-theme=${chartTheme}
      ${styleProperties(declarationsOf(look, theme))}
    ></pulse-card>`;
  }

  #change(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
    history.replaceState(null, '', addressOf(this.view));
  }
}

/** The address of a view, with all settings that aren't the default. */
function addressOf(view: View): string {
  const entries = Object.entries(view).filter(([name, value]) => value !== DEFAULT_VIEW[name as keyof View]);
  const query = new URLSearchParams(Object.fromEntries(entries) as Record<string, string>);
  return query.size === 0 ? location.pathname : `?${query}`;
}

function viewOf(search: string): View {
  const query = new URLSearchParams(search);
  const known = <Value extends string>(name: keyof View, values: readonly Value[]): Value | undefined =>
    values.find((value) => value === query.get(name));
  return {
    tab:
      known(
        'tab',
        TABS.map(({ id }) => id),
      ) ?? DEFAULT_VIEW.tab,
    search: query.get('search') ?? '',
    group: known('group', ['all', ...SPECIMEN_GROUPS.map(({ value }) => value)]) ?? DEFAULT_VIEW.group,
    scheme: known('scheme', ['light', 'dark']) ?? DEFAULT_VIEW.scheme,
    language:
      known(
        'language',
        LANGUAGES.map(({ value }) => value),
      ) ?? '',
    width: known('width', WIDTHS) ?? DEFAULT_VIEW.width,
    code:
      known(
        'code',
        CODES.map(({ code }) => code),
      ) ?? DEFAULT_VIEW.code,
  };
}

customElements.define('states-page', StatesPage);
