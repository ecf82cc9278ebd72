/** The URLs that an embed needs. All of them are on this machine. */
export interface Addresses {
  /** The origin of scripts, data, and frames. */
  readonly embed: string;
  /** The origin of images. */
  readonly images: string;
}
