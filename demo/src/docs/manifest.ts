import { elementsOf, type Entry, type Manifest, type Member } from '../../../packages/widget/build/manifest.ts';

/** A member of an element that a page can set, read, or style. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** An attribute or a custom property with its type and default. */
export interface Setting extends Described {
  /** A TypeScript type: `boolean`, `'a' | 'b'`, `string`. */
  readonly type: string;
  /** The default as text, or an empty string if there is none. */
  readonly preset: string;
}

/** The public side of an element. */
export interface ElementManifest {
  readonly tagName: string;
  readonly description: string;
  readonly attributes: readonly Setting[];
  /** The properties without an attribute. */
  readonly fields: readonly Setting[];
  readonly methods: readonly Described[];
  readonly events: readonly Described[];
  readonly slots: readonly Described[];
  readonly parts: readonly Described[];
  readonly properties: readonly Setting[];
}

/**
 * Reads the description of the element `tagName` in the manifest (schema 2). Throws if the manifest doesn't contain the
 * element.
 */
export function readManifest(manifest: Manifest, tagName: string): ElementManifest {
  const declaration = elementsOf(manifest).find((found) => found.tagName === tagName);
  if (declaration === undefined) throw new Error(`Cannot read the manifest: it has no element ${tagName}`);
  const members = (declaration.members ?? []).filter(isInstanceMember);
  return {
    tagName,
    description: declaration.description ?? '',
    attributes: (declaration.attributes ?? []).map((attribute) => settingOf(attribute)),
    fields: members
      .filter(({ kind, attribute }) => kind === 'field' && attribute === undefined)
      .map((member) => settingOf(member)),
    methods: members.filter(({ kind }) => kind === 'method').map(describedOf),
    events: (declaration.events ?? []).map(describedOf),
    slots: (declaration.slots ?? []).map(describedOf),
    parts: (declaration.cssParts ?? []).map(describedOf),
    properties: (declaration.cssProperties ?? []).map((property) => settingOf(property)),
  };
}

/** The control that fits a TypeScript type: a switch, one of a few values, or free text. */
export type ControlKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text' };

/** The control for `boolean`, `'a' | 'b'`, `2 | 3`, `string`. */
export function controlKind(type: string): ControlKind {
  const members = type
    .split('|')
    .map((member) => member.trim())
    .filter((member) => !['undefined', 'null', ''].includes(member));
  if (members.length > 0 && members.every((member) => member === 'boolean')) return { kind: 'switch' };
  const values = members
    .map((member) => /^(?:'([^']*)'|"([^"]*)"|(\d+))$/.exec(member))
    .flatMap((match) => match?.[1] ?? match?.[2] ?? match?.[3] ?? []);
  return values.length > 1 && values.length === members.length ? { kind: 'choice', values } : { kind: 'text' };
}

function isInstanceMember({ privacy, static: isStatic }: Member): boolean {
  return isStatic !== true && privacy !== 'private' && privacy !== 'protected';
}

function describedOf({ name = '', description = '' }: Entry): Described {
  return { name, description };
}

function settingOf({ name = '', description = '', type, default: preset = '' }: Entry): Setting {
  return { name, description, type: type?.text ?? 'string', preset: preset.replaceAll(/^['"`]|['"`]$/g, '') };
}
