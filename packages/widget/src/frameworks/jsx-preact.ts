import type { ClassAttributes, JSX } from 'preact';
import type { ElementOf, ElementTag } from './element-types.ts';
import type { OwnAttributesOf } from './jsx-elements.ts';

/** Preact's types for a `div` supply the attributes and handlers of any element. */
type PreactElement<Tag extends ElementTag> = ClassAttributes<ElementOf<Tag>> &
  Omit<DivAttributesOf<ElementOf<Tag>>, keyof OwnAttributesOf<Tag> | 'ref'> &
  OwnAttributesOf<Tag>;

/** The attributes of a `div`, whose handlers receive events of `Element`. */
type DivAttributesOf<Element> = {
  [Name in keyof JSX.IntrinsicElements['div']]: Retargeted<JSX.IntrinsicElements['div'][Name], Element>;
};

type Retargeted<Value, Element> = Value extends (event: infer Event) => void
  ? (event: Event & { readonly currentTarget: Element }) => void
  : Value;

declare module 'preact' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    // A mapped type for both tags would refer to this interface, and TypeScript rejects circular types.
    interface IntrinsicElements {
      'pulse-card': PreactElement<'pulse-card'>;
      'pulse-board': PreactElement<'pulse-board'>;
    }
  }
}
