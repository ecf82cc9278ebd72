/** An entry in the manifest that has a name. */
export interface Entry {
  readonly name?: string;
  readonly description?: string;
  readonly default?: string;
  readonly type?: { readonly text?: string };
  /** The property that an attribute sets. */
  readonly fieldName?: string;
}

/** A field or a method. */
export interface Member extends Entry {
  readonly kind: string;
  readonly privacy?: string;
  readonly static?: boolean;
  readonly readonly?: boolean;
  /** The attribute for the field. */
  readonly attribute?: string;
}

/** A class in the manifest. A class with a tag name is an element. */
export interface Declaration extends Entry {
  readonly tagName?: string;
  readonly members?: readonly Member[];
  readonly attributes?: readonly Entry[];
  readonly slots?: readonly Entry[];
  readonly cssParts?: readonly Entry[];
  readonly cssProperties?: readonly Entry[];
  readonly cssStates?: readonly Entry[];
  readonly events?: readonly Entry[];
}

/** An export of a module: a class, or the definition of an element. */
export interface Export {
  readonly kind: 'js' | 'custom-element-definition';
  readonly name: string;
  readonly declaration: { readonly name: string; readonly module: string };
}

/** The parts of a custom-elements manifest that the build reads. */
export interface Manifest {
  readonly modules: readonly {
    readonly path: string;
    readonly declarations: readonly Declaration[];
    readonly exports: readonly Export[];
  }[];
}

/** The elements that a manifest describes. */
export function elementsOf(manifest: Manifest): readonly Declaration[] {
  return manifest.modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
}
