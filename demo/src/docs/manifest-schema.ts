/** The parts of a custom-elements manifest (schema 2) that the Studio reads. */
export interface CustomElementsManifest {
  readonly modules: readonly { readonly declarations?: readonly ElementDeclaration[] }[];
}

/** An element of the manifest. */
export interface ElementDeclaration {
  readonly tagName?: string;
  readonly description?: string;
  readonly attributes?: readonly Entry[];
  readonly members?: readonly Member[];
  readonly events?: readonly Entry[];
  readonly slots?: readonly Entry[];
  readonly cssParts?: readonly Entry[];
  readonly cssProperties?: readonly Entry[];
}

/** A field or a method in the manifest. */
export interface Member extends Entry {
  readonly kind?: string;
  readonly privacy?: string;
  readonly static?: boolean;
  readonly attribute?: string;
}

interface Entry {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
}
