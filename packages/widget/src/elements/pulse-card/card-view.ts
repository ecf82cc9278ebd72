import type { markdownTemplate } from '../../after-paint/markdown-template.ts';
import { isErrorVisible, type ResourceState } from '../../controllers/resource-state.ts';
import type { ListedSource } from '../../data/parse-sources.ts';
import { type FailureKind, failureKind } from '../../i18n/failure-kind.ts';
import type { CardMessages } from '../../i18n/messages.ts';

/** The view model for a card. */
export interface CardView extends WaitingView, NoticeView {
  readonly state: ResourceState;
  readonly variant: string;
  readonly theme: string;
  readonly headingLevel: number;
  /** The name to show if the response doesn't include one. */
  readonly label: string | null | undefined;
  /** The source in the board's list. */
  readonly listing: ListedSource | null;
  /** The dates' language. */
  readonly language: string;
  /** The pulse's age in words. */
  readonly ago: string | undefined;
  readonly absoluteTime: (iso: string, format?: Intl.DateTimeFormatOptions) => string;
  readonly chart: ChartView;
  /** The URL of the snippet's image, if the card keeps this image during an outage. */
  readonly keptPicture?: string | undefined;
  readonly isOpen: boolean;
  /** Whether the analysis is rendered as Markdown. Until then, it is plain text that find-in-page can find. */
  readonly isAnalysisBuilt: boolean;
  /** Renders Markdown blocks. Undefined until its code has loaded. */
  readonly markdownTemplate?: typeof markdownTemplate | undefined;
  /** Whether the card has too little space for the whole finding. */
  readonly isFindingCut: boolean;
  /** Renders a part of the card whose code loads later. */
  readonly extraTemplate?: (part: 'actions' | 'enlarged' | 'history') => unknown;
  /** The badge for a card that shows an earlier run from a permalink. */
  readonly version?: string | undefined;
  /**
   * Whether the browser loads the chart only when it is near the viewport. Used only for server-rendered cards: in a
   * browser, the card itself waits.
   */
  readonly isChartLazy?: boolean;
  /** The reviewer in the AI label. */
  readonly aiReviewedBy: string;
  /** Whether to darken charts that have a white background. */
  readonly isChartDark: boolean;
  /** Whether the browser is printing the page. If so, a card that hasn't loaded shows its URL. */
  readonly isPrinting?: boolean;
  /** The URL of the card's page, which shows the latest run. Undefined if the card is private. */
  readonly permalink?: string | undefined;
  /** The language of the text, if it differs from the page's language. */
  readonly summaryLang: string;
  /**
   * Whether the card fills its container, such as a frame. If so, the first lines of the analysis use the remaining
   * space.
   */
  readonly fill?: boolean;
  readonly onToggle?: (event: Event) => void;
  readonly onEnlarge?: () => void;
  /** Called when the reader opens the source. */
  readonly onOpenSource?: () => void;
}

/** The image of a chart. */
export interface ChartView {
  readonly url: string | null | undefined;
  readonly isMissing: boolean;
  /** Whether the browser still shows the previous image. */
  readonly isOutdated?: boolean;
  /** Counts the attempts to load the image. */
  readonly attempt: number;
  readonly onLoad?: () => void;
  readonly onError?: () => void;
}

/** The placeholder for a card or a board that has no data yet. */
export interface WaitingView {
  /** Whether the page has provided content that is shown until there is data. */
  readonly hasFallback: boolean;
  readonly onFallbackChange?: () => void;
}

/** What a message depends on. */
export interface NoticeView {
  readonly state: ResourceState<unknown>;
  readonly messages: CardMessages;
  /** The host that the button for `loading="click"` shows. */
  readonly askedHost?: string | undefined;
  readonly onRetry?: () => void;
}

/** The kind of message that replaces a pulse: a failure, or "empty" if there is neither a chart nor text. */
export function noticeKind({ state, variant }: CardView): FailureKind | undefined {
  const { data } = state;
  if (!data) return isErrorVisible(state) ? failureKind(state.failure) : undefined;
  const isText = variant === 'text' || variant === 'compact' || !data.imageUrl;
  return isText && !(data.aiSummaryShort ?? data.aiSummaryLong) && !data.withheld ? 'empty' : undefined;
}

/**
 * Whether the reader's session has ended. If so, the card shows its pulse for a while, but the reader can't copy or
 * save it.
 */
export function isSignedOut({ state }: Pick<CardView, 'state'>): boolean {
  return state.failure?.code === 'signed_out';
}

export function nameOf(view: CardView): string | undefined {
  const { state, listing, label } = view;
  const kind = noticeKind(view);
  // A source that is missing or forbidden has no name.
  const isHidden = kind === 'unknown' || kind === 'forbidden' || kind === 'noAccess';
  const ownLabel = isHidden ? undefined : label || undefined;
  return listing?.name ?? state.data?.sourceName ?? state.source?.name ?? ownLabel;
}

export function levelOf({ headingLevel }: CardView): number {
  return headingLevel >= 2 && headingLevel < 7 ? headingLevel | 0 : 3;
}
