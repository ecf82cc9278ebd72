/** A card's messages in one language. */
export interface CardMessages {
  /** The language of these messages, as a BCP 47 tag. */
  readonly lang: string;
  readonly readAnalysis: string;
  readonly aiGenerated: string;
  /** The short form of the AI label, for narrow cards. */
  readonly aiShort: string;
  /** The AI label for reviewed text. `{name}` is replaced by the reviewer's name. */
  readonly aiReviewedBy: string;
  readonly earlierVersion: string;
  readonly updatesPaused: string;
  readonly updatesDelayed: string;
  readonly draft: string;
  readonly empty: string;
  readonly error: string;
  readonly unknown: string;
  /** Shown if the page isn't allowed to show the chart. */
  readonly forbidden: string;
  /** Shown if the reader isn't allowed to see the chart. */
  readonly noAccess: string;
  readonly signedOut: string;
  readonly badgeSignedOut: string;
  /** The name for a chart whose source has no name. */
  readonly chart: string;
  readonly noPicture: string;
  readonly noText: string;
  /** Announced to screen readers. `{count}` is replaced by the number of charts. */
  readonly chartsUpdated: string;
  readonly enlarge: string;
  readonly retry: string;
  /** The button for `loading="click"`. `{host}` is replaced by the BFF's host. */
  readonly showChart: string;
  /** The button that expands a truncated finding, if there is no analysis. */
  readonly readAll: string;
  readonly dashboard: string;
  readonly viewDelivery: string;
  /** How often a source usually has a new run. For an overdue source, this text follows the time. */
  readonly hourly: string;
  readonly daily: string;
  readonly weekdays: string;
  readonly weekly: string;
  readonly monthly: string;
  readonly overdue: string;
  /** Shown instead of a run's text if the BFF's operator has withheld it. */
  readonly withheld: string;
}

/** The messages in the code that is loaded only when a button or an attribute needs it. */
export interface ExtrasMessages {
  readonly copy: string;
  readonly save: string;
  readonly share: string;
  /** The button that opens the menu with copy, save, and share. */
  readonly actions: string;
  /** Shown after an action has failed. */
  readonly pressFailed: string;
  readonly close: string;
  readonly zoom: string;
  readonly copied: string;
  /** The last line in an image of a card. `{source}` is replaced by the provider and the page's host. */
  readonly sourceLine: string;
  /** The heading above the earlier findings. */
  readonly earlierFindings: string;
}

/** The messages that appear only in server-rendered cards. */
export interface ServerMessages {
  /** The badge for an earlier run opened from a permalink. `{date}` is replaced by the run's date. */
  readonly version: string;
}

/** A board's messages in one language. */
export interface BoardMessages extends CardMessages {
  readonly status: string;
  readonly all: string;
  readonly needsAttention: string;
  readonly upToDate: string;
  readonly provider: string;
  readonly allProviders: string;
  readonly sortBy: string;
  readonly attentionFirst: string;
  readonly newestFirst: string;
  readonly name: string;
  readonly noSources: string;
  readonly noList: string;
  readonly showCharts: string;
}

/** All messages in one language. */
export interface Messages extends BoardMessages, ExtrasMessages, ServerMessages {}

/** The English messages. Every other language has a separate file. */
export const ENGLISH: CardMessages = {
  lang: 'en',
  readAnalysis: 'Read the analysis',
  aiGenerated: 'AI-generated',
  aiShort: 'AI',
  aiReviewedBy: 'AI-generated, reviewed by {name}',
  earlierVersion: 'Earlier version',
  updatesPaused: 'Updates paused',
  updatesDelayed: 'Updates delayed',
  draft: 'Draft',
  empty: 'No chart yet. It appears after the next delivery.',
  error: 'This chart can’t be shown right now.',
  unknown: 'Chart not found.',
  forbidden: 'This site isn’t allowed to show this chart.',
  noAccess: 'You don’t have access to this chart.',
  signedOut: 'Sign in again to see the latest chart.',
  badgeSignedOut: 'Signed out',
  chart: 'Chart',
  noPicture: 'The chart image can’t be loaded.',
  noText: 'The text can’t be loaded right now.',
  chartsUpdated: 'Charts updated: {count}',
  enlarge: 'Enlarge the chart',
  retry: 'Try again',
  showChart: 'Show the chart from {host}',
  readAll: 'Read in full',
  dashboard: 'Open in the dashboard',
  viewDelivery: 'View delivery',
  hourly: 'usually hourly',
  daily: 'usually daily',
  weekdays: 'usually on weekdays',
  weekly: 'usually weekly',
  monthly: 'usually monthly',
  overdue: 'Overdue',
  withheld: 'The text was withheld by this site.',
};

/** The English messages in the code that is loaded only when a button or an attribute needs it. */
export const EXTRAS_ENGLISH: ExtrasMessages = {
  copy: 'Copy',
  save: 'Save as an image',
  share: 'Share',
  actions: 'Actions',
  pressFailed: 'That didn’t work. Try again.',
  close: 'Close',
  zoom: 'Zoom',
  copied: 'Copied',
  sourceLine: 'Source: {source}',
  earlierFindings: 'Earlier findings',
};

/** The English message that appears only in server-rendered cards. */
export const SERVER_ENGLISH: ServerMessages = { version: 'Version of {date}' };

/** The English messages that only a board uses. */
export const BOARD_ENGLISH: Omit<BoardMessages, keyof CardMessages> = {
  status: 'Status',
  all: 'All',
  needsAttention: 'Needs attention',
  upToDate: 'Up to date',
  provider: 'Provider',
  allProviders: 'All providers',
  sortBy: 'Sort by',
  attentionFirst: 'Needs attention first',
  newestFirst: 'Newest first',
  name: 'Name',
  noSources: 'No sources yet.',
  noList: 'The sources can’t be shown right now.',
  showCharts: 'Show the charts from {host}',
};
