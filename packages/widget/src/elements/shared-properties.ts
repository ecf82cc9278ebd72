import { LitElement, type PropertyDeclarations } from 'lit';
import { resolveBaseUrl } from '../base-url.ts';
import { SessionController, type SessionHost } from '../controllers/session.ts';
import type { Failure } from '../data/result.ts';
import { constantProvider, type TokenProvider } from '../data/token.ts';
import type { Variant } from './variants.ts';

/** The properties that the card and the board share. */
export abstract class SharedProperties extends LitElement implements SessionHost {
  static override properties: PropertyDeclarations = {
    baseUrl: { attribute: 'base-url', useDefault: true },
    variant: { useDefault: true },
    loading: { useDefault: true },
    theme: { useDefault: true },
    headingLevel: { attribute: 'heading-level', type: Number, useDefault: true },
    live: { type: Boolean },
    chartTheme: { attribute: 'chart-theme', useDefault: true },
    aiReviewedBy: { attribute: 'ai-reviewed-by', useDefault: true },
    aiReviewedRun: { attribute: 'ai-reviewed-run', useDefault: true },
    summaryLang: { attribute: 'summary-lang', useDefault: true },
    actions: { useDefault: true },
    history: { type: Boolean },
    token: { noAccessor: true },
    tokenProvider: { attribute: false, noAccessor: true },
    reader: { attribute: false, noAccessor: true },
  };

  /** The BFF's URL. The default is the URL that the script was loaded from. */
  declare baseUrl: string;
  /** The card's layout. */
  declare variant: Variant;
  /**
   * When the element sends its request: `lazy` near the viewport, `eager` immediately, and `click` after the reader
   * clicks a button.
   */
  declare loading: 'lazy' | 'eager' | 'click';
  /** The color scheme. `auto` follows the page's `color-scheme`. */
  declare theme: 'auto' | 'light' | 'dark';
  /**
   * The theme for charts that are drawn on white. `auto` makes the charts dark whenever the card is dark. `light` keeps
   * their light background.
   */
  declare chartTheme: 'light' | 'auto';
  /** The name in the "AI-generated, reviewed by …" label. At most 32 characters. Requires `aiReviewedRun`. */
  declare aiReviewedBy: string;
  /**
   * The ID of the run whose text was reviewed. Separate several IDs with spaces. Other runs keep the "AI-generated"
   * label.
   */
  declare aiReviewedRun: string;
  /** The language of the AI-generated text, if it differs from the page's language. */
  declare summaryLang: string;
  /** The buttons in the card's footer, separated by spaces: `copy`, `save`, `share`. */
  declare actions: string;
  /** Whether the expanded analysis lists the five previous findings at its end. The BFF must keep earlier runs. */
  declare history: boolean;
  /** The card's heading level, 2 to 6. */
  declare headingLevel: number;
  /** Checks for a new pulse about every 30 seconds while the page and the element are visible. */
  declare live: boolean;

  /** @internal */
  protected readonly _session: SessionController = new SessionController(this);

  constructor() {
    super();
    this.baseUrl = '';
    this.variant = 'card';
    this.loading = 'lazy';
    this.theme = 'auto';
    this.chartTheme = 'light';
    this.aiReviewedBy = '';
    this.aiReviewedRun = '';
    this.summaryLang = '';
    this.actions = '';
    this.history = false;
    this.headingLevel = 3;
    this.live = false;
  }

  /**
   * A function that returns the token for private pulses, or a promise of the token. It is called whenever a token is
   * needed.
   */
  get tokenProvider(): TokenProvider | undefined {
    return this._session.provider;
  }

  set tokenProvider(provider: TokenProvider | null | undefined) {
    if (this._session.setProvider(provider || undefined)) this.requestUpdate();
  }

  /**
   * A string that identifies the reader, such as a user ID. When the reader changes, the previous reader's content is
   * removed immediately.
   */
  get reader(): string | undefined {
    return this._session.reader;
  }

  set reader(reader: string | null | undefined) {
    if (this._session.setReader(reader ?? undefined)) this.requestUpdate();
  }

  /** A static token, for pages without a `tokenProvider`. */
  set token(value: string | null | undefined) {
    this.tokenProvider = value ? constantProvider(value) : undefined;
    this.removeAttribute('token');
  }

  /** The BFF's URL. @internal */
  get _bff(): string {
    return resolveBaseUrl(this.baseUrl);
  }

  /** @internal */
  abstract get _hasData(): boolean;

  /** @internal */
  abstract _onReaderChange(failure?: Failure): void;

  /** @internal */
  abstract _onTokenChange(): void;
}
