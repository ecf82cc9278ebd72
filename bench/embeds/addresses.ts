/** Where an embed finds what it needs: every address is on this machine. */
export interface Addresses {
  /** The origin of scripts, data and frames. */
  readonly embed: string;
  /** The origin of images. */
  readonly images: string;
}
