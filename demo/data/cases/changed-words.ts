/** The words of a pulse that an awkward source changes; what is not named stays as it is. */
export interface CaseTexts {
  readonly name?: string | null;
  readonly short?: string | null;
  readonly long?: string | null;
}
