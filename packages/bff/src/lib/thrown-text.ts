/** The message of an error from a function of the host application. */
export function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
