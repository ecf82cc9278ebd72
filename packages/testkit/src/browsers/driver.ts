/** A browser that is controlled remotely, regardless of the protocol. */
export interface Driver extends AsyncDisposable {
  open(url: string): Promise<void>;
  /** Evaluates a JavaScript expression in the page. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** A screenshot of the window as a PNG. */
  picture(): Promise<Buffer>;
}

/** The window size of every browser. */
export const WINDOW = { width: 640, height: 760 } as const;
