/** The account and the key that an answer belongs to. */
export interface AnswerOwner {
  /** A digest of the account's id; undefined if the answer has no account, such as a 404 for a missing pulse. */
  readonly account: string | undefined;
  /** Identifies the key that was sent, without revealing it. */
  readonly keyName: string;
}

/**
 * The token of an answer that was restored after a restart. Any answer that this process receives replaces a restored
 * answer.
 */
export const RESTORED_TOKEN = 0;

/**
 * An answer from the upstream: its value, the time of its request, its rank, and the account and key that it belongs to.
 */
export interface Answer<Value> {
  readonly value: Value;
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  /**
   * Ranks the answers for one subject: an answer never replaces one with a higher token. `RESTORED_TOKEN` for
   * an answer that was restored after a restart.
   */
  readonly fencingToken: number;
  /** Undefined for an answer that an earlier process or another instance saved. */
  readonly owner?: AnswerOwner | undefined;
}
