import type { JSX } from 'solid-js/jsx-runtime';
import type { ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-types.ts';
import type { OwnAttributesOf } from './jsx-elements.ts';

/** Solid sets names with the `prop:` prefix as properties and listens for events with the `on:` prefix. */
type SolidElements = {
  [Tag in ElementTag]: Omit<JSX.HTMLAttributes<ElementOf<Tag>>, keyof OwnAttributesOf<Tag>> &
    OwnAttributesOf<Tag> & {
      [Name in keyof PlainPropertiesOf<Tag> & string as `prop:${Name}`]?: PlainPropertiesOf<Tag>[Name];
    } & {
      [
        Name in keyof ElementHandlersOf<Tag> as Name extends `on${infer Event}` ? `on:${Event}` : never
      ]?: ElementHandlersOf<Tag>[Name];
    };
};

declare module 'solid-js/jsx-runtime' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends SolidElements {}
  }
}
