import type { JSX } from 'solid-js/jsx-runtime';
import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PropertiesOf } from './element-types.ts';
import type { OwnAttributesOf } from './jsx-elements.ts';

/** Attributes that are set or removed, such as `open`. */
type BooleanAttribute<Tag extends ElementTag> = {
  [Name in keyof AttributesOf<Tag>]-?: true extends AttributesOf<Tag>[Name] ? Name : never;
}[keyof AttributesOf<Tag>];

/** Solid's prefixes, which set a property or an attribute or listen for an event. */
type Prefixed<Tag extends ElementTag> = {
  [Name in keyof PropertiesOf<Tag> & string as `prop:${Name}`]?: PropertiesOf<Tag>[Name];
} & {
  [Name in keyof AttributesOf<Tag> & string as `attr:${Name}`]?: AttributesOf<Tag>[Name];
} & {
  [Name in BooleanAttribute<Tag> & string as `bool:${Name}`]?: boolean | undefined;
} & {
  [Name in keyof ElementHandlersOf<Tag> as Name extends `on${infer Event}` ? `on:${Event}` : never]?:
    | ElementHandlersOf<Tag>[Name]
    | WithOptions<NonNullable<ElementHandlersOf<Tag>[Name]>>;
};

/** A listener with its options. */
type WithOptions<Handler> = AddEventListenerOptions & { handleEvent: Handler };

type SolidElements = {
  [Tag in ElementTag]: Omit<JSX.HTMLAttributes<ElementOf<Tag>>, keyof OwnAttributesOf<Tag>> &
    OwnAttributesOf<Tag> &
    Prefixed<Tag>;
};

declare module 'solid-js/jsx-runtime' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends SolidElements {}
  }
}
