import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import '@pulse-card/widget';
import { barTemplate } from '../shell/bar.ts';
import { bestSource } from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { IS_PREVIEW } from '../shell/preview.ts';
import { installStandIn } from '../states/install-stand-in.ts';
import { ALL_STATES } from '../states/stage-states.ts';
import { swatchId } from '../theme/color-controls.ts';
import '../theme/color-picker.ts';
import { FONTS, withColor } from '../theme/look.ts';
import { keptLook } from '../theme/kept-look.ts';
import { type NamedLook, storedLooks, storeLooks } from '../theme/named-looks.ts';
import { colorOf, contrastFor, type Scheme, type Swatch, TOKEN_NAMES } from '../theme/tokens.ts';
import { writeToClipboard } from '../ui/copy-button.ts';
import { AddressWriter } from './address-writer.ts';
import { barActionsTemplate } from './bar-actions.ts';
import { CardFacts } from './card-facts.ts';
import { Changes, undoKeyOf } from './changes.ts';
import { codePanel } from './code-panel.ts';
import type { CodeFacts } from './code-facts.ts';
import { controlsTemplate, OTHER } from './controls.ts';
import { firstView } from './first-view.ts';
import { noticeTemplate, sharedLookTemplate } from './notices.ts';
import { OwnLook } from './own-look.ts';
import { tokenOfPart } from './part-at.ts';
import { type PolicyFacts, policyFactsOf } from './policy.ts';
import { ServerFacts } from './server-facts.ts';
import {
  chartThemeOf,
  DEFAULT_SETTINGS,
  lookQueryOf,
  schemeOf,
  type Settings,
  settingsOf,
  SOURCE_ID,
  valueOf,
  withAttribute,
  withLook,
} from './settings.ts';
import { sitePanel } from './site-panel.ts';
import './stage.ts';
import { toolbar } from './toolbar.ts';
import './studio.css';

/** The state that can be undone. */
interface Shown {
  readonly settings: Settings;
  readonly looks: readonly NamedLook[];
}

/** The Studio: controls, stage, and code. The page's URL contains everything that is shown. */
export class StudioPage extends PageElement {
  static override properties: PropertyDeclarations = {
    settings: { state: true },
    looks: { state: true },
    refused: { state: true },
    hasOwnFont: { state: true },
    ownSource: { state: true },
    picking: { state: true },
    picked: { state: true },
  };
  declare settings: Settings;
  /** The looks that this person has saved. */
  declare looks: readonly NamedLook[];
  /** The rejected values, keyed by control ID. */
  declare refused: Readonly<Record<string, string>>;
  declare hasOwnFont: boolean;
  /** The ID that the person typed; undefined while a listed source is chosen. */
  declare ownSource: string | undefined;
  declare picking: boolean;
  /** The color that the picker changes. */
  declare picked: { readonly token: Swatch; readonly scheme: Scheme; readonly part?: string };

  readonly #changes = new Changes<Shown>();
  readonly #address = new AddressWriter();
  readonly #cards = new CardFacts(this, () => this.settings);
  readonly #server = new ServerFacts(this, () => this.#onServer());
  readonly #ownLook: OwnLook;
  #firstView = firstView();

  constructor() {
    super();
    installStandIn();
    this.settings = settingsAt(location.search);
    this.#ownLook = new OwnLook(location.search, this.settings);
    this.looks = storedLooks();
    this.refused = {};
    this.hasOwnFont = false;
    this.ownSource = refusedSource(location.search);
    this.picking = false;
    this.picked = { token: 'accent', scheme: 'light' };
    this.addEventListener('pulse-toggle', ({ detail: { open } }) => {
      if (this.settings.state !== ALL_STATES.value) this.#changeAttribute('open', String(open));
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('popstate', this.#readAddress);
    addEventListener('keydown', this.#onKey);
    addEventListener('resize', this.#followWindow);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('popstate', this.#readAddress);
    removeEventListener('keydown', this.#onKey);
    removeEventListener('resize', this.#followWindow);
  }

  protected override render(): TemplateResult {
    const { settings } = this;
    return html`${barTemplate({
        page: 'studio',
        skips: [
          ['controls', 'Skip to the controls'],
          ['stage', 'Skip to the card'],
          ['code', 'Skip to the code'],
        ],
        actions: barActionsTemplate({
          canUndo: this.#changes.canUndo,
          canRedo: this.#changes.canRedo,
          onStep: this.#step,
          onReset: this.#reset,
        }),
      })}
      ${noticeTemplate(this.#server.notice)}
      ${this.#ownLook.isShared ? sharedLookTemplate(this.#keepShared, this.#discardShared) : nothing}
      <main class="studio" id="main" tabindex="-1">
        <h1 class="unseen">Studio</h1>
        <div class="side" id="controls" tabindex="-1">
          ${controlsTemplate({
            settings,
            sources: this.#server.sources,
            refused: this.refused,
            hasOwnFont: this.hasOwnFont,
            ownSource: this.ownSource,
            run: this.#cards.of(settings.sourceId)?.run.id,
            looks: this.looks,
            onLooks: this.#changeLooks,
            onSavedLook: this.#showLook,
            onChange: this.#change,
            onAttribute: this.#changeAttribute,
            onLook: (look) => this.#change({ look }),
            onFont: this.#chooseFont,
            onOwnFont: this.#useOwnFont,
            onSource: this.#chooseSource,
            onSourceId: this.#useSourceId,
            onSwatch: this.#pickColor,
          })}
        </div>
        ${toolbar({ settings, picking: this.picking, onChange: this.#change, onPicking: (picking) => (this.picking = picking) })}
        <div class="middle" id="stage" tabindex="-1">
          <studio-stage
            .settings=${settings}
            .picking=${this.picking}
            .hasSource=${settings.sourceId !== '' || this.ownSource === undefined}
            .isLoading=${this.#server.sources === undefined}
            @width-change=${({ detail }: CustomEvent<number>) => this.#change({ width: detail })}
            @part-pick=${({ detail }: CustomEvent<string>) => this.#stylePart(detail)}
          ></studio-stage>
        </div>
        <div class="output">
          ${codePanel({ settings, facts: this.#codeFacts(), isComplete: this.#isCodeComplete, onChange: this.#change })}
          ${sitePanel({
            settings,
            config: this.#server.config,
            policy: this.#policyFacts(),
            problem: this.refused['site'],
            onSite: this.#checkSite,
          })}
        </div>
      </main>
      ${this.#picker()}`;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('settings')) this.#address.write(this.settings);
  }

  #picker(): TemplateResult {
    const { token, scheme, part } = this.picked;
    const { look } = this.settings;
    return html`<color-picker
      role="dialog"
      aria-label="${TOKEN_NAMES[token]}, ${scheme}"
      .label="${TOKEN_NAMES[token]}, ${scheme}"
      .color=${colorOf(look.colors, token, scheme)}
      .contrast=${contrastFor(look.colors, token, scheme)}
      .selector=${part === undefined ? '' : selectorOf(part)}
      @color-change=${({ detail }: CustomEvent<string | null>) => this.#change({ look: withColor(this.settings.look, token, scheme, detail) })}
    ></color-picker>`;
  }

  /** Whether all facts that the code depends on are known. For an ID that a person types, no card adds facts. */
  get #isCodeComplete(): boolean {
    return this.#cards.isComplete || (this.ownSource !== undefined && this.#server.sources !== undefined);
  }

  #onServer(): void {
    const { sources = [] } = this.#server;
    if (this.settings.sourceId === '' && sources.length > 0 && this.ownSource === undefined)
      this.settings = { ...this.settings, sourceId: bestSource(sources)?.id ?? '' };
    // Without sources, no card will add more facts.
    if (this.#server.sources === undefined) this.#cards.complete();
    void this.#server.readChartOrigin(this.settings.sourceId);
  }

  #policyFacts(): PolicyFacts {
    const { config, chartOrigin } = this.#server;
    return policyFactsOf(config, chartOrigin, this.settings.pinned ? config.script?.publishedUrl : null);
  }

  #codeFacts(): CodeFacts {
    const { sourceId } = this.settings;
    const { publicUrl, access, script, images } = this.#server.config;
    const shown = this.#cards.of(sourceId);
    // The BFF's own URL for a run's chart isn't public and expires with the run.
    const isPublic = images.mode === 'direct' && !IS_PREVIEW;
    return {
      baseUrl: publicUrl,
      name: this.#server.sources?.find(({ id }) => id === sourceId)?.name ?? shown?.name ?? null,
      isPrivate: access === 'token',
      isReleased: script !== null && script.publishedUrl !== null,
      chartRatio: shown?.chartRatio,
      run: shown && { ...shown.run, imageUrl: isPublic ? shown.run.imageUrl : null },
      pinned:
        script &&
        (script.publishedUrl === null ? 'unpublished' : { url: script.publishedUrl, integrity: script.integrity }),
    };
  }

  readonly #change = (change: Partial<Settings>, what?: string): void => {
    const changed = Object.entries(change).filter(([key, value]) => this.settings[key as keyof Settings] !== value);
    if (changed.length === 0) return;
    this.#changes.record(this.#shown(), what ?? changed.map(([key]) => key).join(), Date.now());
    this.#show({ ...this.settings, ...change });
  };

  readonly #changeAttribute = (name: string, value: string): void => {
    if (valueOf(this.settings, name) === value) return;
    const { attributes } = withAttribute(this.settings, name, value);
    this.#change({ attributes }, name);
  };

  #shown(): Shown {
    return { settings: this.settings, looks: this.looks };
  }

  readonly #changeLooks = (looks: readonly NamedLook[]): void => {
    this.#changes.record(this.#shown(), '', Date.now());
    this.#storeLooks(looks);
  };

  #storeLooks(looks: readonly NamedLook[]): void {
    this.looks = looks;
    storeLooks(looks);
  }

  /** Applies settings and saves their look. */
  #show(settings: Settings): void {
    const before = this.settings;
    this.settings = settings;
    if (lookQueryOf(settings) !== lookQueryOf(before)) this.#ownLook.update(settings);
    if (settings.sourceId !== before.sourceId) void this.#server.readChartOrigin(settings.sourceId);
  }

  readonly #step = (direction: 'undo' | 'redo'): void => {
    const shown = this.#changes[direction](this.#shown());
    if (shown === undefined) return;
    this.#show(shown.settings);
    if (shown.looks !== this.looks) this.#storeLooks(shown.looks);
    this.requestUpdate();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const direction = undoKeyOf(event);
    if (direction === undefined) return;
    event.preventDefault();
    this.#step(direction);
  };

  readonly #keepShared = (): void => {
    this.#ownLook.keep(this.settings);
    this.requestUpdate();
  };

  readonly #discardShared = (): void => {
    this.#showLook(this.#ownLook.discard());
    this.requestUpdate();
  };

  /** Applies a look given as a query. */
  readonly #showLook = (query: string): void => {
    const shown = settingsOf(withLook('', query), firstView());
    const themed = withAttribute(this.settings, 'theme', schemeOf(shown));
    const { attributes } = withAttribute(themed, 'chart-theme', chartThemeOf(shown));
    this.#change({ look: shown.look, attributes });
  };

  readonly #reset = (): void => {
    this.refused = {};
    this.hasOwnFont = false;
    this.ownSource = undefined;
    this.#change({ ...DEFAULT_SETTINGS, ...firstView(), sourceId: bestSource(this.#server.sources ?? [])?.id ?? '' });
  };

  readonly #readAddress = (): void => {
    this.settings = settingsAt(location.search);
    this.ownSource = refusedSource(location.search);
  };

  /**
   * When the window is resized, updates the view and the card's width to the new defaults, unless someone has changed
   * them.
   */
  readonly #followWindow = (): void => {
    const before = this.#firstView;
    this.#firstView = firstView();
    const { view, width } = this.settings;
    const next = {
      view: view === before.view ? this.#firstView.view : view,
      width: width === before.width ? this.#firstView.width : width,
    };
    if (next.view !== view || next.width !== width) this.settings = { ...this.settings, ...next };
  };

  readonly #chooseSource = (choice: string): void => {
    this.ownSource = choice === OTHER ? '' : undefined;
    this.#change({ sourceId: choice === OTHER ? '' : choice });
  };

  readonly #chooseFont = (choice: string): void => {
    this.hasOwnFont = choice === OTHER;
    if (choice !== OTHER) this.#change({ look: { ...this.settings.look, font: choice } });
  };

  readonly #useOwnFont = (font: string): void => {
    const isValid = !/[;{}<>\\]/.test(font) && (font === '' || CSS.supports('font-family', font));
    this.refused = {
      ...this.refused,
      'own-font': isValid ? undefined : 'This isn’t a list of fonts. Put names with spaces in quotes.',
    } as Record<string, string>;
    if (isValid)
      this.#change({ look: { ...this.settings.look, font: FONTS.some(({ value }) => value === font) ? '' : font } });
  };

  readonly #useSourceId = (id: string): void => {
    this.ownSource = id;
    this.#change({ sourceId: SOURCE_ID.test(id) ? id : '' });
  };

  readonly #checkSite = (site: string): void => {
    const problem = site === '' ? 'Enter the URL of your site, such as https://www.example.com.' : undefined;
    this.refused = { ...this.refused, site: problem } as Record<string, string>;
    this.#change({ site });
  };

  readonly #pickColor = (token: Swatch, scheme: Scheme, anchor: HTMLElement, part?: string): void => {
    this.picked = { token, scheme, ...(part !== undefined && { part }) };
    void this.updateComplete.then(() => this.querySelector('color-picker')?.openBeside(anchor));
  };

  /** Opens the color setting for a part of the card and copies the part's selector. */
  #stylePart(part: string): void {
    this.picking = false;
    void writeToClipboard(selectorOf(part));
    const token = tokenOfPart(part);
    const scheme = this.settings.view === 'dark' ? 'dark' : 'light';
    const swatch = document.getElementById(swatchId(token, scheme));
    for (let parent = swatch?.parentElement; parent; parent = parent.parentElement) {
      if (parent instanceof HTMLDetailsElement) parent.open = true;
    }
    if (swatch === null) return;
    swatch.scrollIntoView({ block: 'nearest' });
    swatch.focus();
    this.#pickColor(token, scheme, swatch, part);
  }
}

/** The settings in a URL. If the URL has no look, the saved look is used. */
function settingsAt(search: string): Settings {
  return settingsOf(withLook(search, keptLook()), firstView());
}

/** The source ID in a URL if it is invalid, otherwise undefined. */
function refusedSource(search: string): string | undefined {
  const id = new URLSearchParams(search).get('source') ?? '';
  return id === '' || SOURCE_ID.test(id) ? undefined : id;
}

function selectorOf(part: string): string {
  return `pulse-card::part(${part})`;
}

customElements.define('studio-page', StudioPage);
