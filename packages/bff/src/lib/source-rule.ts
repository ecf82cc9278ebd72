/** Which ids readers may request (`PULSE_SOURCES`). */
export interface SourceRule {
  /** Whether every id that was ever on the list is allowed. */
  readonly listed: boolean;
  /** Ids that the operator names. */
  readonly ids: readonly string[];
}
