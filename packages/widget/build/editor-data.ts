import project from '../../../project.json' with { type: 'json' };
import type { Declaration, Entry, Member } from './manifest.ts';

/** The reference page for the elements. Null until the repository has a URL. */
const REFERENCE = referenceUrl(project.repository);

/** The elements' tags, for editors that read VS Code's custom data for HTML. */
export function htmlData(elements: readonly Declaration[]): object {
  return {
    version: 1.1,
    tags: elements.map(({ tagName, description, attributes = [] }) => ({
      name: tagName,
      description: description ?? '',
      attributes: attributes.map((attribute) => ({ ...described(attribute), ...valuesOf(attribute) })),
      ...(REFERENCE === null ? {} : { references: [{ name: 'Reference', url: REFERENCE }] }),
    })),
  };
}

/** Custom properties, parts, and states, for editors that read VS Code's custom data for CSS. */
export function cssData(elements: readonly Declaration[]): object {
  return {
    version: 1.1,
    properties: uniqueByName(elements.flatMap(({ cssProperties = [] }) => cssProperties)).map(described),
    pseudoElements: uniqueByName(elements.flatMap(({ cssParts = [] }) => cssParts)).map(({ name, description }) => ({
      name: `::part(${name})`,
      description,
    })),
    pseudoClasses: uniqueByName(elements.flatMap(({ cssStates = [] }) => cssStates)).map(({ name, description }) => ({
      name: `:state(${name})`,
      description,
    })),
  };
}

/** The elements' data, for JetBrains editors. */
export function webTypes(elements: readonly Declaration[], { name, version }: { name: string; version: string }) {
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name,
    version,
    'description-markup': 'markdown',
    contributions: {
      html: { elements: elements.map(webTypesElement) },
    },
  };
}

function webTypesElement(element: Declaration): object {
  const { tagName, description, attributes = [], members = [], slots, events = [], cssProperties, cssParts } = element;
  return {
    name: tagName,
    description,
    ...(REFERENCE === null ? {} : { 'doc-url': REFERENCE }),
    attributes: attributes.map(({ default: value, type, ...attribute }) => ({
      ...described(attribute),
      ...(value !== undefined && { default: value }),
      value: { type: type?.text ?? 'string', required: type?.text !== 'boolean' },
    })),
    slots: slots?.map(described),
    js: {
      properties: members.filter(isSettable).map(typed),
      events: events.map(typed),
    },
    css: {
      properties: cssProperties?.map(described),
      parts: cssParts?.map(described),
    },
  };
}

function isSettable({ kind, privacy, static: isStatic, readonly: isReadonly }: Member): boolean {
  return kind === 'field' && privacy !== 'private' && !isStatic && !isReadonly;
}

function typed(entry: Entry): object {
  return { ...described(entry), type: entry.type?.text };
}

function described({ name, description, default: fallback }: Entry): { name: string; description: string } {
  const words = description ?? '';
  return { name: name ?? '', description: fallback === undefined ? words : `${words} Default: \`${fallback}\`.` };
}

/** The values listed in an attribute's type. In VS Code's data, `v` means that the attribute doesn't need a value. */
function valuesOf({ type }: Entry): object {
  if (type?.text === 'boolean') return { valueSet: 'v' };
  const values = [...(type?.text ?? '').matchAll(/'([^']*)'/g)].map(([, name]) => ({ name }));
  return values.length > 0 ? { values } : {};
}

function uniqueByName(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

function referenceUrl(repository: string | null): string | null {
  return repository === null ? null : `${repository}/blob/main/docs/reference/elements.md`;
}
