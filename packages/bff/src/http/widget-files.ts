import type { Representation } from './representation.ts';

/** The files of the built widget. */
export interface WidgetFiles {
  /** The `<hash>` of `/pulse-card-<hash>.js`. */
  readonly hash: string;
  /** The `integrity` of the script. */
  readonly integrity: string;
  /**
   * The script's address in its package on a CDN, which stays valid when this server is upgraded. Null if the script
   * isn't released.
   */
  readonly publishedUrl: string | null;
  /** All files that pages load, by path: script, style sheet, scripts of frames, languages. */
  readonly byPath: ReadonlyMap<string, Representation>;
}
