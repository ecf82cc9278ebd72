import type { StudioSettings } from '@pulse-card/bff';
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import '@pulse-card/widget';
import { barTemplate } from '../shell/bar.ts';
import { fetchConfig, type ListedSource } from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { BFF_URL, STUDIO_URL } from '../shell/studio-url.ts';
import { boardCode, TOKEN_NOTE } from '../studio/code.ts';
import {
  chartThemeOf,
  lookQueryOf,
  schemeOf,
  type Settings,
  settingsOf,
  VARIANTS,
  withAttribute,
} from '../studio/settings.ts';
import { keepLook, keptLook } from '../theme/kept-look.ts';
import { shownDeclarationsOf } from '../theme/look.ts';
import { pageColors } from '../theme/page-colors.ts';
import { styleProperties } from '../ui/style-properties.ts';
import '../ui/copy-button.ts';
import { icon } from '../ui/icons.ts';
import { segmented } from '../ui/segmented.ts';
import { addSnippetLinks } from './snippet-links.ts';
import { bothWays } from './both-ways.ts';
import './board.css';

const COLUMNS = ['fit', '1', '2', '3', '4'] as const;

/** The number of sources. The board itself counts the ones that need attention. */
function sourceCount(count: number): string {
  return count === 0 ? '' : count === 1 ? '1 source' : `${count} sources`;
}

/** Shows the board's snippet and, for every source in the account, a card with a link to the card's own snippet. */
export class BoardPage extends PageElement {
  static override properties: PropertyDeclarations = {
    settings: { state: true },
    columns: { state: true },
    variant: { state: true },
    sources: { state: true },
    config: { state: true },
  };
  declare columns: (typeof COLUMNS)[number];
  declare variant: (typeof VARIANTS)[number];
  /** Undefined until the board has loaded the sources. */
  declare sources: readonly ListedSource[] | undefined;
  /** The settings, including the look that was chosen in the Studio. */
  declare settings: Settings;
  declare config: Pick<StudioSettings, 'publicUrl' | 'access'>;

  constructor() {
    super();
    const query = new URLSearchParams(location.search);
    this.settings = settingsOf(keptLook());
    this.columns = COLUMNS.find((count) => count === query.get('columns')) ?? 'fit';
    this.variant = VARIANTS.find((variant) => variant === query.get('variant')) ?? 'card';
    this.sources = undefined;
    this.config = { publicUrl: location.origin, access: 'public' };
    this.addEventListener('pulse-board-load', ({ target, detail: { sources } }) => {
      this.sources = sources as readonly ListedSource[];
      void addSnippetLinks(
        target as HTMLElement,
        this.sources,
        (id) => new URL(`?source=${encodeURIComponent(id)}`, STUDIO_URL).href,
      );
    });
    void fetchConfig().then(
      (config) => (this.config = config),
      () => undefined,
    );
  }

  protected override render(): TemplateResult {
    const { columns, variant } = this;
    const { look } = this.settings;
    const theme = schemeOf(this.settings);
    const count = columns === 'fit' ? undefined : Number(columns);
    const { publicUrl, access } = this.config;
    const isPrivate = access === 'token';
    const snippet = boardCode(
      { baseUrl: publicUrl, sources: this.sources, columns: count, variant },
      isPrivate,
      this.settings,
    );
    const charts = bothWays({
      settings: this.settings,
      sources: this.sources ?? [],
      isOpen: this.#showsCharts,
      onChoose: this.#chooseCharts,
    });
    return html`${barTemplate({ page: 'board' })}
      <main class="page board" id="main" tabindex="-1">
        <header class="line">
          <h1>Board</h1>
          <p class="quiet" role="status">${this.sources === undefined ? nothing : sourceCount(this.sources.length)}</p>
          ${this.sources?.length === 0 ? nothing : html`<p class="quiet how">${icon('code')} opens the snippet of a card</p>`}
        </header>
        ${this.#showsCharts ? charts : nothing}
        <div class="ground" ${styleProperties(pageColors(look.colors))}>
          <pulse-board
            base-url=${BFF_URL}
            heading-level="2"
            columns=${count ?? nothing}
            variant=${variant}
            theme=${theme}
            chart-theme=${chartThemeOf(this.settings)}
            ${styleProperties(shownDeclarationsOf(look, theme))}
          ></pulse-board>
        </div>
        ${this.#showsCharts ? nothing : charts}
        <section class="panel take" aria-labelledby="take-title">
          <h2 id="take-title">Put this board on a page</h2>
          <div class="choices">
            <div>
              <p class="quiet">Columns</p>
              ${segmented({
                label: 'Columns',
                options: COLUMNS.map((value) => ({ value, label: value === 'fit' ? 'Auto' : value })),
                value: columns,
                onChange: (chosen) => this.#change({ columns: chosen }),
              })}
            </div>
            <div>
              <p class="quiet">Layout of the cards</p>
              ${segmented({
                label: 'Layout of the cards',
                options: VARIANTS.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) })),
                value: variant,
                onChange: (chosen) => this.#change({ variant: chosen }),
              })}
            </div>
            <copy-button label="Copy the board’s code" .text=${snippet}></copy-button>
          </div>
          ${isPrivate ? html`<p class="quiet">${TOKEN_NOTE}</p>` : nothing}
          <pre tabindex="0" role="group" dir="ltr" aria-label="Code of the board">${snippet.trimEnd()}</pre>
        </section>
      </main>`;
  }

  /**
   * Whether the URL asks for the comparison of light and dark charts. If it does, the comparison is expanded and comes
   * first.
   */
  readonly #showsCharts = new URLSearchParams(location.search).has('charts');

  readonly #chooseCharts = (chartTheme: 'light' | 'auto'): void => {
    this.settings = withAttribute(this.settings, 'chart-theme', chartTheme);
    keepLook(lookQueryOf(this.settings));
  };

  #change(change: Partial<Pick<BoardPage, 'columns' | 'variant'>>): void {
    Object.assign(this, change);
    const query = new URLSearchParams();
    if (this.columns !== 'fit') query.set('columns', this.columns);
    if (this.variant !== 'card') query.set('variant', this.variant);
    history.replaceState(null, '', query.size === 0 ? location.pathname : `?${query}`);
  }
}

customElements.define('board-page', BoardPage);
