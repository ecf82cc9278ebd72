import type { Declaration } from './manifest.ts';

/** What frameworks must know of an element: how properties, attributes and events are called. */
interface ElementNames {
  /** Attributes by the property that reflects them. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Properties that no attribute holds. */
  readonly properties: readonly string[];
  /** Events by the name that a handler has in JSX. */
  readonly events: Readonly<Record<string, string>>;
}

/** The source of the table of all elements, as `src/frameworks/elements.ts` holds it. */
export function elementTable(elements: readonly Declaration[]): string {
  const table = Object.fromEntries(elements.map((element) => [element.tagName ?? '', namesOf(element)]));
  return `/** What frameworks must know of each element; made from the manifest by \`node manifest.ts\`. */
export const ELEMENTS = ${JSON.stringify(table, null, 2)} as const;
`;
}

function namesOf({ attributes = [], members = [], events = [] }: Declaration): ElementNames {
  const fields = members.filter((member) => member.kind === 'field' && !member.privacy && !member.static);
  const settable = new Set(fields.filter((field) => !field.readonly).map(({ name = '' }) => name));
  const reflected = attributes
    .map(({ name = '' }) => [camelCase(name), name] as const)
    .filter(([property]) => settable.has(property));
  const attributeOf = Object.fromEntries(reflected);
  return {
    attributes: attributeOf,
    properties: [...settable].filter((name) => !(name in attributeOf)),
    events: Object.fromEntries(events.map(({ name = '' }) => [camelCase(`on-${name}`), name])),
  };
}

/** `source-id` is held by `sourceId`, `pulse-load` is handled by `onPulseLoad`. */
function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
