/** Every string of a JSON text, with the colon after it where it is a name. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Says whether an object in `json`, a text that parses to `value`, has a name twice. Parsers differ in which of two values they
 * take (RFC 8259, 4), so what one part of a system checks need not be what another one uses.
 */
export function hasDuplicateNames(json: string, value: unknown): boolean {
  let written = 0;
  for (const [, colon] of json.matchAll(STRINGS)) if (colon !== undefined) written += 1;
  return written !== countOfNames(value);
}

function countOfNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return values.reduce<number>((sum, inner) => sum + countOfNames(inner), Array.isArray(value) ? 0 : values.length);
}
