/** What kind of fault it is and where it came from; its message and its cause may quote a request or a secret. */
export function faultName(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, place = 'an unknown place'] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${place}`;
}
