import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-props.ts';
import { wrapped } from './wrapped.ts';

export type { WrappedProps } from './wrapped.ts';

/** `<pulse-card>` as a React component. */
export const PulseCard = wrapped('pulse-card');

/** `<pulse-board>` as a React component. */
export const PulseBoard = wrapped('pulse-board');

// The elements need a browser; on a server their attributes and content are rendered all the same.
if (typeof document !== 'undefined') void import('../define.ts');

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
