import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-types.ts';

/** The attributes of any element, in any library that uses JSX. */
interface Common<Element> {
  id?: string | undefined;
  class?: string | undefined;
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

type Intrinsic = {
  [Tag in ElementTag]: Common<ElementOf<Tag>> & AttributesOf<Tag> & PlainPropertiesOf<Tag> & ElementHandlersOf<Tag>;
};

declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends Intrinsic {}
  }
}
