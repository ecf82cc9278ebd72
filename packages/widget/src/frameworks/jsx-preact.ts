import type { ClassAttributes, JSX } from 'preact';
import type { ElementOf, ElementTag } from './element-types.ts';
import type { OwnAttributesOf } from './jsx-elements.ts';

/** Preact's types for a `div` supply the attributes and handlers of any element. */
type PreactElement<Tag extends ElementTag> = ClassAttributes<ElementOf<Tag>> &
  Omit<DivAttributesOf<ElementOf<Tag>>, keyof OwnAttributesOf<Tag> | 'ref'> &
  OwnAttributesOf<Tag>;

/** The attributes of a `div`, whose handlers get `Target` as the `currentTarget`. */
type DivAttributesOf<Target> = {
  [Name in keyof JSX.IntrinsicElements['div']]: Retargeted<JSX.IntrinsicElements['div'][Name], Target>;
};

type Retargeted<Value, Target> = Value extends (event: infer Received) => void
  ? (event: Received & { readonly currentTarget: Target }) => void
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
