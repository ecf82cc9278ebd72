/** The message of an error thrown by one of the host application's functions. */
export function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
