/** The message of an error that a function of the host application threw. */
export function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
