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

/** What an element has in JSX beside the attributes of any element. */
export type OwnAttributesOf<Tag extends ElementTag> = AttributesOf<Tag> &
  PlainPropertiesOf<Tag> &
  ElementHandlersOf<Tag>;

/** The elements in JSX, by their tags. */
export type JsxElements = {
  [Tag in ElementTag]: Common<ElementOf<Tag>> & OwnAttributesOf<Tag>;
};
