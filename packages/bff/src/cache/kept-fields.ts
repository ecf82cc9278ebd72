import { EXPOSABLE_FIELDS, type ExposableField, type ReadPulse, type ReadSource } from '@pulse-card/contract';
import { type Content, isList } from '../upstream/subject.ts';

/** The fields that `PULSE_EXPOSE` lists. */
export type ExposedFields = ReadonlySet<ExposableField>;

/** Every field that can be exposed. */
export const ALL_FIELDS: ExposedFields = new Set(EXPOSABLE_FIELDS);

/** The keys of each field, in pulses and in sources. */
const KEYS: Readonly<Record<ExposableField, readonly string[]>> = {
  link: ['link'],
  deliveryLink: ['deliveryLink'],
  connectionCount: ['connectionCount'],
  organization: ['organizationId', 'organizationName', 'organizationSlug'],
};

/** Returns the answer, with null in the fields that readers don't get. */
export function exposedPart(value: Content, exposed: ExposedFields): Content {
  const hidden = hiddenKeys(exposed);
  if (value === null || hidden.size === 0) return value;
  if (isList(value)) return { ...value, rows: value.rows.map((row) => withoutKeys(row, hidden)) };
  return withoutKeys(value, hidden);
}

/**
 * Returns the text in which an entry is stored. The text lists the exposed fields, and omits the fields that could be
 * exposed but aren't. `fields`: the fields of an older entry.
 */
export function storedText(entry: object, exposed: ExposedFields): string {
  const hidden = hiddenKeys(exposed);
  const { fields: before } = entry as { readonly fields?: readonly string[] };
  const fields = [...exposed].filter((field) => before?.includes(field) ?? true);
  return JSON.stringify({ ...entry, fields }, (key, value: unknown) => (hidden.has(key) ? undefined : value));
}

/** Returns whether an entry that was stored with these fields lacks a field that readers now get. */
export function lacksField(fields: readonly string[], exposed: ExposedFields): boolean {
  return [...exposed].some((field) => !fields.includes(field));
}

/** Returns whether an entry that was stored with these fields has a field that readers no longer get. */
export function hasHiddenField(fields: readonly string[], exposed: ExposedFields): boolean {
  return fields.some((field) => !(exposed as ReadonlySet<string>).has(field));
}

function hiddenKeys(exposed: ExposedFields): ReadonlySet<string> {
  return new Set(EXPOSABLE_FIELDS.flatMap((field) => (exposed.has(field) ? [] : KEYS[field])));
}

function withoutKeys<Part extends ReadPulse | ReadSource>(part: Part, hidden: ReadonlySet<string>): Part {
  const entries = Object.entries(part).map(([key, value]) => [key, hidden.has(key) ? null : (value as unknown)]);
  return Object.fromEntries(entries) as Part;
}
