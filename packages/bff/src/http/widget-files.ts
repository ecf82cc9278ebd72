import type { Representation } from './representation.ts';

/** The files of the built widget. */
export interface WidgetFiles {
  /** The `<hash>` of `/pulse-card-<hash>.js`. */
  readonly hash: string;
  /** The `integrity` of the script. */
  readonly integrity: string;
  /**
   * The address of the script in its npm package on a CDN. The address stays valid when this server is upgraded. Null
   * if the script is not in a published package.
   */
  readonly publishedUrl: string | null;
  /** All files that pages load, by path: scripts, style sheets, and languages. */
  readonly byPath: ReadonlyMap<string, Representation>;
}
