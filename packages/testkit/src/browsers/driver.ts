/** A browser under remote control, by any protocol. */
export interface Driver extends AsyncDisposable {
  /** Name and version, as the browser gives them. */
  readonly title: string;
  readonly protocol: string;
  open(url: string): Promise<void>;
  /** The value of a JavaScript expression in the page. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** The window as a PNG. */
  picture(): Promise<Buffer>;
}

/** Size of the window that every browser gets. */
export const WINDOW = { width: 640, height: 760 } as const;
