/** The texts of a pulse that an awkward source changes. Omitted ones stay as they are. */
export interface CaseTexts {
  readonly name?: string | null;
  readonly short?: string | null;
  readonly long?: string | null;
}
