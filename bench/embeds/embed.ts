/** Where an embed finds what it needs: every address is on this machine. */
export interface Addresses {
  /** The origin of scripts, data and frames. */
  readonly embed: string;
  /** The origin of images. */
  readonly images: string;
}

/** Something that a page can embed, as its own documentation has pages do it. */
export interface Embed {
  readonly name: string;
  /** The npm package whose version is told. */
  readonly packageName: string;
  /** File in `entries/`, without ending, that is bundled; absent for a script that is one file already. */
  readonly entry?: string;
  /** The script's name on the embed's origin; empty for what needs none. */
  readonly script: string;
  /** What a page needs of a policy beside script, data and images. */
  readonly alsoNeeds: readonly ('style-src' | 'frame-src')[];
  /** What the figure on errors fails: data, frame or image; undefined where nothing is asked for. */
  readonly failing: 'data' | 'frame' | 'image' | undefined;
  /** It is a part of a page's own script, so nobody loads it twice. @default false */
  readonly isPartOfPage?: boolean;
  /** HTML of one instance. */
  markup(at: Addresses, id: string): string;
}
