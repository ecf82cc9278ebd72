/** Which ids readers may request (`PULSE_SOURCES`). */
export interface SourceRule {
  /** Allows every id that was ever on the list. */
  readonly listed: boolean;
  /** Ids that are allowed by name. */
  readonly ids: readonly string[];
}
