/** The limit that a log holds its callers to. */
export interface RateRule {
  /** Most calls in any window. */
  limit: number;
  windowMs: number;
}

/** How a caller's window stands after a call. */
export interface WindowState {
  /** False for a call over the limit, which is not counted. */
  granted: boolean;
  /** Calls that count in the window, this one included when it was granted. */
  used: number;
  /** Until the oldest call leaves the window. */
  resetInMs: number;
}

/** A sliding log of calls: in any window, whenever it begins, no caller is granted more than the limit. */
export interface RateLog {
  take(caller: string): WindowState | Promise<WindowState>;
}
