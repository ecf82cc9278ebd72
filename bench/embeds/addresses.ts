/** The addresses that an embed needs. All addresses are on this machine. */
export interface Addresses {
  /** The origin of scripts, data, and frames. */
  readonly embed: string;
  /** The origin of images. */
  readonly images: string;
}
