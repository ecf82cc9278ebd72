import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-types.ts';

/** The attributes of any element, in any library that uses JSX. */
interface Common<Element> {
  id?: string | undefined;
  class?: string | undefined;
  className?: string | undefined;
  slot?: string | undefined;
  lang?: string | undefined;
  dir?: string | undefined;
  hidden?: boolean | undefined;
  title?: string | undefined;
  style?: unknown;
  children?: unknown;
  key?: unknown;
  ref?: ((element: Element) => void) | { current: Element | null } | undefined;
}

/** An element's own JSX attributes, in addition to the attributes that every element has. */
export type OwnAttributesOf<Tag extends ElementTag> = AttributesOf<Tag> &
  PlainPropertiesOf<Tag> &
  ElementHandlersOf<Tag>;

/** The elements in JSX, keyed by tag. */
export type JsxElements = {
  [Tag in ElementTag]: Common<ElementOf<Tag>> & OwnAttributesOf<Tag>;
};
