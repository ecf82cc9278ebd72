import type { Variant } from '../elements/variants.ts';

/** The options for a snippet. */
export interface SnippetOptions {
  readonly sourceId: string;
  /** The BFF's URL: `https:` or `http:`. */
  readonly baseUrl: string;
  /**
   * The source's name, which is shown until the card has loaded and when JavaScript is disabled.
   * @default 'Chart', only when JavaScript is disabled
   */
  readonly name?: string | null;
  /** @default 'card' */
  readonly variant?: Variant;
  /**
   * The name in the "AI-generated, reviewed by …" label, at most 32 characters. Requires `aiReviewedRun`. @default no
   * reviewer
   */
  readonly aiReviewedBy?: string;
  /**
   * The ID of the run whose text was reviewed. Until the script has loaded, the snippet always shows "AI-generated".
   * @default none
   */
  readonly aiReviewedRun?: string;
  /**
   * The width of the chart divided by its height. If you set it, the chart also fits its column on sites that keep only
   * links and images.
   * @default 16/9. A narrower chart is shown whole, and a wider chart is cropped at its end
   */
  readonly chartRatio?: number | undefined;
  /**
   * With `click`, the snippet has no chart, and only the script is requested until the reader clicks a button.
   * @default 'lazy'
   */
  readonly loading?: 'lazy' | 'eager' | 'click';
  /**
   * Whether the chart is shown before the script has loaded. Set `false` on pages that ask for consent first.
   * @default true
   */
  readonly picture?: boolean;
  /**
   * The height to add to the collapsed card, in `em`. Use the same number in `--pulse-card-extra-height`.
   * @default 0
   */
  readonly extraHeight?: number;
  /**
   * Whether the pulse requires a token. The snippet for a private pulse has no chart or link, because requests for
   * them can't include a token.
   * @default false
   */
  readonly isPrivate?: boolean;
  /** `frame` returns an iframe, for pages that don't accept third-party scripts. @default 'card' */
  readonly as?: 'card' | 'frame';
  /** The color scheme. A frame can't tell its page's scheme, so `auto` is light in a frame. @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** The width of an iframe, in pixels. @default the full width, with the collapsed card's height */
  readonly width?: number;
  /** The height of an iframe, in pixels. @default the height of a collapsed card at this width */
  readonly height?: number;
  /** An iframe's language. @default English */
  readonly language?: string;
  /** An iframe's theme as query parameters, such as `accent=b00020&radius=0`. @default the default look */
  readonly look?: string;
  /** Whether a script sets the iframe's height, rather than a wrapper with an inline style. @default false */
  readonly resizes?: boolean;
}
