/** The account and the key that an answer belongs to. */
export interface AnswerOwner {
  /** A digest of the account's id; undefined if the answer names none, as an absence does. */
  readonly account: string | undefined;
  /** Identifies the key that was sent, without revealing it. */
  readonly keyName: string;
}

/** An answer of the upstream: its value, the time of its request, its rank, and its owner. */
export interface Answer<Value> {
  readonly value: Value;
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  /**
   * An answer never replaces one about the same subject with a higher token. 0 for an answer that was restored after a
   * restart.
   */
  readonly fencingToken: number;
  /** Undefined for an answer that was saved by an earlier process, or by another instance. */
  readonly owner?: AnswerOwner | undefined;
}
