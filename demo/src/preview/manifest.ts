/** An attribute of the card, as its manifest describes it. */
export interface CardAttribute {
  readonly name: string;
  /** A TypeScript type: `boolean`, `'a' | 'b'`, `string`. */
  readonly type: string;
  readonly preset: string;
  readonly description: string;
}

/** A custom property of the card, as its manifest describes it. */
export interface CardProperty {
  readonly name: string;
  readonly preset: string;
  readonly description: string;
}

/** All that a page can set on an element in HTML and CSS. */
export interface CardManifest {
  readonly attributes: readonly CardAttribute[];
  readonly properties: readonly CardProperty[];
}

/** The parts of a custom-elements manifest that matter here (schema 2, `modules[].declarations[]`). */
export interface CustomElementsManifest {
  readonly modules: readonly { readonly declarations?: readonly Declaration[] }[];
}

interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly Described[];
  readonly cssProperties?: readonly Described[];
}

interface Described {
  readonly name: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
  readonly description?: string;
}

/** What the manifest says of the element `tagName`; nothing where it does not know it. */
export function readManifest({ modules }: CustomElementsManifest, tagName: string): CardManifest {
  const declaration = modules
    .flatMap(({ declarations = [] }) => declarations)
    .find((found) => found.tagName === tagName);
  return {
    attributes: (declaration?.attributes ?? []).map((attribute) => ({
      ...read(attribute),
      type: attribute.type?.text ?? 'string',
    })),
    properties: (declaration?.cssProperties ?? []).map(read),
  };
}

function read({ name, default: preset = '', description = '' }: Described): CardProperty {
  return { name, preset: preset.replaceAll(/^['"`]|['"`]$/g, ''), description };
}
