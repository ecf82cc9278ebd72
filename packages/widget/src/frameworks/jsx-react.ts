import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-types.ts';

type Intrinsic = {
  [Tag in ElementTag]: DetailedHTMLProps<HTMLAttributes<ElementOf<Tag>>, ElementOf<Tag>> &
    AttributesOf<Tag> &
    PlainPropertiesOf<Tag> &
    ElementHandlersOf<Tag> & { class?: string | undefined };
};

declare module 'react' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends Intrinsic {}
  }
}
