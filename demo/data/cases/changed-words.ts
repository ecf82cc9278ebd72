/** The texts of a pulse that an awkward source changes. Omitted texts don't change. */
export interface CaseTexts {
  readonly name?: string | null;
  readonly short?: string | null;
  readonly long?: string | null;
}
