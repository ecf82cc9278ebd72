/** A problem in words, for the log, alerts, `/readyz`, `/status`, and `pulse-bff check`. */
export interface Problem {
  /**
   * The code of a row in the table of problems. If the problem causes an error for readers, it is that error's code.
   */
  readonly code: string;
  /**
   * `down`: charts aren't refreshed, or most readers get none. `degraded`: something doesn't work as well as it should.
   * `notice`: the problem is never used as the headline.
   */
  readonly level: 'down' | 'degraded' | 'notice';
  /** The problem in one sentence. */
  readonly headline: string;
  /** The advice, and what happens if the operator doesn't follow it. */
  readonly advice: string;
  /** The source, if the problem affects a single source. */
  readonly sourceId?: string;
  /** The chart host, if the problem affects a single host. */
  readonly host?: string;
  /** Changes when the same problem gets worse. */
  readonly stage?: string;
}

/** Identifies a problem as long as it lasts, even if its text changes. */
export function topicOf({ code, sourceId, host }: Problem): string {
  const part = sourceId ?? host;
  return part === undefined ? code : `${code} ${part}`;
}
