import { EXPOSABLE_FIELDS, type ExposableField } from '@pulse-card/contract';

/** The properties of each field that `PULSE_EXPOSE` can add, in pulses and in sources. */
const PROPERTIES: Readonly<Record<ExposableField, readonly string[]>> = {
  link: ['link'],
  deliveryLink: ['deliveryLink'],
  connectionCount: ['connectionCount'],
  organization: ['organizationId', 'organizationName', 'organizationSlug'],
};

/**
 * The JSON that is stored outside the process. It lists the exposed fields and omits those that readers don't get.
 * `before`: the fields of an older copy.
 */
export function keptJson(entry: object, exposed: ReadonlySet<string>, before?: readonly string[]): string {
  const hidden = new Set(EXPOSABLE_FIELDS.flatMap((field) => (exposed.has(field) ? [] : PROPERTIES[field])));
  const fields = [...exposed].filter((field) => before?.includes(field) ?? true);
  return JSON.stringify({ ...entry, fields }, (key, value: unknown) => (hidden.has(key) ? undefined : value));
}

/** Whether a copy with these fields lacks one that readers now get. */
export function lacksField(fields: readonly string[], exposed: ReadonlySet<string>): boolean {
  return [...exposed].some((field) => !fields.includes(field));
}

/** Whether a copy with these fields has one that readers no longer get. */
export function hasHiddenField(fields: readonly string[], exposed: ReadonlySet<string>): boolean {
  return fields.some((field) => !exposed.has(field));
}
