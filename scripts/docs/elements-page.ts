import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, elementsOf, type Entry, type Manifest } from '@pulse-card/widget/build/manifest';
import { ROOT } from '../run.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Returns the elements page, generated from `custom-elements.json`. */
export function elementsPage(): string {
  const manifest = readFileSync(join(ROOT, 'packages/widget/custom-elements.json'), 'utf8');
  const elements = elementsOf(JSON.parse(manifest) as Manifest);
  const [card, ...others] = elements;
  if (card === undefined) throw new Error('Can’t write the elements page: the manifest lists no elements');
  return [
    '# Elements',
    'The property of an attribute has the same name in camel case. For example, the property of `source-id` is `sourceId`. Events bubble and cross shadow roots.',
    elementSection(card),
    ...others.map((element) => elementSection(element, card)),
  ].join('\n\n');
}

/** Returns an element's section. Entries that `base` also has are listed only by name. */
function elementSection(element: Declaration, base?: Declaration): string {
  const { tagName, attributes = [], members = [], slots, cssParts, cssProperties, cssStates, events } = element;
  const own = new Set(attributes.map(({ fieldName }) => fieldName));
  const open = members.filter(({ privacy, static: isStatic }) => privacy !== 'private' && !isStatic);
  const properties = open.filter(({ kind, name }) => kind === 'field' && !own.has(name));
  const methods = open.filter(({ kind }) => kind === 'method');
  return [
    `## \`<${tagName}>\``,
    sharedLine(tagName, attributes, base),
    section(
      'Attributes',
      ['attribute', 'type', 'default', ''],
      ownAttributes(attributes, base),
      ({ name, type, default: fallback, description }) => [code(name), code(type?.text), code(fallback), description],
    ),
    section('Properties without an attribute', ['property', 'type', ''], properties, ({ name, type, description }) => [
      code(name),
      code(type?.text),
      description,
    ]),
    section('Methods', ['method', ''], methods, ({ name, description }) => [code(`${name}()`), description]),
    section('Events', ['event', ''], events, described),
    section('Slots', ['slot', ''], slots, ({ name, description }) => [name ? code(name) : '(default)', description]),
    section(
      'Parts',
      ['part', ''],
      cssParts?.filter((part) => !isIn(part, base?.cssParts)),
      described,
    ),
    section('States', ['state', ''], cssStates, ({ name, description }) => [code(`:state(${name})`), description]),
    section(
      'Custom properties',
      ['property', 'default', ''],
      cssProperties,
      ({ name, default: fallback, description }) => [code(name), code(fallback), description],
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function ownAttributes(attributes: readonly Entry[], base: Declaration | undefined): readonly Entry[] {
  return attributes.filter((attribute) => !isIn(attribute, base?.attributes));
}

function sharedLine(tag: string | undefined, attributes: readonly Entry[], base: Declaration | undefined): string {
  const shared = attributes.filter((attribute) => isIn(attribute, base?.attributes)).map(({ name }) => code(name));
  return shared.length === 0
    ? ''
    : `\`<${tag}>\` shares these attributes with \`<${base?.tagName}>\`: ${shared.join(', ')}.`;
}

/** Whether `entries` contains an entry with the same name and description. */
function isIn({ name, description }: Entry, entries: readonly Entry[] = []): boolean {
  return entries.some((other) => other.name === name && other.description === description);
}

function described({ name, description }: Entry): (string | undefined)[] {
  return [code(name), description];
}

function section<Item extends Entry>(
  title: string,
  heads: readonly string[],
  items: readonly Item[] | undefined,
  cells: (item: Item) => readonly (string | undefined)[],
): string {
  if (items === undefined || items.length === 0) return '';
  return `**${title}**\n\n${markdownTable(heads, items.map(cells))}`;
}
