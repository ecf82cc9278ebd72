import type { Variant } from '../elements/variants.ts';

/** The options of a snippet. */
export interface SnippetOptions {
  readonly sourceId: string;
  /** The address of the BFF: `https:` or `http:`. */
  readonly baseUrl: string;
  /** The source's name, for readers without scripts and until the answer is there. @default 'Chart', without scripts only */
  readonly name?: string | null;
  /** @default 'card' */
  readonly variant?: Variant;
  /** The reviewer of the texts of `aiReviewedRun`; at most 32 characters. @default no reviewer */
  readonly aiReviewedBy?: string;
  /** The run whose texts were reviewed. The text before the script always says "AI-generated". @default none */
  readonly aiReviewedRun?: string;
  /**
   * The width of the chart divided by its height. If it is known, the chart also fits its column on sites that keep only links
   * and images.
   * @default 16/9; a narrower chart is shown whole, a wider one is cut at its end
   */
  readonly chartRatio?: number | undefined;
  /** `click` requests only the script until the reader presses a button; the snippet has no chart then. @default 'lazy' */
  readonly loading?: 'lazy' | 'eager' | 'click';
  /** Whether the chart is shown before the script. `false` for pages that ask for consent first. @default true */
  readonly picture?: boolean;
  /** Added to the folded height, in `em`: the same number as in `--pulse-card-extra-height`. @default 0 */
  readonly extraHeight?: number;
  /** Whether the pulse needs a token. Chart and link cannot send one and are left out. @default false */
  readonly isPrivate?: boolean;
  /** `frame` is an iframe, for pages that accept no third-party script. @default 'card' */
  readonly as?: 'card' | 'frame';
  /** A frame can't see its page, so it is light or dark: `auto` is light there. @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** Of an iframe, in pixels. @default all the width, with the height of the folded card */
  readonly width?: number;
  /** Of an iframe, in pixels. @default that of a folded card of this width */
  readonly height?: number;
  /** Of an iframe: the language of its words; see the BFF for those it knows. @default English */
  readonly language?: string;
  /** Of an iframe: the parameters of a look, as a query: `accent=b00020&radius=0`. @default the card's own look */
  readonly look?: string;
  /** Of an iframe: a script sets its height, instead of a wrapper with an inline style. @default false */
  readonly resizes?: boolean;
}
