import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { PulseCard, PulseLoadDetail, PulseUpdateDetail } from '@pulse-card/widget';
import '@pulse-card/widget';
import { barTemplate } from '../shell/bar.ts';
import {
  bestSource,
  fetchConfig,
  fetchImageOrigin,
  fetchSources,
  fetchTrouble,
  type ListedSource,
  type StudioConfig,
} from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { IS_PREVIEW } from '../shell/preview.ts';
import { STUDIO_URL } from '../shell/studio-url.ts';
import { installStandIn } from '../states/install-stand-in.ts';
import { swatchId } from '../theme/colour-controls.ts';
import '../theme/colour-picker.ts';
import { FONTS, withColour } from '../theme/look.ts';
import { keptLook, shareUrl } from '../theme/kept-look.ts';
import { colourOf, contrastFor, type Scheme, type Swatch, TOKEN_NAMES } from '../theme/tokens.ts';
import { verdict } from '../ui/badge.ts';
import { writeToClipboard } from '../ui/copy-button.ts';
import { icon } from '../ui/icons.ts';
import { Changes, undoKeyOf } from './changes.ts';
import { codePanel } from './code-panel.ts';
import type { CodeFacts } from './code-facts.ts';
import { controlsTemplate, OTHER } from './controls.ts';
import { OwnLook } from './own-look.ts';
import { tokenOfPart } from './part-at.ts';
import { policyFactsOf } from './policy.ts';
import { DEFAULT_SETTINGS, queryOf, type Settings, settingsOf, SOURCE_ID, withLook } from './settings.ts';
import { sitePanel } from './site-panel.ts';
import './stage.ts';
import { toolbar } from './toolbar.ts';
import './studio.css';

/** Below this width the Studio has one column, in pixels: `studio.css` says the same. */
const ONE_COLUMN_PX = 992;

/** Below this width a card takes all of it, in pixels. */
const PHONE_PX = 560;

/** How soon the sources are asked for again after a failure. */
const RETRY_MS = 10_000;

/** Safari refuses more than 100 changes of an address in 10 seconds; a slider makes as many in two. */
const ADDRESS_MS = 200;

const NO_SOURCES = {
  kind: 'neutral',
  words: 'This account has no sources yet, so the card shows a sample. Make one in the dashboard of the service.',
} as const;

const PREVIEW = {
  kind: 'neutral',
  words:
    'A preview with the demo’s charts. In the code, put the address of your own server for https://pulse.example.com.',
} as const;

/** The settings that are assumed of a BFF that does not tell its own. */
const UNKNOWN_CONFIG: StudioConfig = {
  publicUrl: location.origin,
  allowedOrigins: [],
  ownOrigins: [location.origin],
  access: 'public',
  sources: { listed: true, ids: [] },
  exposed: [],
  script: null,
  images: { mode: 'direct', hosts: [] },
  version: '',
};

/** The Studio: controls, stage and code. Its address holds everything that is shown. */
export class StudioPage extends PageElement {
  static override properties: PropertyDeclarations = {
    settings: { state: true },
    sources: { state: true },
    config: { state: true },
    notice: { state: true },
    names: { state: true },
    chartOrigin: { state: true },
    chartRatios: { state: true },
    runs: { state: true },
    refused: { state: true },
    hasOwnFont: { state: true },
    ownSource: { state: true },
    findings: { state: true },
    isComplete: { state: true },
    picking: { state: true },
    picked: { state: true },
  };
  declare settings: Settings;
  /** Undefined until the BFF has answered. */
  declare sources: readonly ListedSource[] | undefined;
  declare config: StudioConfig;
  /** Why there is nothing to show. */
  declare notice: { readonly kind: 'danger' | 'neutral'; readonly words: string } | undefined;
  /** The names of sources that the list leaves out, as their pulses say them. */
  declare names: Readonly<Record<string, string>>;
  declare chartOrigin: string | undefined;
  /** The width of each source's chart divided by its height. */
  declare chartRatios: Readonly<Record<string, number>>;
  declare runs: Readonly<Record<string, string>>;
  declare refused: Readonly<Record<string, string>>;
  declare hasOwnFont: boolean;
  /** The id that was typed; undefined while a listed source is chosen. */
  declare ownSource: string | undefined;
  /** The findings of sources, as their pulses have them. */
  declare findings: Readonly<Record<string, string>>;
  /** Whether the code has all that it depends on: before that, it would change while it is read. */
  declare isComplete: boolean;
  declare picking: boolean;
  /** The colour that the picker changes. */
  declare picked: { readonly token: Swatch; readonly scheme: Scheme; readonly part?: string };

  readonly #changes = new Changes<Settings>();
  readonly #ownLook: OwnLook;
  #firstView = firstView();
  #writtenAt = 0;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    installStandIn();
    this.settings = settingsAt(location.search);
    this.#ownLook = new OwnLook(location.search, this.settings);
    this.sources = undefined;
    this.config = UNKNOWN_CONFIG;
    this.notice = undefined;
    this.names = {};
    this.chartOrigin = undefined;
    this.chartRatios = {};
    this.runs = {};
    this.refused = {};
    this.hasOwnFont = false;
    this.ownSource = refusedSource(location.search);
    this.findings = {};
    this.isComplete = false;
    this.picking = false;
    this.picked = { token: 'accent', scheme: 'light' };
    addEventListener('popstate', this.#readAddress);
    addEventListener('keydown', this.#onKey);
    addEventListener('resize', this.#followWindow);
    this.addEventListener('pulse-load', ({ detail: { pulse } }) => {
      this.#rememberName(pulse.sourceId, pulse.sourceName);
      this.#rememberFinding(pulse.sourceId, pulse.aiSummaryShort);
      void this.#rememberChartRatio(pulse.sourceId, pulse.imageUrl).then(this.#complete);
    });
    for (const type of ['pulse-load', 'pulse-update'] as const) this.addEventListener(type, this.#rememberRun);
    for (const type of ['pulse-empty', 'pulse-error'] as const) this.addEventListener(type, this.#complete);
    this.addEventListener('pulse-toggle', ({ detail: { open } }) => this.#change({ open }));
    void this.#load();
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
        actions: this.#barActions(),
      })}
      ${this.#noticeTemplate()}${this.#sharedLookTemplate()}
      <main class="studio ${settings.width === 'compare' ? 'comparing' : ''}" id="main" tabindex="-1">
        <h1 class="unseen">Studio</h1>
        <div class="side" id="controls" tabindex="-1">
          ${controlsTemplate({
            settings,
            sources: this.sources,
            refused: this.refused,
            hasOwnFont: this.hasOwnFont,
            ownSource: this.ownSource,
            run: this.runs[settings.sourceId],
            onChange: this.#change,
            onLook: (look) => this.#change({ look }),
            onFont: this.#chooseFont,
            onOwnFont: this.#useOwnFont,
            onSource: this.#chooseSource,
            onSourceId: this.#useSourceId,
            onSwatch: this.#pickColour,
          })}
        </div>
        ${toolbar({ settings, picking: this.picking, onChange: this.#change, onPicking: (picking) => (this.picking = picking) })}
        <div class="middle" id="stage" tabindex="-1">
          <studio-stage
            .settings=${settings}
            .picking=${this.picking}
            .hasSource=${settings.sourceId !== '' || this.ownSource === undefined}
            .isLoading=${this.sources === undefined}
            @width-change=${({ detail }: CustomEvent<number>) => this.#change({ width: detail })}
            @part-pick=${({ detail }: CustomEvent<string>) => this.#stylePart(detail)}
          ></studio-stage>
        </div>
        <div class="output">
          ${codePanel({ settings, facts: this.#codeFacts(), isComplete: this.isComplete, onChange: this.#change })}
          ${sitePanel({ settings, config: this.config, policy: policyFactsOf(this.config, this.chartOrigin, settings.pinned ? this.config.script?.publishedUrl : null), problem: this.refused['site'], onSite: this.#checkSite })}
        </div>
      </main>
      ${this.#picker()}`;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('settings')) this.#writeAddress();
  }

  #writeAddress(): void {
    clearTimeout(this.#addressTimer);
    const waitMs = this.#writtenAt + ADDRESS_MS - Date.now();
    if (waitMs > 0) {
      this.#addressTimer = setTimeout(() => this.#writeAddress(), waitMs);
      return;
    }
    this.#writtenAt = Date.now();
    const query = queryOf(this.settings);
    history.replaceState(null, '', query === '' ? location.pathname : `?${query}`);
  }

  #barActions(): TemplateResult {
    const { canUndo, canRedo } = this.#changes;
    return html`<button
        type="button"
        class="button plain"
        title="Undo (Ctrl+Z)"
        ?disabled=${!canUndo}
        @click=${() => this.#step('undo')}
      >
        ${icon('reset')}<span>Undo</span>
      </button>
      <button
        type="button"
        class="button plain wide-only"
        title="Redo (Ctrl+Shift+Z)"
        ?disabled=${!canRedo}
        @click=${() => this.#step('redo')}
      >
        Redo
      </button>
      <button type="button" class="button plain wide-only" @click=${this.#reset}>Reset</button>
      <copy-button kind="second" label="Share this look" .text=${shareUrl}></copy-button>`;
  }

  #sharedLookTemplate(): TemplateResult | typeof nothing {
    if (!this.#ownLook.isShared) return nothing;
    return html`<div class="notice neutral" role="status">
      ${verdict('neutral', 'This look came with a link. Your own look is kept until you decide.')}
      <span class="choices">
        <button type="button" class="button" @click=${this.#keepShared}>Keep</button>
        <button type="button" class="button" @click=${this.#discardShared}>Discard</button>
      </span>
    </div>`;
  }

  #noticeTemplate(): TemplateResult | typeof nothing {
    if (this.notice === undefined) return nothing;
    const { kind, words } = this.notice;
    const more = kind === 'danger' ? html` <a href=${new URL('status/', STUDIO_URL).href}>Status</a>` : nothing;
    return html`<div class="notice ${kind}" role=${kind === 'danger' || !IS_PREVIEW ? 'alert' : 'note'}>
      ${verdict(kind, html`${words}${more}`)}
    </div>`;
  }

  #picker(): TemplateResult {
    const { token, scheme, part } = this.picked;
    const { look } = this.settings;
    return html`<colour-picker
      role="dialog"
      aria-label="${TOKEN_NAMES[token]}, ${scheme}"
      .label="${TOKEN_NAMES[token]}, ${scheme}"
      .colour=${colourOf(look.colours, token, scheme)}
      .contrast=${contrastFor(look.colours, token, scheme)}
      .selector=${part === undefined ? '' : selectorOf(part)}
      @colour-change=${({ detail }: CustomEvent<string | null>) => this.#change({ look: withColour(this.settings.look, token, scheme, detail) })}
    ></colour-picker>`;
  }

  async #load(): Promise<void> {
    const [config, sources] = await Promise.allSettled([fetchConfig(), fetchSources()]);
    if (config.status === 'fulfilled') this.config = config.value;
    if (sources.status === 'fulfilled') {
      this.sources = sources.value;
      this.notice = IS_PREVIEW ? PREVIEW : sources.value.length === 0 ? NO_SOURCES : undefined;
    } else {
      this.notice = { kind: 'danger', words: (await fetchTrouble()) ?? (sources.reason as Error).message };
      setTimeout(() => void this.#load(), RETRY_MS);
    }
    const [first] = this.sources ?? [];
    if (this.settings.sourceId === '' && first !== undefined && this.ownSource === undefined)
      this.settings = { ...this.settings, sourceId: bestSource(this.sources ?? [])?.id ?? '' };
    // No card tells more about these.
    if (this.sources === undefined || this.ownSource !== undefined) this.isComplete = true;
    void this.#readChartOrigin();
  }

  async #readChartOrigin(): Promise<void> {
    const { sourceId } = this.settings;
    this.chartOrigin = sourceId === '' ? undefined : await fetchImageOrigin(sourceId).catch(() => undefined);
  }

  #codeFacts(): CodeFacts {
    const { sourceId } = this.settings;
    const { publicUrl, access, script } = this.config;
    return {
      baseUrl: publicUrl,
      name: this.sources?.find(({ id }) => id === sourceId)?.name ?? this.names[sourceId] ?? null,
      isPrivate: access === 'token',
      finding: this.findings[sourceId],
      isReleased: script !== null && script.publishedUrl !== null,
      chartRatio: this.chartRatios[sourceId],
      run: this.runs[sourceId],
      pinned:
        script &&
        (script.publishedUrl === null ? 'unpublished' : { url: script.publishedUrl, integrity: script.integrity }),
    };
  }

  #rememberName(sourceId: string, name: string | null): void {
    if (name !== null && this.names[sourceId] === undefined && this.settings.state === 'fresh')
      this.names = { ...this.names, [sourceId]: name };
  }

  /** A reviewer has seen the run that the stage shows. */
  readonly #rememberRun = (event: CustomEvent<PulseLoadDetail | PulseUpdateDetail>): void => {
    const { pulse } = event.detail;
    (event.composedPath()[0] as PulseCard).aiReviewedRun = pulse.jobRunId;
    this.runs = { ...this.runs, [pulse.sourceId]: pulse.jobRunId };
  };

  #rememberFinding(sourceId: string, finding: string | null): void {
    if (finding !== null && this.settings.state === 'fresh')
      this.findings = { ...this.findings, [sourceId]: finding.replaceAll(/[*`]/g, '') };
  }

  async #rememberChartRatio(sourceId: string, url: string | null): Promise<void> {
    if (url === null || this.chartRatios[sourceId] !== undefined || this.settings.state !== 'fresh') return;
    const chart = new Image();
    chart.src = url;
    const isLoaded = await chart.decode().then(
      () => true,
      () => false,
    );
    if (isLoaded) this.chartRatios = { ...this.chartRatios, [sourceId]: chart.naturalWidth / chart.naturalHeight };
  }

  readonly #complete = (): void => {
    this.isComplete = true;
  };

  readonly #change = (change: Partial<Settings>): void => {
    const changed = Object.entries(change).filter(([key, value]) => this.settings[key as keyof Settings] !== value);
    if (changed.length === 0) return;
    this.#changes.record(this.settings, changed.map(([key]) => key).join(), Date.now());
    this.#show({ ...this.settings, ...change });
  };

  /** Shows settings, and keeps their look. */
  #show(settings: Settings): void {
    const before = this.settings;
    this.settings = settings;
    const { look, theme, chartTheme } = settings;
    if (look !== before.look || theme !== before.theme || chartTheme !== before.chartTheme)
      this.#ownLook.update(settings);
    if (settings.sourceId !== before.sourceId) void this.#readChartOrigin();
  }

  #step(direction: 'undo' | 'redo'): void {
    const settings = this.#changes[direction](this.settings);
    if (settings !== undefined) this.#show(settings);
    this.requestUpdate();
  }

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
    const own = settingsOf(withLook('', this.#ownLook.discard()), firstView());
    const { look, theme, chartTheme } = own;
    this.#change({ look, theme, chartTheme });
    this.requestUpdate();
  };

  readonly #reset = (): void => {
    this.refused = {};
    this.hasOwnFont = false;
    this.ownSource = undefined;
    this.#change({ ...DEFAULT_SETTINGS, ...firstView(), sourceId: bestSource(this.sources ?? [])?.id ?? '' });
  };

  readonly #readAddress = (): void => {
    this.settings = settingsAt(location.search);
    this.ownSource = refusedSource(location.search);
  };

  /** When the window changes its width, replaces view and width by the defaults for the new one, unless they were changed. */
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
      'own-font': isValid ? undefined : 'Not a list of fonts. Put names with spaces in quotes.',
    } as Record<string, string>;
    if (isValid)
      this.#change({ look: { ...this.settings.look, font: FONTS.some(({ value }) => value === font) ? '' : font } });
  };

  readonly #useSourceId = (id: string): void => {
    this.ownSource = id;
    this.#change({ sourceId: SOURCE_ID.test(id) ? id : '' });
  };

  readonly #checkSite = (site: string): void => {
    const problem = site === '' ? 'Type the address of your site, such as https://www.example.com.' : undefined;
    this.refused = { ...this.refused, site: problem } as Record<string, string>;
    this.#change({ site });
  };

  readonly #pickColour = (token: Swatch, scheme: Scheme, anchor: HTMLElement, part?: string): void => {
    this.picked = { token, scheme, ...(part !== undefined && { part }) };
    void this.updateComplete.then(() => this.querySelector('colour-picker')?.openBeside(anchor));
  };

  /** Leads from a part of the card to its colour, and copies its selector. */
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
    this.#pickColour(token, scheme, swatch, part);
  }
}

/** The settings that an address names, in the look that is kept where it names none. */
function settingsAt(search: string): Settings {
  return settingsOf(withLook(search, keptLook()), firstView());
}

/** The id in an address if no source can have it. */
function refusedSource(search: string): string | undefined {
  const id = new URLSearchParams(search).get('source') ?? '';
  return id === '' || SOURCE_ID.test(id) ? undefined : id;
}

/** The first view: a narrow window shows one page, and a phone shows the card as wide as the phone. */
function firstView(): Pick<Settings, 'view' | 'width'> {
  const { view, width } = DEFAULT_SETTINGS;
  if (innerWidth >= ONE_COLUMN_PX) return { view, width };
  return { view: 'light', width: innerWidth < PHONE_PX ? 'full' : width };
}

/** The selector of a part of the card. */
function selectorOf(part: string): string {
  return `pulse-card::part(${part})`;
}

customElements.define('studio-page', StudioPage);
