/** A named thing of an element, as the manifest describes it. */
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
  /** The attribute that holds the field. */
  readonly attribute?: string;
}

/** A class, as the manifest describes it; an element where it has a tag name. */
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

/** A custom-elements manifest, as far as it is read here. */
export interface Manifest {
  readonly modules: readonly { readonly declarations: readonly Declaration[] }[];
}

/** The elements that a manifest describes. */
export function elementsOf(manifest: Manifest): readonly Declaration[] {
  return manifest.modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
}
