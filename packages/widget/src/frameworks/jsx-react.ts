import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { ElementOf, ElementTag } from './element-types.ts';
import type { OwnAttributesOf } from './jsx-elements.ts';

type Intrinsic = {
  [Tag in ElementTag]: DetailedHTMLProps<HTMLAttributes<ElementOf<Tag>>, ElementOf<Tag>> &
    OwnAttributesOf<Tag> & { class?: string | undefined };
};

declare module 'react' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends Intrinsic {}
  }
}
