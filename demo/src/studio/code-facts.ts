/** The facts that the code depends on in addition to the settings. */
export interface CodeFacts {
  /** The public address of the BFF. */
  readonly baseUrl: string;
  /** The name of the source, if it is known. */
  readonly name: string | null;
  /** Whether readers need a token. */
  readonly isPrivate: boolean;
  /** The finding that the card shows, without its formatting characters; undefined if none is known. */
  readonly finding?: string | undefined;
  /** Whether the npm packages exist. */
  readonly isReleased: boolean;
  /** The width of the chart divided by its height, if it is known. */
  readonly chartRatio?: number | undefined;
  /** The visible run, which the code marks as reviewed if there is a reviewer. */
  readonly run?: string | undefined;
  /** The address of this release's script on a CDN, for pages that pin the script. Null if the server has no script. */
  readonly pinned: PublishedScript | 'unpublished' | null;
}

/** A script that stays the same when the server is upgraded. */
export interface PublishedScript {
  readonly url: string;
  readonly integrity: string;
}

/** Code to copy, and one sentence about it. */
export interface Code {
  readonly text: string;
  readonly note: string;
}
