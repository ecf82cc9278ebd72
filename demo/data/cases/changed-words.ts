/** The texts that an awkward source changes in a pulse. Omitted texts don't change. */
export interface CaseTexts {
  readonly name?: string | null;
  readonly short?: string | null;
  readonly long?: string | null;
}
