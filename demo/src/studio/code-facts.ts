/** The facts that the code depends on in addition to the settings. */
export interface CodeFacts {
  /** The public URL of the BFF. */
  readonly baseUrl: string;
  /** The source's name, if known. */
  readonly name: string | null;
  /** Whether readers need a token. */
  readonly isPrivate: boolean;
  /** Whether the npm packages have been published. */
  readonly isReleased: boolean;
  /** The CDN URL of this release's script, for pages that pin the script. Null if the server has no script. */
  readonly pinned: PublishedScript | 'unpublished' | null;
  /** The run that is shown. Undefined until one is known. */
  readonly run?: RunFacts | undefined;
  /** The chart's aspect ratio (width divided by height), if known. */
  readonly chartRatio?: number | undefined;
  /** Milliseconds since the Unix epoch. @default now */
  readonly now?: number;
}

/** The run that a card shows. */
export interface RunFacts {
  readonly id: string;
  readonly completedAt: string | null;
  /** The finding with the formatting stripped. */
  readonly finding: string | null;
  /** The URL of this run's own chart, if everyone can load it. */
  readonly imageUrl: string | null;
}

/** A script that stays the same when the server is upgraded. */
export interface PublishedScript {
  readonly url: string;
  readonly integrity: string;
}

/** Code to copy and one sentence about it. */
export interface Code {
  readonly text: string;
  readonly note: string;
}
