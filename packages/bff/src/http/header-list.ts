/**
 * Headers in the form that Node writes fastest: name, value, name, value. Names are compared exactly, because the BFF
 * itself writes all of them.
 */
export type HeaderList = readonly string[];

/** The first value of a header; undefined if the list doesn't contain the header. */
export function headerIn(headers: HeaderList, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

export function hasHeader(headers: HeaderList, name: string): boolean {
  return headerIn(headers, name) !== undefined;
}
