/** Which ids readers may request (`PULSE_SOURCES`). */
export interface SourceRule {
  /** Whether all ids that were ever on the list are allowed. */
  readonly listed: boolean;
  /** Ids that the operator names. */
  readonly ids: readonly string[];
}
